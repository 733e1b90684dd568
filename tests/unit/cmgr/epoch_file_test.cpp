#include "cmgr/epoch_file.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "core/state_file.hpp"

namespace xbind::cmgr {
namespace {

using ::testing::HasSubstr;

TEST(EpochFile, IsReadAsItWasWritten) {
  EXPECT_THAT(epoch_as_text({Epoch{41}}), HasSubstr("# xbind-cmgr epoch 2\n41\n# end: "));
  EXPECT_THAT(epoch_as_text({Epoch{41}, 2}), HasSubstr("# xbind-cmgr epoch 2\n41 2\n# end: "));
  for (const KeptEpoch& kept : {KeptEpoch{Epoch{41}}, KeptEpoch{Epoch{41}, 2}}) {
    EXPECT_EQ(epoch_from_text(epoch_as_text(kept), "f").value(), kept);
  }
  EXPECT_EQ(epoch_from_text("xbind-cmgr epoch 1\n41\n", "f").value(), KeptEpoch{Epoch{41}});
}

TEST(EpochFile, AnotherFormatIsRefusedByItsName) {
  std::vector<std::string> texts{"",
                                 "41\n",
                                 "# xbind-cmgr epoch 2\n41\n",
                                 "xbind-cmgr epoch 1\n",
                                 "xbind-cmgr epoch 1\n41",
                                 with_end_mark("# xbind-cmgr epoch 3\n41\n")};
  for (const char* line : {"", "41 \n", "41 0\n", "41 2 \n", "41 -2\n", "-1\n", "\n", "41\n42\n",
                           "99999999999999999999\n", "18446744073709551615\n", "16777216\n"}) {
    texts.push_back(with_end_mark(std::string("# xbind-cmgr epoch 2\n") + line));
    texts.push_back(std::string("xbind-cmgr epoch 1\n") + line);
  }
  for (const std::string& text : texts) {
    const auto read = epoch_from_text(text, "/state/cmgr-default.epoch");
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_THAT(read.error().text, HasSubstr("/state/cmgr-default.epoch"));
  }
  EXPECT_TRUE(epoch_from_text(epoch_as_text({Epoch{16'777'215}}), "f").has_value());
}

TEST(EpochFile, IsNamedAfterItsManager) {
  EXPECT_EQ(epoch_file_path("/var/lib/xbind", "m1"), "/var/lib/xbind/cmgr-m1.epoch");
}

}  // namespace
}  // namespace xbind::cmgr
