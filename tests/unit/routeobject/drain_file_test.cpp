// Drains that survive a restart of RouteObject: the format of the file, and which orders are kept.
#include "routeobject/drain_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "routeobject/drain_keeper.hpp"

namespace xbind {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const PathElement kWhole{"x", PortId{}};
const PathElement kLink{"a", PortId{2}};

// a:2 -- 1:x:2 -- 2:b
Topology line_of_three() {
  Topology topology("line");
  const SwitchIndex a = topology.add_switch("a", true).value();
  const SwitchIndex x = topology.add_switch("x", false).value();
  const SwitchIndex b = topology.add_switch("b", true).value();
  EXPECT_TRUE(topology.add_link({a, PortId{2}}, {x, PortId{1}}, 1000).has_value());
  EXPECT_TRUE(topology.add_link({x, PortId{2}}, {b, PortId{2}}, 1000).has_value());
  return topology;
}

std::string fault_of(std::string_view text) {
  const auto read = drains_from_text(text, "f");
  return read ? "" : read.error().text;
}

class DrainFileTest : public ::testing::Test {
 protected:
  DrainFileTest()
      : folder_(std::filesystem::path(::testing::TempDir()) /
                ::testing::UnitTest::GetInstance()->current_test_info()->name()),
        file_(drain_file_path(folder_.string(), "default")) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~DrainFileTest() override { std::filesystem::remove_all(folder_); }

  std::string text() const {
    std::ifstream in(file_);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const std::filesystem::path folder_;
  const std::string file_;
};

TEST(DrainText, SaysElements) {
  const std::string text = drains_as_text({kLink, kWhole});
  EXPECT_THAT(text, HasSubstr("# xbind-routeobject drains 2\na 2\nx\n# end: "));
  EXPECT_THAT(drains_from_text(text, "f").value(), ElementsAre(kLink, kWhole));
  EXPECT_THAT(drains_from_text(drains_as_text({}), "f").value(), IsEmpty());
}

TEST(DrainText, OfAnotherFormIsRefusedByFileAndLine) {
  EXPECT_EQ(fault_of(""), "f is empty");
  EXPECT_EQ(fault_of("# xbind-routeobject drains 3\n"),
            "f line 1: it is not '# xbind-routeobject drains 2'");
  const auto fault_in = [](const std::string& content) {
    return fault_of(with_end_mark("# xbind-routeobject drains 2\n" + content));
  };
  EXPECT_EQ(fault_in("a 2\nx"),
            "f is not whole: its 68 octets do not end with their own length and "
            "CRC-32");
  for (const char* line : {"", "a 0", "a two", "a 2 3", "A 2", "a\t2", "a 99999999999", "a -1"}) {
    EXPECT_EQ(fault_in(line + std::string("\n")), "f line 2: it is not SWITCH or SWITCH PORT")
        << line;
  }
  EXPECT_EQ(fault_in("a 2\na 2\n"), "f: a port 2 is there twice");
}

TEST(DrainText, OfTheVersionBeforeEndsWithItsNumber) {
  const std::string first = "xbind-routeobject drains 1\n";
  EXPECT_THAT(drains_from_text(first + "a 2\nx\nend 2\n", "f").value(), ElementsAre(kLink, kWhole));
  EXPECT_EQ(fault_of(first), "f: the file is cut off");
  EXPECT_EQ(fault_of(first + "a 2\nx"), "f line 3: the file is cut off");
  EXPECT_EQ(fault_of(first + "a 2\nend 1"), "f line 3: the file is cut off");
  EXPECT_EQ(fault_of(first + "a 2\nend 2\n"), "f line 3: it is not the end of 1 elements");
  EXPECT_EQ(fault_of(first + "end 0\nx\n"), "f line 2: it is not the end of 0 elements");
}

TEST_F(DrainFileTest, AFileThatIsNotThereHoldsNothing) {
  EXPECT_THAT(read_drains(file_).value(), IsEmpty());
}

TEST_F(DrainFileTest, AFileThatIsTooLongOrCannotBeReadIsRefusedByItsName) {
  std::ofstream(file_) << std::string(kDrainFileOctetsMax + 1, 'x');
  EXPECT_THAT(read_drains(file_).error().text, HasSubstr(file_));
  std::filesystem::remove(file_);
  std::filesystem::create_directory(file_);
  EXPECT_THAT(read_drains(file_).error().text, HasSubstr(file_));
}

TEST_F(DrainFileTest, WhatIsDrainedIsDrainedInTheNextLife) {
  RouteService first(line_of_three(), 1000);
  DrainKeeper keeper(first, file_);
  EXPECT_TRUE(keeper.drain(kWhole, true).value());
  EXPECT_FALSE(keeper.drain(kLink, true).value()) << "as good as drained already";
  EXPECT_TRUE(keeper.drain({"b", PortId{1}}, true).value());
  EXPECT_TRUE(keeper.drain(kWhole, false).value());
  const std::uint64_t version = first.version();
  EXPECT_FALSE(keeper.drain(kWhole, false).value());
  EXPECT_EQ(first.version(), version);
  EXPECT_FALSE(std::filesystem::exists(file_ + ".new"));

  RouteService second(line_of_three(), 1000);
  DrainKeeper next(second, file_);
  EXPECT_THAT(next.restore(read_drains(file_).value()), IsEmpty());
  EXPECT_EQ(second.drains(), first.drains());
  EXPECT_EQ(second.condition()->state.unusable, first.condition()->state.unusable);
}

TEST_F(DrainFileTest, WhatTheTopologyHasNoMoreIsNamedAndDroppedWithTheNextOrder) {
  RouteService routes(line_of_three(), 1000);
  DrainKeeper keeper(routes, file_);
  const PathElement gone{"y", PortId{3}};
  EXPECT_THAT(keeper.restore({gone, kLink}), ElementsAre(gone));
  EXPECT_TRUE(keeper.drain(kWhole, true).has_value());
  EXPECT_EQ(text(), drains_as_text({kLink, kWhole}));
}

TEST_F(DrainFileTest, AnOrderThatCannotBeKeptIsRefusedAndNotCarriedOut) {
  RouteService routes(line_of_three(), 1000);
  DrainKeeper keeper(routes, (folder_ / "nowhere" / "f").string());
  const auto refused = keeper.drain(kLink, true);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kBadInput);
  EXPECT_THAT(refused.error().text, HasSubstr("nowhere/f cannot be written: No such file"));
  EXPECT_THAT(refused.error().text, HasSubstr(": nothing is drained"));
  EXPECT_THAT(routes.drains(), IsEmpty());
}

TEST_F(DrainFileTest, WithoutAFileNothingIsKept) {
  RouteService routes(line_of_three(), 1000);
  DrainKeeper keeper(routes, "");
  EXPECT_TRUE(keeper.drain(kLink, true).value());
  EXPECT_THAT(routes.drains(), ElementsAre(kLink));
  EXPECT_EQ(keeper.drain({"q", PortId{}}, true).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace xbind
