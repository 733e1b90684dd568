// How long a reply may become. ORBs take 2 MB as delivered, some less: no reply of ours exceeds 1
// MB (decision 0031). What can be longer is answered in pages, and a page ends where its octets
// do, also before as many entries as were asked for.
#pragma once

#include <omniORB4/CORBA.h>

#include <cstddef>

namespace xbind::orb {

// Of what a reply carries; GIOP's own header and a service context have the rest of 1 MB.
inline constexpr std::size_t kReplyOctetsMax = 900'000;

// Octets of a string in CDR, at most: its length, what aligns it, its end. For what is counted before it is
// converted: bounds of structs are sums of these and of 8 a number.
inline std::size_t cdr_string(std::size_t size) { return size + 8; }

// What a value of the contracts takes in CDR, wherever it begins: as the ORB marshals it.
template <class Value>
std::size_t octets_of(const Value& value) {
  static const cdrMemoryStream memory;  // knows the code set
  cdrCountingStream counted(memory.TCS_C(), memory.TCS_W());
  value >>= counted;
  return counted.total() + 7;
}

// Counts what goes into one reply.
class ReplyRoom {
 public:
  explicit ReplyRoom(std::size_t octets = kReplyOctetsMax) : left_(octets) {}

  // Whether an entry of at most so many octets still fits, and if so takes them. After a false one
  // the reply is full.
  bool take(std::size_t octets) {
    if (octets > left_) {
      left_ = 0;
      return false;
    }
    left_ -= octets;
    return true;
  }
  // How many entries of so many octets (1 or more) fit, at most `wanted`; takes them.
  std::size_t take_up_to(std::size_t wanted, std::size_t octets) {
    const std::size_t count = wanted < left_ / octets ? wanted : left_ / octets;
    left_ -= count * octets;
    return count;
  }

 private:
  std::size_t left_;
};

}  // namespace xbind::orb
