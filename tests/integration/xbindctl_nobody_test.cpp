// Entries of switches that are in no ledger, joined to paths along the links of the topology.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "xbindctl/paths_of_nobody.hpp"

namespace xbind::ctl {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// host-a 2 -- 1 switch-1 2 -- 2 host-b;  switch-1 3 -- 2 host-c;  switch-1 4 -- 1 switch-2
class PathsOfNobody : public testing::Test {
 protected:
  PathsOfNobody() {
    link("host-a", 2, "switch-1", 1);
    link("switch-1", 2, "host-b", 2);
    link("switch-1", 3, "host-c", 2);
    link("switch-1", 4, "switch-2", 1);
  }

  void link(const std::string& one, std::uint32_t port, const std::string& other,
            std::uint32_t other_port) {
    plan_.far_ends[{one, PortId{port}}] = {other, PortId{other_port}};
    plan_.far_ends[{other, PortId{other_port}}] = {one, PortId{port}};
  }
  // A stray cross-connect in the words of an audit.
  void stray(const std::string& name, std::uint32_t input_port, std::uint32_t input,
             std::uint32_t output_port, std::uint32_t output, bool of_call = false) {
    const EntryDifference difference{
        FindingKind::kStrayCrossConnect,
        CrossConnect{PortId{input_port}, atm_label(0, input), PortId{output_port},
                     output == 0 ? Label{} : atm_label(0, output)},
        {}};
    findings_.push_back(finding_of(name, difference, of_call));
  }
  std::vector<std::string> words() const {
    std::vector<std::string> all;
    for (const PathOfNobody& path : paths_of_nobody(entries_of_nobody(findings_), plan_)) {
      all.push_back(words_of(path));
    }
    return all;
  }

  std::vector<Finding> findings_;
  PortPlan plan_{{}, {"host-a", "host-b", "host-c"}};
};

TEST_F(PathsOfNobody, LeadFromEndToEnd) {
  stray("switch-1", 1, 40, 2, 50);
  stray("host-b", 2, 50, 1, 33);
  stray("host-a", 1, 32, 2, 40);
  stray("host-a", 1, 34, 2, 41);  // of another call
  stray("switch-1", 1, 41, 3, 52);
  stray("host-c", 2, 52, 1, 33);
  EXPECT_THAT(words(),
              ElementsAre("host-a -> host-a port 1 0/32 -> switch-1 port 1 0/40 -> host-b port 2 "
                          "0/50 -> host-b: 3 hops",
                          "host-a -> host-a port 1 0/34 -> switch-1 port 1 0/41 -> host-c port 2 "
                          "0/52 -> host-c: 3 hops"));
}

TEST_F(PathsOfNobody, OfATreeAreListedForEachEnd) {
  stray("host-a", 1, 32, 2, 40);
  stray("switch-1", 1, 40, 2, 50);
  stray("switch-1", 1, 40, 3, 52);
  stray("host-b", 2, 50, 1, 33);
  stray("host-c", 2, 52, 1, 35);
  EXPECT_THAT(words(), ElementsAre("host-a -> host-a port 1 0/32 -> switch-1 port 1 0/40 -> host-b "
                                   "port 2 0/50 -> host-b: 3 hops",
                                   "host-a -> (the first 1 as before) -> switch-1 port 1 0/40 -> "
                                   "host-c port 2 0/52 -> host-c: 3 hops"));
}

TEST_F(PathsOfNobody, SayWhereTheyStop) {
  stray("switch-1", 1, 40, 4, 50);
  stray("switch-2", 7, 60, 8, 61);
  stray("switch-2", 1, 62, 0, 0);
  stray("host-b", 2, 51, 1, 33, true);
  EXPECT_THAT(
      words(),
      ElementsAre("a call at host-b -> host-b port 2 0/51 -> host-b: 1 hop",
                  "host-a port 2 (no entry of nobody there) -> switch-1 port 1 0/40 -> switch-2 "
                  "port 1 0/50 (no entry of nobody there): 1 hop",
                  "switch-1 port 4 (no entry of nobody there) -> switch-2 port 1 0/62 -> an output "
                  "that switch-2 does not report: 1 hop",
                  "a port without a link -> switch-2 port 7 0/60 -> port 8 0/61 without a link: 1 "
                  "hop"));
}

TEST_F(PathsOfNobody, ThatGoRoundEnd) {
  link("switch-1", 5, "switch-2", 2);
  stray("switch-1", 5, 40, 4, 50);
  stray("switch-2", 1, 50, 2, 40);
  EXPECT_THAT(words(), ElementsAre("a circle -> switch-1 port 5 0/40 -> switch-2 port 1 0/50 -> "
                                   "switch-1 port 5 0/40 again: 2 hops"));
}

TEST_F(PathsOfNobody, HaveEachEntryOnce) {
  stray("host-a", 1, 32, 2, 40);
  stray("host-a", 1, 32, 2, 40);
  stray("host-a", 1, 33, 2, 40);  // two entries lead to one
  stray("switch-1", 1, 40, 2, 50);
  EXPECT_THAT(words(), ElementsAre("host-a -> host-a port 1 0/32 -> switch-1 port 1 0/40 -> host-b "
                                   "port 2 0/50 (no entry of nobody there): 2 hops",
                                   "host-a -> host-a port 1 0/33 -> switch-1 port 1 0/40 again: 1 "
                                   "hop"));
}

TEST_F(PathsOfNobody, AreMadeOfStrayCrossConnectsAlone) {
  findings_ = {
      {FindingKind::kStrayHop, "switch-1 port 1", "7", 1, ""},
      {FindingKind::kStrayCrossConnect, "switch-1 port 1", "of another version", 1, ""},
      {FindingKind::kStrayCrossConnect, "switch-1",
       "port 1 0/32 -> port 2 0/40 is in the switch, in no ledger", 1, ""},
      {FindingKind::kStrayCrossConnect, "switch-1 port 1",
       "port x 0/32 -> port 2 0/40 is in the switch, in no ledger", 1, ""},
      {FindingKind::kStrayCrossConnect, "switch-1 port 1",
       "port 1 0-32 -> port 2 0/40 is in the switch, in no ledger", 1, ""},
      {FindingKind::kStrayCrossConnect, "switch-1 port 1", "port 1 0/32 -> port 2", 1, ""}};
  EXPECT_THAT(entries_of_nobody(findings_), IsEmpty());
  findings_.push_back({FindingKind::kStrayCrossConnect, "switch-1 port 1",
                       "port 1 mpls 1000 -> port 2 0/40 is in the switch, in no ledger", 1, ""});
  const std::vector<EntryOfNobody> entries = entries_of_nobody(findings_);
  ASSERT_THAT(entries, SizeIs(1));
  EXPECT_EQ(entries[0].at.input_label, (Label{LabelKind::kMpls, 1000}));
}

}  // namespace
}  // namespace xbind::ctl
