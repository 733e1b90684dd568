#include "core/config/text_form.hpp"

#include <gmock/gmock.h>

namespace xbind::config {
namespace {

using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::Optional;

constexpr const char* kPortAndFactor = "([0-9]{1,3})=([0-9]+([.][0-9]+)?)";

TEST(TextForm, GivesThePartsInTheirOrder) {
  EXPECT_THAT(parts_of("3=2.5", kPortAndFactor), Optional(ElementsAre("3", "2.5", ".5")));
}

TEST(TextForm, GivesAnEmptyPartForOneThatIsNotThere) {
  EXPECT_THAT(parts_of("3=2", kPortAndFactor), Optional(ElementsAre("3", "2", "")));
}

TEST(TextForm, RefusesATextOfWhichOnlyAPartHasTheForm) {
  EXPECT_THAT(parts_of("3=2 ", kPortAndFactor), Eq(std::nullopt));
  EXPECT_THAT(parts_of("a3=2", kPortAndFactor), Eq(std::nullopt));
  EXPECT_THAT(parts_of("", kPortAndFactor), Eq(std::nullopt));
}

TEST(TextForm, RefusesATextWithANul) {
  EXPECT_THAT(parts_of(std::string("3=2\0", 4), kPortAndFactor), Eq(std::nullopt));
}

}  // namespace
}  // namespace xbind::config
