// Every golden message shortened and altered. The decoder returns a named refusal, or a message
// that it can encode and decode again (tests/fuzz/openflow_properties.hpp lists the properties).
#include <gtest/gtest.h>

#include <random>

#include "tests/fuzz/openflow_properties.hpp"
#include "tests/unit/ovs/openflow/golden.hpp"

namespace xbind::ovs::openflow {
namespace {

void expect_held(const std::string& what, const wire::Buffer& octets) {
  auto broken = fuzz::broken_by_openflow_message(octets);
  if (!broken) broken = fuzz::broken_by_openflow_body(octets);
  EXPECT_FALSE(broken) << what << ": " << *broken << "\n" << test::to_hex(octets);
}

TEST(Mutation, CutAnywhere) {
  for (const std::string& id : test::golden_ids()) {
    wire::Buffer octets = test::golden(id);
    for (; !octets.empty(); octets.pop_back()) expect_held(id + " cut", octets);
  }
}

TEST(Mutation, EveryOctetAltered) {
  for (const std::string& id : test::golden_ids()) {
    const wire::Buffer whole = test::golden(id);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      wire::Buffer altered = whole;
      for (const unsigned value : {0U, 1U, 4U, 7U, 8U, 0x7fU, 0x80U, 0xffU}) {
        altered[at] = static_cast<std::byte>(value);
        expect_held(id + " altered", altered);
      }
    }
  }
}

TEST(Mutation, ManyOctetsAltered) {
  std::mt19937 random(1);  // NOLINT: a fixed seed, so that a failure can be repeated
  const auto below = [&random](std::size_t bound) { return random() % bound; };
  for (const std::string& id : test::golden_ids()) {
    const wire::Buffer whole = test::golden(id);
    for (int round = 0; round < 500; ++round) {
      wire::Buffer octets = whole;
      const std::size_t changes = 1 + below(6);
      for (std::size_t change = 0; change < changes; ++change)
        octets[below(octets.size())] = static_cast<std::byte>(below(256));
      expect_held(id + " altered", octets);
    }
  }
}

TEST(Mutation, AStreamInAnyChunks) {
  wire::Buffer stream;
  for (const std::string& id : test::golden_ids()) {
    const wire::Buffer message = test::golden(id);
    stream.insert(stream.end(), message.begin(), message.end());
  }
  const auto broken = fuzz::broken_by_openflow_stream(stream);
  EXPECT_FALSE(broken) << *broken;
}

}  // namespace
}  // namespace xbind::ovs::openflow
