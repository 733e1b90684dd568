// Every story with every rig.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/conformance/driver/stories.hpp"

namespace xbind::driver_kit {

const std::vector<NamedRig>& rigs() {
  static const std::vector<NamedRig> kRigs{{"gsmp_v3", make_gsmp_v3_rig},
                                           {"gsmp_v1", make_gsmp_v1_rig},
                                           {"mpls", make_mpls_rig},
                                           {"ovs", make_ovs_rig}};
  return kRigs;
}

namespace {

class DriverKit : public testing::Test {
 public:
  DriverKit(MakeRig make, const Story& story) : make_(make), story_(story) {}

  void TestBody() override {
    const std::unique_ptr<Rig> rig = make_();
    Stage stage(*rig);
    story_.run(stage);
    stage.expect_all_answered();
  }

 private:
  MakeRig make_;
  const Story& story_;
};

// One test for each, for example driver_kit/gsmp_v3.the_table_is_what_was_added.
const bool kRegistered = [] {
  static const std::vector<Story> kStories = all_stories();
  for (const NamedRig& rig : rigs()) {
    for (const Story& story : kStories) {
      testing::RegisterTest(
          rig.name, story.name, nullptr, nullptr, __FILE__, __LINE__,
          [make = rig.make, &story]() -> DriverKit* { return new DriverKit(make, story); });
    }
  }
  return true;
}();

}  // namespace
}  // namespace xbind::driver_kit
