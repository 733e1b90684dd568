// gsmp_bench: Add Branch messages per second that one core encodes and decodes.
//
//   gsmp_bench [MESSAGES] of each measurement; 10 million by default
//
// The round trip encodes a message as a frame, finds the frame in the stream and decodes it through
// the codec's table. A buffer has 64 messages, as a pipelining controller sends them, each with
// another label. The encoding figure only writes such buffers; the decoding figure reads one buffer
// repeatedly. Each figure is the median of five interleaved rounds.
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include "core/bench.hpp"
#include "core/steady_now.hpp"
#include "gsmp/codec.hpp"
#include "gsmp/framing.hpp"

namespace xbind::gsmp {
namespace {

constexpr std::size_t kRounds = 5;
constexpr std::size_t kBatch = 64;

using Rounds = std::array<double, kRounds>;

template <class Work>
double per_second(std::size_t count, const Work& work) {
  const TimePoint begin = steady_now();
  work();
  return static_cast<double>(count) / std::chrono::duration<double>(steady_now() - begin).count();
}

AddBranch worked_branch(bool with_service) {
  AddBranch message;
  message.port_session = 0x5eed0001;
  message.input_port = PortId(1);
  message.output_port = PortId(2);
  if (with_service) {
    set_service(message, ServiceId::kCbr1, 1, {kTcPolicing, CellRate{4528, 250}});
  }
  return message;
}

void label(AddBranch& message, std::size_t number) {
  message.header.transaction = static_cast<std::uint32_t>(number & kTransactionMax);
  message.input_label = label_field(atm_label(0, static_cast<std::uint32_t>(number & 0xffff)));
  message.output_label =
      label_field(atm_label(0, static_cast<std::uint32_t>((number + 1) & 0xffff)));
}

std::uint64_t mark(const AddBranch& message) {
  return message.input_label.value + message.header.transaction;
}

// Appends up to kBatch messages from number `sent` on, `count` in total. Returns the sum of their
// marks.
std::uint64_t write_batch(AddBranch& message, wire::Buffer& stream, std::size_t& sent,
                          std::size_t count) {
  std::uint64_t written = 0;
  for (std::size_t i = 0; i < kBatch && sent < count; ++i, ++sent) {
    label(message, sent);
    written += mark(message);
    append_frame(stream, message);
  }
  return written;
}

std::uint64_t read_all(FrameReader& reader, std::span<const std::byte> stream) {
  std::uint64_t read = 0;
  reader.feed(stream, [&read](std::span<const std::byte> octets) {
    const Decoded<Message> decoded = decode(octets);
    const AddBranch* branch = decoded ? std::get_if<AddBranch>(&*decoded) : nullptr;
    if (branch == nullptr) return false;
    read += mark(*branch);
    return true;
  });
  return read;
}

double encodings(AddBranch message, std::size_t count, bool& wrong) {
  wire::Buffer stream;
  std::uint64_t octets = 0;
  const double rate = per_second(count, [&] {
    for (std::size_t sent = 0; sent < count;) {
      stream.clear();
      write_batch(message, stream, sent, count);
      octets += stream.size();
    }
  });
  wire::Buffer one;
  append_frame(one, message);
  wrong |= octets != one.size() * count;
  return rate;
}

// `count` is rounded up to whole buffers.
double decodings(AddBranch message, std::size_t count, bool& wrong) {
  wire::Buffer stream;
  std::size_t sent = 0;
  const std::uint64_t written = write_batch(message, stream, sent, kBatch);
  const std::size_t batches = (count + kBatch - 1) / kBatch;
  FrameReader reader;
  std::uint64_t read = 0;
  const double rate = per_second(batches * kBatch, [&] {
    for (std::size_t batch = 0; batch < batches; ++batch) read += read_all(reader, stream);
  });
  wrong |= read != written * batches;
  return rate;
}

// Messages per second. Sets `wrong` if the decoded messages differ from the encoded ones.
double round_trips(AddBranch message, std::size_t count, bool& wrong) {
  wire::Buffer stream;
  FrameReader reader;
  std::uint64_t written = 0;
  std::uint64_t read = 0;
  const double rate = per_second(count, [&] {
    for (std::size_t sent = 0; sent < count;) {
      stream.clear();
      written += write_batch(message, stream, sent, count);
      read += read_all(reader, stream);
    }
  });
  wrong |= written != read;
  return rate;
}

struct Figures {
  Rounds encoded{};
  Rounds decoded{};
  Rounds both{};

  void take(std::size_t round, const AddBranch& message, std::size_t count, bool& wrong) {
    encoded[round] = encodings(message, count, wrong);
    decoded[round] = decodings(message, count, wrong);
    both[round] = round_trips(message, count, wrong);
  }
  void print(std::string_view what) const {
    for (const auto& [how, rounds] :
         {std::pair("encoded", encoded), {"decoded", decoded}, {"encoded and decoded", both}}) {
      fmt::print("Add Branch, {:<11} {:<19} {:6.2f} M messages/s {:6.1f} ns\n", what, how,
                 median(rounds) / 1e6, 1e9 / median(rounds));
    }
  }
};

int run(std::size_t count) {
  bool wrong = false;
  Figures priority;
  Figures service;
  for (std::size_t round = 0; round < kRounds; ++round) {
    priority.take(round, worked_branch(false), count, wrong);
    service.take(round, worked_branch(true), count, wrong);
  }
  priority.print("priority");
  service.print("CBR service");
  if (wrong)
    fmt::print(stderr, "the messages read differ from those written: the figures are invalid\n");
  return wrong ? 1 : 0;
}

}  // namespace
}  // namespace xbind::gsmp

int main(int argc, char** argv) {
  const auto count =
      xbind::bench_argument<std::size_t>(argc, argv, "gsmp_bench [MESSAGES]", 10'000'000);
  return count ? xbind::gsmp::run(*count) : 2;
}
