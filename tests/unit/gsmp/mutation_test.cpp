// Every worked message shortened, altered and with false lengths. The decoder returns a
// named refusal, or a message that it can encode and decode again
// (tests/fuzz/gsmp_properties.hpp lists the properties).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "tests/fuzz/gsmp_properties.hpp"
#include "tests/unit/gsmp/hex.hpp"

namespace xbind::gsmp {
namespace {

// The messages of all versions, without frame headers.
std::vector<std::pair<std::string, wire::Buffer>> worked_messages() {
  std::vector<std::pair<std::string, wire::Buffer>> messages;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::golden_path(""))) {
    if (entry.path().extension() != ".hex") continue;
    wire::Buffer octets = test::from_hex(test::read_text(entry.path()));
    if (octets[0] == std::byte{kFrameType >> 8}) {
      octets.erase(octets.begin(), octets.begin() + kFrameHeaderOctets);
    }
    messages.emplace_back(entry.path().stem(), std::move(octets));
  }
  std::sort(messages.begin(), messages.end());
  return messages;
}

void set_u16(wire::Buffer& octets, std::size_t at, std::size_t value) {
  octets.at(at) = static_cast<std::byte>(value >> 8);
  octets.at(at + 1) = static_cast<std::byte>(value & 0xff);
}
std::size_t u16_at(const wire::Buffer& octets, std::size_t at) {
  return std::to_integer<std::size_t>(octets[at]) << 8 |
         std::to_integer<std::size_t>(octets[at + 1]);
}

void expect_held(const std::string& what, const wire::Buffer& octets) {
  const auto broken = fuzz::broken_by_message(octets);
  EXPECT_FALSE(broken) << what << ": " << *broken << "\n" << test::to_hex(octets);
}

TEST(Mutation, HasAllMessagesToWorkOn) { EXPECT_GE(worked_messages().size(), 55U); }

TEST(Mutation, CutAnywhereAndHonestAboutIt) {
  for (const auto& [id, whole] : worked_messages()) {
    for (std::size_t octets = 0; octets <= whole.size(); ++octets) {
      wire::Buffer cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(octets));
      expect_held(id + " cut", cut);
      if (octets < kHeaderOctets) continue;
      set_u16(cut, 10, octets);
      expect_held(id + " cut, true length", cut);
      cut[2] = std::byte{3};
      expect_held(id + " cut, as a success", cut);
    }
  }
}

TEST(Mutation, LongerThanItNeedsToBe) {
  for (const auto& [id, whole] : worked_messages()) {
    if (whole.size() < kHeaderOctets) continue;
    for (std::size_t more = 1; more <= 64; ++more) {
      wire::Buffer longer = whole;
      longer.resize(whole.size() + more, std::byte{0xa5});
      expect_held(id + " with a tail", longer);
      set_u16(longer, 10, longer.size());
      expect_held(id + " with additional data", longer);
    }
  }
}

TEST(Mutation, EachOctetSomethingElse) {
  for (const auto& [id, whole] : worked_messages()) {
    for (std::size_t at = 0; at < whole.size(); ++at) {
      const int was = std::to_integer<int>(whole[at]);
      for (const int octet : {0x00, 0xff, was + 1, was - 1, was ^ 0x80}) {
        wire::Buffer bent = whole;
        bent[at] = static_cast<std::byte>(octet);
        expect_held(id + " bent", bent);
      }
    }
  }
}

// Counts and lengths are 16 bits on even offsets: each pair of octets is treated as one.
TEST(Mutation, EachLengthALie) {
  for (const auto& [id, whole] : worked_messages()) {
    for (std::size_t at = 0; at + 1 < whole.size(); at += 2) {
      const std::size_t was = u16_at(whole, at);
      for (const std::size_t lie :
           {std::size_t{0}, std::size_t{1}, std::size_t{0x7fff}, std::size_t{0xffff}, was + 1,
            was - 1, was + 4, was - 4, was + 12, was * 2, whole.size(), whole.size() - at}) {
        wire::Buffer lying = whole;
        set_u16(lying, at, lie & 0xffff);
        expect_held(id + " lying", lying);
      }
    }
  }
}

TEST(Mutation, EachTypeWithTheBodyOfEachOther) {
  for (const auto& [id, whole] : worked_messages()) {
    for (int type = 0; type <= 0xff; ++type) {
      for (const int result : {0, 2, 3, 4}) {
        wire::Buffer other = whole;
        other[1] = static_cast<std::byte>(type);
        other[2] = static_cast<std::byte>(result);
        expect_held(id + " as another", other);
      }
    }
  }
}

TEST(Mutation, SeveralAtOnce) {
  std::mt19937 random(1);
  for (const auto& [id, whole] : worked_messages()) {
    for (int round = 0; round < 1000; ++round) {
      wire::Buffer message = whole;
      for (int hits = 1 + static_cast<int>(random() % 4); hits > 0; --hits) {
        message[random() % message.size()] = static_cast<std::byte>(random());
      }
      message.resize(1 + random() % (message.size() + 16));
      if (message.size() >= kHeaderOctets && random() % 2 == 0) {
        set_u16(message, 10, message.size());
      }
      expect_held(id + " damaged", message);
    }
  }
}

TEST(Mutation, StreamsCutIntoOtherChunks) {
  std::mt19937 random(2);
  const auto messages = worked_messages();
  for (int round = 0; round < 300; ++round) {
    wire::Buffer stream;
    for (int i = 0; i < 4; ++i) {
      const wire::Buffer& message = messages[random() % messages.size()].second;
      wire::Writer frame(stream);
      frame.u16(kFrameType);
      frame.u16(static_cast<std::uint16_t>(message.size() + (random() % 8 == 0 ? 1 : 0)));
      frame.bytes(message);
    }
    if (round % 3 == 0) stream[random() % stream.size()] = static_cast<std::byte>(random());
    const auto broken = fuzz::broken_by_stream(stream);
    EXPECT_FALSE(broken) << *broken << "\n" << test::to_hex(stream);
  }
}

}  // namespace
}  // namespace xbind::gsmp
