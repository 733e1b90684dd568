// The components of an emulated switch's faults, each by itself.
#include "emulator/faults.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "gsmp/codec.hpp"
#include "gsmp/framing.hpp"
#include "gsmp/messages/delete_branches.hpp"
#include "gsmp/messages/header.hpp"

namespace xbind::emulator {
namespace {

using namespace std::chrono_literals;
using gsmp::MessageType;
using gsmp::ResultField;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A frame with a header of section 3.1 and a body of `body` zero octets.
wire::Buffer frame_of(MessageType type, ResultField result, std::uint32_t transaction,
                      std::size_t body = 0) {
  wire::Buffer out;
  wire::Writer writer(out);
  writer.u16(0x880c);
  writer.u16(static_cast<std::uint16_t>(gsmp::kHeaderOctets + body));
  gsmp::Header header{.type = type, .result = result, .transaction = transaction};
  const std::size_t start = gsmp::begin_message(writer, header);
  for (std::size_t octet = 0; octet < body; ++octet) writer.u8(0);
  gsmp::finish_message(writer, start);
  return out;
}
wire::Buffer answer_of(std::uint32_t transaction) {
  return frame_of(MessageType::kAddBranch, ResultField::kSuccess, transaction);
}
wire::Buffer adjacency() { return frame_of(MessageType::kAdjacency, ResultField{}, 0, 20); }
wire::Buffer event() { return frame_of(MessageType::kPortDown, ResultField::kEvent, 0); }

void add(wire::Buffer& to, const wire::Buffer& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// The transactions of whole frames, in order; 0 for adjacency messages and events.
std::vector<std::uint32_t> transactions(std::span<const std::byte> octets) {
  std::vector<std::uint32_t> found;
  while (!octets.empty()) {
    const std::size_t size = frame_octets(octets);
    if (size == 0) {
      ADD_FAILURE() << "the frames do not end where they should";
      return found;
    }
    std::uint32_t transaction = 0;
    for (std::size_t at = 9; at < 12; ++at)
      transaction = transaction << 8 | std::to_integer<std::uint32_t>(octets[at]);
    found.push_back(transaction);
    octets = octets.subspan(size);
  }
  return found;
}

// ----- InputCutter ------------------------------------------------------------------------------

struct Cut {
  wire::Buffer straight;
  std::vector<wire::Buffer> frames;

  void feed(InputCutter& cutter, std::span<const std::byte> octets, bool cut) {
    cutter.feed(
        octets, cut,
        [&](std::span<const std::byte> part) {
          straight.insert(straight.end(), part.begin(), part.end());
        },
        [&](std::span<const std::byte> frame) { frames.emplace_back(frame.begin(), frame.end()); });
  }
};

TEST(InputCutter, WholeFramesWhateverTheChunks) {
  wire::Buffer stream;
  for (std::uint32_t transaction = 1; transaction <= 3; ++transaction)
    add(stream, answer_of(transaction));
  for (std::size_t chunk = 1; chunk <= stream.size(); ++chunk) {
    InputCutter cutter;
    Cut seen;
    for (std::size_t at = 0; at < stream.size(); at += chunk)
      seen.feed(cutter, std::span(stream).subspan(at, std::min(chunk, stream.size() - at)), true);
    ASSERT_THAT(seen.straight, IsEmpty()) << chunk;
    ASSERT_THAT(seen.frames, ElementsAre(answer_of(1), answer_of(2), answer_of(3))) << chunk;
  }
}

TEST(InputCutter, ChangesOverBetweenTwoFramesOnly) {
  const wire::Buffer first = answer_of(1);
  wire::Buffer both = first;
  add(both, answer_of(2));
  // If part of the first frame has gone straight through when cutting begins, all of it does.
  for (std::size_t gone = 0; gone <= first.size(); ++gone) {
    InputCutter cutter;
    Cut seen;
    seen.feed(cutter, std::span(both).first(gone), false);
    seen.feed(cutter, std::span(both).subspan(gone), true);
    if (gone == 0) {
      EXPECT_EQ(seen.frames.size(), 2U);
    } else {
      EXPECT_EQ(seen.straight, first) << gone;
      EXPECT_THAT(seen.frames, ElementsAre(answer_of(2))) << gone;
    }
  }
  // The other direction: a frame whose beginning was kept is cut out whole.
  InputCutter cutter;
  Cut seen;
  seen.feed(cutter, std::span(both).first(7), true);
  seen.feed(cutter, std::span(both).subspan(7), false);
  EXPECT_THAT(seen.frames, ElementsAre(first));
  EXPECT_EQ(seen.straight, answer_of(2));
}

TEST(InputCutter, WhatIsNoFrameIsTheReceiversBusiness) {
  const wire::Buffer nonsense(100, std::byte{0x55});
  InputCutter cutter;
  Cut seen;
  seen.feed(cutter, nonsense, true);
  seen.feed(cutter, nonsense, true);
  std::size_t octets = seen.straight.size();
  for (const wire::Buffer& frame : seen.frames) octets += frame.size();
  EXPECT_EQ(octets, 200U);
}

// ----- Processor --------------------------------------------------------------------------------

TEST(Processor, OneRequestAfterAnother) {
  Processor processor;
  const FaultSettings settings{.message_delay = 1ms, .connection_delay = 10ms};
  const TimePoint start{};
  processor.put(1, frame_of(MessageType::kPortConfiguration, ResultField::kAckAll, 1), start);
  processor.put(2, frame_of(MessageType::kAddBranch, ResultField::kAckAll, 2), start);
  processor.put(1, frame_of(MessageType::kAddBranch, ResultField::kAckAll, 3), start);

  EXPECT_EQ(processor.next_deadline(settings), start + 1ms);
  EXPECT_FALSE(processor.take(start + 1ms - 1ns, settings));
  EXPECT_EQ(processor.take(start + 1ms, settings)->connection, 1U);
  EXPECT_EQ(processor.next_deadline(settings), start + 12ms);  // for whichever controller
  EXPECT_EQ(processor.take(start + 50ms, settings)->connection, 2U);
  EXPECT_EQ(transactions(processor.take(start + 50ms, settings)->frame).at(0), 3U);
  EXPECT_EQ(processor.next_deadline(settings), kNever);
  // Idle time is not saved up: a new request is done 11 ms from now.
  processor.put(1, frame_of(MessageType::kAddBranch, ResultField::kAckAll, 4), start + 100ms);
  EXPECT_EQ(processor.next_deadline(settings), start + 111ms);
}

TEST(Processor, EachElementOfADeleteBranchesIsAnOperation) {
  Processor processor;
  const FaultSettings settings{.connection_delay = 10ms};
  gsmp::DeleteBranches deletes;
  deletes.header.type = MessageType::kDeleteBranches;
  deletes.header.transaction = 1;
  deletes.elements.resize(3);
  wire::Buffer request;
  gsmp::append_frame(request, deletes);
  processor.put(1, request, TimePoint{});
  EXPECT_EQ(processor.next_deadline(settings), TimePoint{} + 30ms);
}

TEST(Processor, KnowsWhatWaitsForWhom) {
  Processor processor;
  const wire::Buffer request = answer_of(1);
  processor.put(1, request, TimePoint{});
  processor.put(2, request, TimePoint{});
  processor.put(1, request, TimePoint{});
  EXPECT_EQ(processor.waiting(1), 2 * request.size());
  EXPECT_EQ(processor.drop(1), 2U);
  EXPECT_EQ(processor.waiting(1), 0U);
  EXPECT_EQ(processor.waiting(2), request.size());
  EXPECT_EQ(processor.take(TimePoint{}, {})->connection, 2U);
  EXPECT_EQ(processor.waiting(2), 0U);
}

// ----- SlowReader -------------------------------------------------------------------------------

TEST(SlowReader, NoMoreThanItsRateOverAnyTime) {
  for (const std::uint32_t rate : {1U, 7U, 10U, 999U, 1'000'000U}) {
    SlowReader reader;
    TimePoint now{};
    std::uint64_t read = 0;
    reader.tick(now, rate);
    while (now < TimePoint{} + 20s) {
      read += reader.allowance();  // a peer that always has more to send
      reader.read(reader.allowance());
      ASSERT_EQ(reader.allowance(), 0U);
      now = reader.next_deadline();
      reader.tick(now, rate);
      ASSERT_GT(reader.allowance(), 0U) << "rate " << rate;
    }
    EXPECT_LE(read, 20ULL * rate + rate / 10 + 1) << "rate " << rate;
    EXPECT_GE(read, 19ULL * rate) << "rate " << rate;
  }
}

TEST(SlowReader, SilenceIsNotSavedUp) {
  SlowReader reader;
  reader.tick(TimePoint{}, 1000);
  reader.tick(TimePoint{} + 60s, 1000);
  EXPECT_EQ(reader.allowance(), 100U);
}

TEST(SlowReader, OffIsUnlimitedAtOnce) {
  SlowReader reader;
  reader.tick(TimePoint{}, 1000);
  reader.tick(TimePoint{}, 0);
  EXPECT_EQ(reader.allowance(), kUnlimited);
  reader.read(1'000'000);
  EXPECT_EQ(reader.allowance(), kUnlimited);
  EXPECT_EQ(reader.next_deadline(), kNever);
  reader.tick(TimePoint{} + 1s, 1000);  // and on again
  EXPECT_EQ(reader.allowance(), 100U);
}

// ----- AnswerPipe -------------------------------------------------------------------------------

class Pipe : public ::testing::Test {
 protected:
  void put(const wire::Buffer& frames) { pipe.put(frames, now, settings, random, counters); }
  std::vector<std::uint32_t> taken() {
    wire::Buffer out;
    pipe.take(out, now, settings, counters);
    return transactions(out);
  }
  void always_hold(std::uint32_t behind) {  // with the same number of other answers first
    settings.reorder = 1;
    chance = {0, behind - 1};
    drawn = 0;
  }

  TimePoint now{};
  FaultSettings settings;
  FaultCounters counters;
  std::vector<std::uint32_t> chance;  // the random numbers in order, followed by 0xffffffff
  std::size_t drawn = 0;
  std::function<std::uint32_t()> random = [this] {
    return drawn < chance.size() ? chance[drawn++] : 0xffffffff;
  };
  AnswerPipe pipe;
};

TEST_F(Pipe, WithoutFaultsEverythingGoesAsItCame) {
  wire::Buffer frames = answer_of(1);
  add(frames, adjacency());
  add(frames, answer_of(2));
  put(frames);
  wire::Buffer out;
  pipe.take(out, now, settings, counters);
  EXPECT_EQ(out, frames);
  EXPECT_EQ(pipe.waiting(), 0U);
  EXPECT_EQ(pipe.next_deadline(settings), kNever);
}

TEST_F(Pipe, AnAnswerIsOvertakenByAsManyAsWereDrawn) {
  settings.reorder = 0.999;
  chance = {0, 1};  // the first answer is held back behind two; the others are not held
  for (std::uint32_t transaction = 1; transaction <= 4; ++transaction) put(answer_of(transaction));
  EXPECT_THAT(taken(), ElementsAre(2, 3, 1, 4));
  EXPECT_EQ(counters.reordered, 1U);
}

TEST_F(Pipe, NoAnswerCrossesAnAdjacencyMessage) {
  always_hold(8);
  put(answer_of(1));
  EXPECT_THAT(taken(), IsEmpty());
  put(adjacency());
  EXPECT_THAT(taken(), ElementsAre(1, 0));
}

TEST_F(Pipe, PartsOfOneAnswerKeepTheirOrder) {
  always_hold(8);
  put(answer_of(7));
  put(answer_of(7));
  EXPECT_THAT(taken(), ElementsAre(7, 7));
}

TEST_F(Pipe, EventsAreNotHeldBack) {
  always_hold(8);
  put(answer_of(1));
  put(event());
  EXPECT_THAT(taken(), ElementsAre(0));
}

TEST_F(Pipe, WhoeverIsNotOvertakenGoesByItself) {
  always_hold(8);
  put(answer_of(1));
  EXPECT_EQ(pipe.next_deadline(settings), now + AnswerPipe::kHeldFor);
  now += AnswerPipe::kHeldFor;
  pipe.tick(now, settings);
  EXPECT_THAT(taken(), ElementsAre(1));
  EXPECT_EQ(counters.reordered, 0U);
}

TEST_F(Pipe, NoMoreAreHeldBackThanTheBound) {
  always_hold(8);
  for (std::uint32_t transaction = 1; transaction <= AnswerPipe::kHeldMax; ++transaction) {
    put(answer_of(transaction));
  }
  EXPECT_THAT(taken(), IsEmpty());
  put(answer_of(99));
  EXPECT_THAT(taken(), ElementsAre(99));
}

TEST_F(Pipe, TheSameSeedReordersAlikeAndLosesNothing) {
  const auto run = [](std::uint64_t seed) {
    std::mt19937_64 bits(seed);
    const std::function<std::uint32_t()> draw = [&] { return static_cast<std::uint32_t>(bits()); };
    AnswerPipe one;
    const FaultSettings set{.reorder = 0.3};
    FaultCounters met;
    for (std::uint32_t transaction = 1; transaction <= 1000; ++transaction)
      one.put(answer_of(transaction), TimePoint{}, set, draw, met);
    one.tick(TimePoint{} + AnswerPipe::kHeldFor, set);
    wire::Buffer out;
    one.take(out, TimePoint{}, set, met);
    return transactions(out);
  };
  const auto once = run(5);
  EXPECT_EQ(once, run(5));
  EXPECT_NE(once, run(6));
  EXPECT_FALSE(std::ranges::is_sorted(once));
  auto sorted = once;
  std::ranges::sort(sorted);
  for (std::uint32_t index = 0; index < 1000; ++index) ASSERT_EQ(sorted.at(index), index + 1);
  // At most kHeldMax answers are displaced at a time, each by at most kWindow.
  for (std::size_t index = 0; index < once.size(); ++index) {
    EXPECT_LE(std::abs(static_cast<int>(once[index]) - static_cast<int>(index + 1)),
              static_cast<int>(AnswerPipe::kHeldMax + AnswerPipe::kWindow));
  }
}

TEST_F(Pipe, TheNextPieceWaitsForThePause) {
  settings.partial_octets = 7;
  put(answer_of(1));
  wire::Buffer piece;
  pipe.take(piece, now, settings, counters);
  EXPECT_EQ(piece.size(), 7U);
  wire::Buffer early;
  pipe.take(early, now, settings, counters);
  EXPECT_THAT(early, IsEmpty());
  EXPECT_EQ(pipe.next_deadline(settings), now + AnswerPipe::kPieceGap);
}

TEST_F(Pipe, PiecesOneAfterAnotherWithAPauseBetween) {
  settings.partial_octets = 7;
  const wire::Buffer frame = answer_of(1);  // 16 octets
  put(frame);
  wire::Buffer all;
  std::vector<std::size_t> sizes;
  while (pipe.waiting() > 0) {
    wire::Buffer piece;
    pipe.take(piece, now, settings, counters);
    if (piece.empty()) {
      ASSERT_GT(pipe.next_deadline(settings), now);
      now = pipe.next_deadline(settings);
      continue;
    }
    sizes.push_back(piece.size());
    add(all, piece);
  }
  EXPECT_THAT(sizes, ElementsAre(7, 7, 2));
  EXPECT_EQ(all, frame);
  EXPECT_EQ(counters.pieces, 3U);
}

TEST_F(Pipe, PiecesSwitchedOffInTheMiddleSendTheRest) {
  settings.partial_octets = 5;
  put(answer_of(1));
  wire::Buffer piece;
  pipe.take(piece, now, settings, counters);
  settings.partial_octets = 0;
  wire::Buffer rest;
  pipe.take(rest, now, settings, counters);
  add(piece, rest);
  EXPECT_EQ(piece, answer_of(1));
}

TEST_F(Pipe, SilenceSwallowsAllButKnowsTheLastAdjacencyMessage) {
  settings.silent = true;
  put(adjacency());
  put(answer_of(1));
  EXPECT_THAT(taken(), IsEmpty());
  EXPECT_EQ(counters.unsaid, 2U);
  EXPECT_EQ(pipe.last_adjacency().size(), adjacency().size() - 4);
}

}  // namespace
}  // namespace xbind::emulator
