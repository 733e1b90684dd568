#include "switchserver/manager_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include <string>

#include "core/state_file.hpp"

namespace xbind {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ManagerFile, IsReadAsItWasWritten) {
  const KnownManagers managers{
      {.name = "default", .epoch = Epoch{41}},
      {.name = "m-2", .epoch = Epoch{7}, .table_lost = true},
      {.name = "m-3", .epoch = Epoch{8}, .renewals = 3},
      {.name = "table-lost", .epoch = Epoch{9}, .renewals = 1, .table_lost = true}};
  EXPECT_THAT(managers_as_text(managers),
              HasSubstr("# xbind-switchserver managers 2\n41 default\n7 m-2 table-lost\n8 m-3 3\n"
                        "9 table-lost 1 table-lost\n# end: "));
  EXPECT_EQ(managers_from_text(managers_as_text(managers), "f").value(), managers);
  EXPECT_THAT(managers_from_text(managers_as_text({}), "f").value(), IsEmpty());
  EXPECT_EQ(managers_from_text("xbind-switchserver managers 1\n41 default\n7 m-2\n", "f").value(),
            (KnownManagers{{"default", Epoch{41}}, {"m-2", Epoch{7}}}));
}

TEST(ManagerFile, AnotherFormatIsRefusedByFileAndLine) {
  for (const char* text :
       {"41 m\n", "# xbind-switchserver managers 3\n", "xbind-switchserver managers 1",
        "xbind-switchserver managers 1\n41 m"}) {
    const auto read = managers_from_text(text, "/state/switchserver-sw.managers");
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_THAT(read.error().text, HasSubstr("/state/switchserver-sw.managers line "));
  }
  for (const char* line : {"41 m", "41m\n", "-1 m\n", "1 a b\n", "1 a 0\n", "1 a 2 \n", "1 a 2 3\n",
                           "1 a \n", "1 a table-lost 2\n", "\n", "99999999999999999999 m\n"}) {
    const auto read =
        managers_from_text(with_end_mark(std::string("# xbind-switchserver managers 2\n") + line),
                           "/state/switchserver-sw.managers");
    ASSERT_FALSE(read.has_value()) << line;
    EXPECT_THAT(read.error().text, HasSubstr("/state/switchserver-sw.managers "));
  }
}

TEST(ManagerFile, IsNamedAfterItsSwitch) {
  EXPECT_EQ(manager_file_path("/var/lib/xbind", "sw1"), "/var/lib/xbind/switchserver-sw1.managers");
}

TEST(ManagerFile, ThatTheTableIsLostIsAddedToWhatWasWritten) {
  const std::string path =
      fmt::format("{}manager_file_test.{}.managers", ::testing::TempDir(), ::getpid());
  {
    ManagerKeeper keeper(path);
    keeper.keep([] { return KnownManagers{{"a", Epoch{1}}, {"b", Epoch{3}}}; });
    keeper.note_table_lost({{"a", Epoch{1}, 0, true}, {"b", Epoch{2}}});
  }
  EXPECT_EQ(read_managers(path).value(),
            (KnownManagers{{"a", Epoch{1}, 0, true}, {"b", Epoch{3}}}));
  {
    ManagerKeeper keeper(path);
    keeper.note_table_lost({{"b", Epoch{3}, 0, true}});
  }
  EXPECT_EQ(read_managers(path).value(), (KnownManagers{{"b", Epoch{3}, 0, true}}));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace xbind
