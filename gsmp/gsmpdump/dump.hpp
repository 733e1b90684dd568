// Prints GSMP messages as lines of text, with the codec of the SwitchServer and the emulated
// switch.
//
// A line is "TIME FROM > TO words" for captured octets, and "words" alone for typed octets. Octets
// that are no message also give a line: "not a message: label length 8, not 4". With `octets`, the
// message's octets follow as hexadecimal text that gsmpdump can read.
//
// Not thread-safe. Uses no clock, file or socket.
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

std::string to_string(Micros time);  // "2002-06-30 12:00:00.000001 UTC"

// When and where a message was captured. Typed octets have no way: the line has the words only.
struct Seen {
  Micros time = 0;
  std::string way;  // "127.0.0.1:40000 > 127.0.0.1:6068"
};

class Dump {
 public:
  // `out` is called with whole lines, without line ends.
  Dump(bool octets, std::function<void(std::string_view line)> out);

  void message(const Seen& seen, std::span<const std::byte> octets);
  // A remark about the stream, not a message of it: "gap: ...".
  void note(const Seen& seen, std::string_view text);
  // The same for a fault that makes octets unreadable.
  void trouble(const Seen& seen, std::string_view text);

  std::uint64_t messages() const { return messages_; }
  // Lines printed for octets that are no message, and by trouble().
  std::uint64_t troubles() const { return troubles_; }

 private:
  bool octets_;
  std::function<void(std::string_view)> out_;
  std::uint64_t messages_ = 0;
  std::uint64_t troubles_ = 0;
};

// One direction of a TCP connection: splits it into messages. After a gap, a broken stream or a
// start in mid-stream, it waits for a chunk that begins with a frame header and reports the octets
// skipped. Holds one incomplete frame at most.
class Stream {
 public:
  // `from_the_start`: false when the first octets may lie inside a frame.
  Stream(Dump& dump, bool from_the_start) : dump_(&dump), in_step_(from_the_start) {}

  void feed(const Seen& seen, std::span<const std::byte> chunk);
  void gap(const Seen& seen, std::uint64_t octets);
  // The stream has ended: reports an incomplete frame.
  void end(const Seen& seen);

 private:
  void lose_step();

  Dump* dump_;
  gsmp::FrameReader frames_;
  bool in_step_;
  std::uint64_t incomplete_ = 0;   // octets received of the incomplete frame
  std::uint64_t passed_over_ = 0;  // octets skipped since synchronization was lost
};

// Prints typed octets: frames if they begin with a frame header, otherwise one message.
void dump_typed(Dump& dump, std::span<const std::byte> octets);

}  // namespace xbind::gsmpdump
