#include "switchserver/manager_file.hpp"

#include <gmock/gmock.h>

namespace xbind {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ManagerFile, IsReadAsItWasWritten) {
  const KnownManagers managers{{"default", Epoch{41}}, {"m-2", Epoch{7}, true}};
  EXPECT_EQ(managers_as_text(managers),
            "xbind-switchserver managers 1\n41 default\n7 m-2 table-lost\n");
  EXPECT_EQ(managers_from_text(managers_as_text(managers), "f").value(), managers);
  EXPECT_THAT(managers_from_text(managers_as_text({}), "f").value(), IsEmpty());
}

TEST(ManagerFile, AnotherFormatIsRefusedByFileAndLine) {
  for (const char* text :
       {"", "41 m\n", "xbind-switchserver managers 2\n", "xbind-switchserver managers 1",
        "xbind-switchserver managers 1\n41 m", "xbind-switchserver managers 1\n41m\n",
        "xbind-switchserver managers 1\n-1 m\n", "xbind-switchserver managers 1\n1 a b\n",
        "xbind-switchserver managers 1\n\n",
        "xbind-switchserver managers 1\n99999999999999999999 m\n"}) {
    const auto read = managers_from_text(text, "/state/switchserver-sw.managers");
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_THAT(read.error().text, HasSubstr("/state/switchserver-sw.managers line "));
  }
}

TEST(ManagerFile, IsNamedAfterItsSwitch) {
  EXPECT_EQ(manager_file_path("/var/lib/xbind", "sw1"), "/var/lib/xbind/switchserver-sw1.managers");
}

}  // namespace
}  // namespace xbind
