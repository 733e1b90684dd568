#include "core/cause_table.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/call.hpp"

namespace xbind {
namespace {

Outcome refused(Cause cause, std::uint64_t asked, std::uint64_t free, std::string reason = {}) {
  Outcome outcome;
  outcome.kind = OutcomeKind::kRefused;
  outcome.cause = cause;
  outcome.element = "sw1";
  outcome.asked = asked;
  outcome.free = free;
  outcome.reason = std::move(reason);
  return outcome;
}

TEST(CauseTable, HasOneNameForEachCause) {
  std::set<std::string_view> names;
  for (const CauseRow& row : refusal_causes()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(&row_of(row.cause), &row);
    EXPECT_TRUE(explain(refused(row.cause, 7, 3)).starts_with(row.name));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kCauseLast));
}

TEST(CauseTable, TheNumbersOfARefusalAreSaid) {
  EXPECT_EQ(explain(refused(Cause::kNoBandwidth, 7, 3)),
            "no bandwidth at sw1: asked 7 cells/s, free 3");
  EXPECT_EQ(explain(refused(Cause::kNoBandwidth, 0, 0, "beside the point")),
            "no bandwidth at sw1: asked 0 cells/s, free 0");
  EXPECT_EQ(explain(refused(Cause::kSwitchRefused, 19, 0)),
            "switch refused at sw1: GSMP failure 19");
  EXPECT_EQ(explain(refused(Cause::kOverShare, 7, 3)), "over share at sw1: 7 labels held, share 3");
  EXPECT_EQ(explain(refused(Cause::kNoRoute, 7, 3)), "no route at sw1");
}

TEST(CauseTable, AReasonStandsWhereItsCauseHasOne) {
  EXPECT_EQ(explain(refused(Cause::kNoLabel, 17, 0)), "no label at sw1");
  EXPECT_EQ(explain(refused(Cause::kNoLabel, 17, 0, "17 is taken")),
            "no label at sw1: 17 is taken");
  EXPECT_EQ(explain(refused(Cause::kInvalidRequest, 7, 0)), "invalid request at sw1: 7");
  EXPECT_EQ(explain(refused(Cause::kInvalidRequest, 0, 0)), "invalid request at sw1");
  EXPECT_EQ(explain(refused(Cause::kInvalidRequest, 7, 0, "7 is odd")),
            "invalid request at sw1: 7 is odd");
  EXPECT_EQ(explain(refused(Cause::kUnknownConnection, 7, 0, "look at sw2")),
            "unknown connection at sw1: connection 7; look at sw2");
  EXPECT_EQ(explain(refused(Cause::kIncomplete, 7, 0, "sw1 is not read")),
            "incomplete: sw1 is not read");
  EXPECT_EQ(explain(refused(Cause::kIncomplete, 7, 0)), "incomplete at sw1");
  EXPECT_EQ(explain(refused(Cause::kBusy, 1, 0, "busy at sw1: said before")), "busy at sw1");
}

}  // namespace
}  // namespace xbind
