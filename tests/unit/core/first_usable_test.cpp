#include "core/first_usable.hpp"

#include <gmock/gmock.h>

#include <map>
#include <string>
#include <vector>

namespace xbind {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Plays a host: what each address answers; one that is not listed is free.
class FirstUsableTest : public ::testing::Test {
 protected:
  std::error_code listen(const std::vector<std::string>& addresses) {
    tried.clear();
    return listen_on_first_usable(addresses, [this](const std::string& address) {
      tried.push_back(address);
      const auto found = faults.find(address);
      return found == faults.end() ? std::error_code{} : std::make_error_code(found->second);
    });
  }

  std::map<std::string, std::errc> faults;
  std::vector<std::string> tried;
};

TEST_F(FirstUsableTest, TheFirstAddressIsTheOne) {
  EXPECT_FALSE(listen({"::1", "127.0.0.1"}));
  EXPECT_THAT(tried, ElementsAre("::1"));
}

TEST_F(FirstUsableTest, AnAddressThatTheHostLacksIsPassedOver) {
  for (const std::errc lacks :
       {std::errc::address_family_not_supported, std::errc::address_not_available}) {
    faults = {{"::1", lacks}};
    EXPECT_FALSE(listen({"::1", "127.0.0.1"}));
    EXPECT_THAT(tried, ElementsAre("::1", "127.0.0.1"));
    EXPECT_EQ(listen({"::1"}), lacks);
  }
}

TEST_F(FirstUsableTest, ATakenAddressIsAFailureAlthoughAnotherIsFree) {
  for (const std::errc other : {std::errc::address_in_use, std::errc::permission_denied}) {
    faults = {{"::1", other}};
    EXPECT_EQ(listen({"::1", "127.0.0.1"}), other);
    EXPECT_THAT(tried, ElementsAre("::1"));
  }
}

TEST_F(FirstUsableTest, WithoutAddressesNothingIsTriedAndItIsAFailure) {
  EXPECT_EQ(listen({}), std::errc::address_not_available);
  EXPECT_THAT(tried, IsEmpty());
}

}  // namespace
}  // namespace xbind
