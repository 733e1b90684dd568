#include "tests/fuzz/gsmp_properties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "gsmp/codec.hpp"
#include "gsmp/failure_response.hpp"
#include "gsmp/framing.hpp"
#include "gsmp/print.hpp"

namespace xbind::fuzz {
namespace {

using Octets = std::span<const std::byte>;

bool one_line(const std::string& words) {
  return !words.empty() && words.find('\n') == std::string::npos;
}

std::optional<std::string> broken_by_copy(Octets octets) {
  const bool version_1 = !octets.empty() && octets[0] == std::byte{gsmp::v1::kVersion};
  const std::size_t least = version_1 ? gsmp::v1::kHeaderOctets : gsmp::kHeaderOctets;
  if (octets.size() < least) return std::nullopt;
  wire::Buffer copy;
  gsmp::append_failure(copy, octets, gsmp::FailureCode::kInvalidMessage);
  const auto header = gsmp::decode_header(Octets(copy).subspan(gsmp::kFrameHeaderOctets));
  if (!header && header.error().refusal == gsmp::Refusal::kLengthField) {
    return "the copy of a request: " + gsmp::to_string(header.error());
  }
  if (version_1 && (!header || header->header.code != gsmp::FailureCode::kInvalidMessage ||
                    header->body.size() != octets.size() - gsmp::v1::kHeaderOctets)) {
    return "the copy of a request of version 1.1 is not its failure 2";
  }
  return std::nullopt;
}

struct Stream {
  std::vector<wire::Buffer> messages;
  std::optional<gsmp::DecodeError> broken;
  friend bool operator==(const Stream&, const Stream&) = default;
};

Stream read_stream(Octets octets, std::size_t chunk) {
  Stream stream;
  gsmp::FrameReader reader;
  while (!octets.empty()) {
    const Octets now = octets.first(std::min(chunk, octets.size()));
    octets = octets.subspan(now.size());
    stream.broken = reader.feed(now, [&stream](Octets message) {
      stream.messages.emplace_back(message.begin(), message.end());
      return true;
    });
  }
  return stream;
}

}  // namespace

std::optional<std::string> broken_by_message(Octets octets) {
  if (auto broken = broken_by_copy(octets)) return broken;
  const auto message = gsmp::decode(octets);
  if (!message) {
    if (one_line(gsmp::to_string(message.error()))) return std::nullopt;
    return "a refusal whose text is not one line";
  }
  const std::string words = gsmp::to_string(*message);
  if (!one_line(words)) return "a message that is not one line: " + words;
  wire::Buffer once;
  wire::Writer writer(once);
  gsmp::encode(*message, writer);
  if (once.size() > octets.size() + 4) {
    return fmt::format("{} octets written of {} read: {}", once.size(), octets.size(), words);
  }
  const auto again = gsmp::decode(once);
  if (!again)
    return fmt::format("the encoded message is refused ({}): {}", gsmp::to_string(again.error()),
                       words);
  if (*again != *message) {
    return fmt::format("read {}, written and read {}", words, gsmp::to_string(*again));
  }
  wire::Buffer twice;
  wire::Writer second(twice);
  gsmp::encode(*again, second);
  return twice == once ? std::nullopt : std::optional("encoding is not stable: " + words);
}

std::optional<std::string> broken_by_stream(Octets octets) {
  const Stream whole = read_stream(octets, octets.size());
  for (const std::size_t chunk : {1U, 3U, 5U, 64U}) {
    if (read_stream(octets, chunk) != whole) {
      return fmt::format("{} messages in one chunk, a different result in chunks of {} octets",
                         whole.messages.size(), chunk);
    }
  }
  return std::nullopt;
}

}  // namespace xbind::fuzz
