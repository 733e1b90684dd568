// A big-endian cursor over received octets. It checks bounds, advances, and remembers its first
// failure. After a short read every further read returns zero, so message code is a list of fields
// with one ok() at the end.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace xbind::wire {

// Reads fields whose total size was checked before, without a check for each field.
class Fields {
 public:
  // Valid while the octets are; the caller must not read beyond them.
  explicit Fields(std::span<const std::byte> octets) : at_(octets.data()) {}

  std::uint8_t u8() { return std::to_integer<std::uint8_t>(*at_++); }
  std::uint16_t u16() { return big_endian<std::uint16_t>(); }
  std::uint32_t u24() {
    const std::uint32_t high = u8();
    return high << 16 | u16();
  }
  std::uint32_t u32() { return big_endian<std::uint32_t>(); }
  void skip(std::size_t octets) { at_ += octets; }

 private:
  template <class Number>
  Number big_endian() {
    Number number = 0;
    std::memcpy(&number, at_, sizeof number);
    at_ += sizeof number;
    if constexpr (std::endian::native == std::endian::big) return number;
    if constexpr (sizeof number == 2) return __builtin_bswap16(number);
    return static_cast<Number>(__builtin_bswap32(number));
  }

  const std::byte* at_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes), size_(bytes.size()) {}

  std::uint8_t u8() { return static_cast<std::uint8_t>(take(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(take(2)); }
  std::uint32_t u24() { return static_cast<std::uint32_t>(take(3)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(take(4)); }
  std::uint64_t u48() { return take(6); }
  std::uint64_t u64() { return take(8); }
  void skip(std::size_t octets) { bytes(octets); }

  // Returns the next `octets` octets as a view into the buffer; empty after a short read.
  std::span<const std::byte> bytes(std::size_t octets) {
    if (!reserve(octets)) return {};
    const auto taken = rest_.first(octets);
    rest_ = rest_.subspan(octets);
    return taken;
  }

  bool ok() const { return ok_; }
  std::size_t remaining() const { return rest_.size(); }
  std::size_t position() const { return size_ - rest_.size(); }

 private:
  bool reserve(std::size_t octets) {
    if (ok_ && rest_.size() >= octets) return true;
    ok_ = false;
    rest_ = {};
    return false;
  }
  // The only function that converts raw octets to numbers.
  std::uint64_t take(std::size_t octets) {
    if (!reserve(octets)) return 0;
    std::uint64_t value = 0;
    for (std::byte octet : rest_.first(octets))
      value = value << 8 | std::to_integer<std::uint64_t>(octet);
    rest_ = rest_.subspan(octets);
    return value;
  }

  std::span<const std::byte> rest_;
  std::size_t size_;
  bool ok_ = true;
};

}  // namespace xbind::wire
