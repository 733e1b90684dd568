// Counterpart of the reader: appends big-endian fields to a buffer that it does not own, so that
// many messages share one buffer and one write. patch_u16 fills in a length that is known only at
// the end.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace xbind::wire {

using Buffer = std::vector<std::byte>;

// Writes fields into octets that Writer::room() has allocated, without a check for each field.
class Room {
 public:
  // Valid until the buffer grows; the caller must not write beyond the allocated octets.
  explicit Room(std::byte* begin) : at_(begin) {}

  void u8(std::uint8_t value) { *at_++ = std::byte{value}; }
  void u16(std::uint16_t value) { big_endian(value); }
  void u24(std::uint32_t value) {
    u8(static_cast<std::uint8_t>(value >> 16));
    u16(static_cast<std::uint16_t>(value & 0xffff));
  }
  void u32(std::uint32_t value) { big_endian(value); }
  void u64(std::uint64_t value) { big_endian(value); }
  void zeros(std::size_t octets) { at_ += octets; }  // as they were allocated

 private:
  template <class Number>
  void big_endian(Number number) {
    if constexpr (std::endian::native == std::endian::little) {
      if constexpr (sizeof number == 2) {
        number = __builtin_bswap16(number);
      } else if constexpr (sizeof number == 4) {
        number = __builtin_bswap32(number);
      } else {
        number = __builtin_bswap64(number);
      }
    }
    std::memcpy(at_, &number, sizeof number);
    at_ += sizeof number;
  }

  std::byte* at_;
};

class Writer {
 public:
  explicit Writer(Buffer& out) : out_(out), start_(out.size()) {}

  void u8(std::uint8_t value) { put(value, 1); }
  void u16(std::uint16_t value) { put(value, 2); }
  void u24(std::uint32_t value) { put(value, 3); }
  void u32(std::uint32_t value) { put(value, 4); }
  void u48(std::uint64_t value) { put(value, 6); }
  void u64(std::uint64_t value) { put(value, 8); }
  // Appends this many octets; fill them in before anything else is written.
  Room room(std::size_t octets) {
    const std::size_t begin = out_.size();
    out_.resize(begin + octets);
    return Room(out_.data() + begin);
  }
  void zeros(std::size_t octets) { out_.resize(out_.size() + octets); }
  void bytes(std::span<const std::byte> octets) {
    out_.insert(out_.end(), octets.begin(), octets.end());
  }

  // Octets written by this writer so far; offsets below count from its start.
  std::size_t size() const { return out_.size() - start_; }
  void patch_u16(std::size_t offset, std::uint16_t value) {
    out_[start_ + offset] = static_cast<std::byte>(value >> 8);
    out_[start_ + offset + 1] = static_cast<std::byte>(value & 0xff);
  }

 private:
  // Inserts all octets at once: a capacity check for each octet would dominate the time of
  // encoding.
  void put(std::uint64_t value, std::size_t octets) {
    std::array<std::byte, 8> bytes;
    for (std::size_t i = octets; i != 0; value >>= 8)
      bytes[--i] = static_cast<std::byte>(value & 0xff);
    out_.insert(out_.end(), bytes.begin(), bytes.begin() + octets);
  }

  Buffer& out_;
  std::size_t start_;
};

}  // namespace xbind::wire
