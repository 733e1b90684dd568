// GSMP as lines of words, through the codec that the SwitchServer and the emulated switch use.
//
// A line is "TIME FROM > TO words" for what was seen on the way, "words" alone for octets that were
// typed in. What is not a message is a line too: "not a message: label length 8, not 4". With
// `octets` the message's octets follow below, as they can be fed in again.
//
// Not thread-safe. Nothing here reads a clock, a file or a socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gsmp/framing.hpp"

namespace xbind::gsmpdump {

using Micros = std::int64_t;  // since 1970-01-01 00:00 UTC

std::string to_string(Micros time);  // "2002-06-30 12:00:00.000001", UTC

// Where a message was seen. Without a way (typed in) nothing stands before the words.
struct Seen {
  Micros time = 0;
  std::string way;  // "127.0.0.1:40000 > 127.0.0.1:6068"
};

class Dump {
 public:
  // `out` is called with whole lines, without their ends.
  Dump(bool octets, std::function<void(std::string_view line)> out);

  void message(const Seen& seen, std::span<const std::byte> octets);
  // Something about the stream rather than of it: "gap: ...".
  void note(const Seen& seen, std::string_view text);
  // The same, for what keeps octets from being read.
  void trouble(const Seen& seen, std::string_view text);

  std::uint64_t messages() const { return messages_; }
  // Lines of message() that were none, and of trouble().
  std::uint64_t troubles() const { return troubles_; }

 private:
  bool octets_;
  std::function<void(std::string_view)> out_;
  std::uint64_t messages_ = 0;
  std::uint64_t troubles_ = 0;
};

// One direction of a TCP connection: cuts what comes into messages. After a gap, a broken stream or
// a start in the middle it waits for a chunk that begins with a frame header, and says what it
// passed over. Holds one incomplete frame at most.
class Stream {
 public:
  // `from_the_start`: false when the first octets may lie inside a frame.
  Stream(Dump& dump, bool from_the_start) : dump_(&dump), in_step_(from_the_start) {}

  void feed(const Seen& seen, std::span<const std::byte> chunk);
  void gap(const Seen& seen, std::uint64_t octets);
  // The stream has ended: an incomplete frame is told of.
  void end(const Seen& seen);

 private:
  void lose_step();

  Dump* dump_;
  gsmp::FrameReader frames_;
  bool in_step_;
  std::uint64_t incomplete_ = 0;   // octets of the frame that has begun
  std::uint64_t passed_over_ = 0;  // octets since step was lost
};

// Octets that were typed in: one message or, when they begin with a frame header, frames.
void dump_typed(Dump& dump, std::span<const std::byte> octets);

}  // namespace xbind::gsmpdump
