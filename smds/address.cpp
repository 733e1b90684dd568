#include "smds/address.hpp"

#include <fmt/format.h>

namespace xbind::smds {

Result<Address> Address::parse(std::string_view text) {
  const auto refused = [text](std::string_view why) {
    return fail(ErrorCode::kBadInput, "'{}' is no address: {}; write C or E and 1 to {} digits",
                text, why, kDigitsMax);
  };
  if (text.empty() || (text.front() != 'C' && text.front() != 'E')) {
    return refused("it begins with neither C (individual) nor E (group)");
  }
  if (text.size() > kDigitsMax + 1) return refused("it is too long");
  std::uint64_t wire = text.front() == 'C' ? 0xC : 0xE;
  for (std::size_t place = 1; place <= kDigitsMax; ++place) {
    const char symbol = place < text.size() ? text[place] : 'F';
    if (symbol != 'F' && (symbol < '0' || symbol > '9')) return refused("it has other symbols");
    wire = wire << 4 | static_cast<std::uint64_t>(symbol == 'F' ? 0xF : symbol - '0');
  }
  const Address address(wire);
  if (!address.valid()) return refused("a digit follows an F, or there is none");
  return address;
}

std::string to_string(Address address) { return fmt::format("{:016X}", address.wire()); }

}  // namespace xbind::smds
