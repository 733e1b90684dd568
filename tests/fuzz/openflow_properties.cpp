#include "tests/fuzz/openflow_properties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <vector>

#include "core/overloaded.hpp"
#include "ovs/openflow/framing.hpp"
#include "ovs/openflow/messages.hpp"

namespace xbind::fuzz {
namespace {

using namespace ovs::openflow;
using Octets = std::span<const std::byte>;

struct Stream {
  std::vector<wire::Buffer> messages;
  std::optional<DecodeError> broken;
  friend bool operator==(const Stream&, const Stream&) = default;
};

Stream read_stream(Octets octets, std::size_t chunk) {
  Stream stream;
  Framer framer;
  while (!octets.empty()) {
    const Octets now = octets.first(std::min(chunk, octets.size()));
    octets = octets.subspan(now.size());
    stream.broken = framer.feed(now, [&stream](Octets message) {
      stream.messages.emplace_back(message.begin(), message.end());
      return true;
    });
  }
  return stream;
}

bool foreign_buckets(const std::vector<Bucket>& buckets) {
  return std::any_of(buckets.begin(), buckets.end(),
                     [](const Bucket& bucket) { return has_foreign(bucket.actions); });
}

template <class T, class Test>
bool any(const std::vector<T>& all, Test test) {
  return std::any_of(all.begin(), all.end(), test);
}

// Whether a part of the message is missing in its struct.
bool foreign(const Body& body) {
  return std::visit(
      Overloaded{
          [](const FlowMod& m) { return m.foreign || m.match.foreign || has_foreign(m.actions); },
          [](const FlowStatsRequest& m) { return m.match.foreign; },
          [](const FlowStatsReply& m) { return any(m.flows, is_foreign); },
          [](const GroupMod& m) { return m.foreign || foreign_buckets(m.buckets); },
          [](const GroupDescReply& m) {
            return any(m.groups,
                       [](const GroupDesc& g) { return g.foreign || foreign_buckets(g.buckets); });
          },
          [](const MeterMod& m) { return m.foreign; },
          [](const MeterConfigReply& m) {
            return any(m.meters, [](const MeterConfig& meter) { return meter.foreign; });
          },
          [](const Unknown&) { return true; },
          [](const auto&) { return false; },
      },
      body);
}

wire::Buffer encoded(const Message& message) {
  wire::Buffer out;
  std::visit(
      [&](const auto& body) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(body)>, Unknown>)
          encode(body, message.header.xid, out);
      },
      message.body);
  return out;
}

}  // namespace

std::optional<std::string> broken_by_openflow_message(Octets octets) {
  const auto message = decode(octets);
  if (!message) {
    const std::string words = to_string(message.error());
    if (!words.empty() && words.find('\n') == std::string::npos) return std::nullopt;
    return "a refusal whose text is not one line";
  }
  if (const auto* error = std::get_if<ovs::openflow::Error>(&message->body);
      error != nullptr && to_string(*error).empty())
    return "an error without a name";
  if (foreign(message->body)) return std::nullopt;
  const wire::Buffer once = encoded(*message);
  const auto again = decode(once);
  if (!again) return "the encoded message is refused: " + to_string(again.error());
  if (again->body != message->body || again->header.xid != message->header.xid)
    return fmt::format("a {} is not decoded as it was encoded", to_string(message->header.type));
  if (encoded(*again) != once)
    return fmt::format("encoding a {} is not stable", to_string(message->header.type));
  return std::nullopt;
}

std::optional<std::string> broken_by_openflow_body(Octets octets) {
  if (octets.size() < kHeaderOctets || octets.size() > kMessageOctetsMax) return std::nullopt;
  wire::Buffer message(octets.begin(), octets.end());
  message[0] = std::byte{kVersion};
  finish_message(0, message);
  return broken_by_openflow_message(message);
}

std::optional<std::string> broken_by_openflow_stream(Octets octets) {
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
