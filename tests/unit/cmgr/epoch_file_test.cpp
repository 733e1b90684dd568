#include "cmgr/epoch_file.hpp"

#include <gmock/gmock.h>

namespace xbind::cmgr {
namespace {

using ::testing::HasSubstr;

TEST(EpochFile, IsReadAsItWasWritten) {
  EXPECT_EQ(epoch_as_text({Epoch{41}}), "xbind-cmgr epoch 1\n41\n");
  EXPECT_EQ(epoch_as_text({Epoch{41}, 2}), "xbind-cmgr epoch 1\n41 2\n");
  for (const KeptEpoch& kept : {KeptEpoch{Epoch{41}}, KeptEpoch{Epoch{41}, 2}}) {
    EXPECT_EQ(epoch_from_text(epoch_as_text(kept), "f").value(), kept);
  }
}

TEST(EpochFile, AnotherFormatIsRefusedByItsName) {
  for (const char* text :
       {"", "41\n", "xbind-cmgr epoch 1\n", "xbind-cmgr epoch 1\n41", "xbind-cmgr epoch 1\n41 \n",
        "xbind-cmgr epoch 1\n41 0\n", "xbind-cmgr epoch 1\n41 2 \n", "xbind-cmgr epoch 1\n41 -2\n",
        "xbind-cmgr epoch 2\n41\n", "xbind-cmgr epoch 1\n-1\n",
        "xbind-cmgr epoch 1\n99999999999999999999\n"}) {
    const auto read = epoch_from_text(text, "/state/cmgr-default.epoch");
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_THAT(read.error().text, HasSubstr("/state/cmgr-default.epoch"));
  }
}

TEST(EpochFile, IsNamedAfterItsManager) {
  EXPECT_EQ(epoch_file_path("/var/lib/xbind", "m1"), "/var/lib/xbind/cmgr-m1.epoch");
}

}  // namespace
}  // namespace xbind::cmgr
