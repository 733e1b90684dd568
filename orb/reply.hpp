// Limits the size of replies. ORBs accept 2 MB by default, some less; none of our replies exceeds 1
// MB (decision 0031). Longer answers are split into pages. A page ends at this limit, even before
// it has as many entries as requested.
#pragma once

#include <omniORB4/CORBA.h>

#include <cstddef>

namespace xbind::orb {

// Limit of a reply's body; GIOP's header and a service context use the rest of 1 MB.
inline constexpr std::size_t kReplyOctetsMax = 900'000;

// Upper bound of a string's octets in CDR: its length, alignment and terminator. For sizes that are
// counted before the conversion: the bound of a struct is the sum of these and of 8 a number.
inline std::size_t cdr_string(std::size_t size) { return size + 8; }

// Upper bound of a value's octets in CDR, as the ORB marshals it, at any alignment.
template <class Value>
std::size_t octets_of(const Value& value) {
  static const cdrMemoryStream memory;  // has the code set
  cdrCountingStream counted(memory.TCS_C(), memory.TCS_W());
  value >>= counted;
  return counted.total() + 7;
}

// Counts the octets of one reply.
class ReplyRoom {
 public:
  explicit ReplyRoom(std::size_t octets = kReplyOctetsMax) : left_(octets) {}

  // Whether an entry of at most this many octets still fits; if so, reserves them. After a false
  // result the reply is full.
  bool take(std::size_t octets) {
    if (octets > left_) {
      left_ = 0;
      return false;
    }
    left_ -= octets;
    return true;
  }
  // Returns how many entries of this size (1 octet or more) fit, at most `wanted`, and reserves
  // their octets.
  std::size_t take_up_to(std::size_t wanted, std::size_t octets) {
    const std::size_t count = wanted < left_ / octets ? wanted : left_ / octets;
    left_ -= count * octets;
    return count;
  }

 private:
  std::size_t left_;
};

}  // namespace xbind::orb
