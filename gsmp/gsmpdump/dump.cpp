#include "gsmp/gsmpdump/dump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/utc_text.hpp"
#include "gsmp/codec.hpp"
#include "gsmp/print.hpp"

namespace xbind::gsmpdump {
namespace {

constexpr std::size_t kOctetsPerWord = 4;
constexpr std::size_t kOctetsPerLine = 32;

bool begins_with_frame(std::span<const std::byte> octets) {
  return octets.size() >= 2 && octets[0] == std::byte{gsmp::kFrameType >> 8} &&
         octets[1] == std::byte{gsmp::kFrameType & 0xff};
}

std::string line(const Seen& seen, std::string_view text) {
  if (seen.way.empty()) return std::string(text);
  return fmt::format("{} {} {}", to_string(seen.time), seen.way, text);
}

}  // namespace

std::string to_string(Micros time) { return utc_text(std::chrono::microseconds{time}); }

Dump::Dump(bool octets, std::function<void(std::string_view line)> out)
    : octets_(octets), out_(std::move(out)) {}

void Dump::message(const Seen& seen, std::span<const std::byte> octets) {
  const auto decoded = gsmp::decode(octets);
  if (decoded) {
    ++messages_;
    out_(line(seen, gsmp::to_string(*decoded)));
  } else {
    ++troubles_;
    out_(line(seen, fmt::format("not a message: {}; {} octets", gsmp::to_string(decoded.error()),
                                octets.size())));
  }
  if (!octets_) return;
  for (std::size_t at = 0; at < octets.size(); at += kOctetsPerLine) {
    const auto part = octets.subspan(at, std::min(kOctetsPerLine, octets.size() - at));
    std::string text = " ";
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (i % kOctetsPerWord == 0) text += ' ';
      text += fmt::format("{:02x}", std::to_integer<unsigned>(part[i]));
    }
    out_(text);
  }
}

void Dump::note(const Seen& seen, std::string_view text) { out_(line(seen, text)); }

void Dump::trouble(const Seen& seen, std::string_view text) {
  ++troubles_;
  note(seen, text);
}

void Stream::feed(const Seen& seen, std::span<const std::byte> chunk) {
  if (!in_step_) {
    if (!begins_with_frame(chunk)) {
      passed_over_ += chunk.size();
      return;
    }
    if (passed_over_ > 0) {
      dump_->trouble(seen, fmt::format("passed over: {} octets up to the next frame",
                                       std::exchange(passed_over_, 0)));
    }
    in_step_ = true;
  }
  incomplete_ += chunk.size();
  const auto broken = frames_.feed(chunk, [&](std::span<const std::byte> message) {
    incomplete_ -= gsmp::kFrameHeaderOctets + message.size();
    dump_->message(seen, message);
    return true;
  });
  if (!broken) return;
  dump_->trouble(seen, "broken stream: " + gsmp::to_string(*broken));
  lose_step();
}

void Stream::gap(const Seen& seen, std::uint64_t octets) {
  dump_->trouble(seen, fmt::format("gap: {} octets were not seen", octets));
  lose_step();
}

void Stream::end(const Seen& seen) {
  if (incomplete_ > 0) {
    dump_->trouble(seen, fmt::format("incomplete frame: the stream ends after {} octets of it",
                                     std::exchange(incomplete_, 0)));
  }
  if (passed_over_ > 0) {
    dump_->trouble(seen, fmt::format("passed over: {} octets up to the end of the stream",
                                     std::exchange(passed_over_, 0)));
  }
}

// Discards the incomplete frame: its rest is lost.
void Stream::lose_step() {
  passed_over_ += std::exchange(incomplete_, 0);
  frames_.reset();
  in_step_ = false;
}

void dump_typed(Dump& dump, std::span<const std::byte> octets) {
  const Seen typed;
  if (!begins_with_frame(octets)) {
    dump.message(typed, octets);
    return;
  }
  Stream stream(dump, true);
  stream.feed(typed, octets);
  stream.end(typed);
}

}  // namespace xbind::gsmpdump
