// Compares cell rates with libatm, the library of Linux's ATM tools: bits of cell payload to cells
// a second. Where libatm (package libatm1) is not installed, the test says so and is skipped.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <linux/atm.h>

#include <memory>
#include <string>

#include "traffic/atm_mapping.hpp"

namespace xbind {
namespace {

using TextToQos = int (*)(const char* text, atm_qos* qos, int flags);

TEST(LibatmTest, CellRatesAreLibatms) {
  const std::unique_ptr<void, int (*)(void*)> library(dlopen("libatm.so.1", RTLD_NOW), &dlclose);
  if (!library) GTEST_SKIP() << "NOT TESTED: no libatm.so.1 here (package libatm1)";
  const auto text2qos = reinterpret_cast<TextToQos>(dlsym(library.get(), "text2qos"));
  ASSERT_NE(text2qos, nullptr);
  for (const std::uint64_t octets : {1, 40, 41, 160, 376, 1'500, 9'180, 65'535}) {
    for (const std::uint64_t frames : {8, 25, 100}) {
      UserService service;
      service.service = ServiceClass::kVoice;
      service.frames_per_1000_s = frames * 1'000;
      service.frame_octets = octets;
      service.asked = {kLossWhole / 10, 1'000'000};
      const auto mapped = to_atm(service);
      ASSERT_TRUE(mapped) << mapped.error().text;
      // The definition of AAL5: payload, padding and a trailer of 8 octets; a multiple of 48.
      std::uint64_t pdu = octets + 8;
      while (pdu % 48 != 0) ++pdu;
      const std::string text = "cbr:tx:pcr=" + std::to_string(pdu * frames * 8) + "bps";
      atm_qos theirs{};
      ASSERT_EQ(text2qos(text.c_str(), &theirs, 0), 0) << text;
      EXPECT_EQ(theirs.txtp.traffic_class, ATM_CBR);
      EXPECT_EQ(static_cast<std::uint64_t>(theirs.txtp.max_pcr == 0 ? theirs.txtp.pcr
                                                                    : theirs.txtp.max_pcr),
                mapped->contract.pcr_cells_per_s)
          << text;
    }
  }
}

}  // namespace
}  // namespace xbind
