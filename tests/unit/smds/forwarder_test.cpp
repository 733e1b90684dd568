#include "smds/forwarder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/smds/pdus.hpp"

namespace xbind::smds {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// One server of a network, all of whose lines are connected: a, b, then its neighbours in the order
// of the file.
class AtServer {
 public:
  AtServer(const Network& network, const std::string& name)
      : forwarder(network, server_index(network, name).value(), {}) {
    for (PortIndex port = 0; port < forwarder.ports().size(); ++port) {
      forwarder.set_connected(port, true);
    }
  }

  PortIndex port(std::string_view name) const {
    for (PortIndex at = 0; at < forwarder.ports().size(); ++at) {
      if (forwarder.ports()[at].name == name) return at;
    }
    ADD_FAILURE() << name;
    return 0;
  }
  Fate from(std::string_view line, const wire::Buffer& frame, TimePoint now = {}) {
    forwarder.decide(port(line), frame, now, decision);
    return decision.fate;
  }
  // As a neighbour sends it.
  Fate by_trunk(std::string_view line, std::uint16_t ingress, const wire::Buffer& pdu,
                std::uint8_t hops = 5) {
    const EnvelopeImage head = image_of({.hops = hops, .ingress = ingress});
    wire::Buffer frame(head.begin(), head.end());
    frame.insert(frame.end(), pdu.begin(), pdu.end());
    return from(line, frame);
  }
  std::vector<std::string> out() const {
    std::vector<std::string> names;
    for (const PortIndex at : decision.out) names.push_back(forwarder.ports()[at].name);
    return names;
  }
  const PortCounters& counters(std::string_view line) const {
    return forwarder.counters()[port(line)];
  }

  Forwarder forwarder;
  Decision decision;
};

TEST(ForwarderTest, ASubscriberReachesItsOwnServersAndOthers) {
  AtServer s1(network_of(ring_of_four()), "s1");
  EXPECT_EQ(s1.from("a1", pdu_of("C11", "C12")), Fate::kForwarded);
  EXPECT_THAT(s1.out(), ElementsAre("b1"));
  EXPECT_EQ(s1.from("a1", pdu_of("C11", "C21")), Fate::kForwarded);
  EXPECT_THAT(s1.out(), ElementsAre("s2"));
  EXPECT_EQ(s1.decision.envelope, (Envelope{.hops = kHopsFirst, .ingress = 10}));
  EXPECT_EQ(s1.from("a1", pdu_of("C11", "C31")), Fate::kForwarded);
  EXPECT_THAT(s1.out(), ElementsAre("s2"));
  EXPECT_EQ(s1.from("a1", pdu_of("C11", "C41")), Fate::kForwarded);
  EXPECT_THAT(s1.out(), ElementsAre("s4"));
  EXPECT_EQ(s1.counters("a1").received_individual, 4U);
  EXPECT_EQ(s1.counters("a1").received_octets, 20U);
}

TEST(ForwarderTest, TheLongestPrefixDecides) {
  AtServer s1(network_of(ring_of_four("[[prefix]]\nprefix = \"C94\"\nserver = \"s4\"\n")), "s1");
  EXPECT_EQ(s1.from("a1", pdu_of("C11", "C95")), Fate::kForwarded);
  EXPECT_THAT(s1.out(), ElementsAre("s2"));
  EXPECT_EQ(s1.from("a1", pdu_of("C11", "C945")), Fate::kForwarded);
  EXPECT_THAT(s1.out(), ElementsAre("s4"));
  EXPECT_EQ(s1.from("a1", pdu_of("C11", "C77")), Fate::kUnknownIndividual);
  // The prefix leads to the server, which has no such subscriber.
  AtServer s3(network_of(ring_of_four()), "s3");
  EXPECT_EQ(s3.by_trunk("s2", 10, pdu_of("C11", "C95")), Fate::kUnknownIndividual);
}

TEST(ForwarderTest, ASourceThatIsNotOfTheLineIsRefused) {
  AtServer s1(network_of(ring_of_four()), "s1");
  EXPECT_EQ(s1.from("a1", pdu_of("C12", "C21")), Fate::kUnassignedSource);
  EXPECT_EQ(s1.counters("a1").of(Fate::kUnassignedSource), 1U);
  EXPECT_EQ(s1.from("a1", pdu_of("C11", "C11")), Fate::kSameLine);
}

TEST(ForwarderTest, ScreensJudgeDestinationsAndSources) {
  std::string text = ring_of_four("[[group]]\naddress = \"E1\"\nmembers = [\"C12\", \"C21\"]\n");
  const auto screen = [&text](const char* after, const char* with) {
    text.insert(text.find(after) + std::string(after).size(), with);
  };
  screen("addresses = [\"C11\"]\n", "individual-deny = [\"C22\"]\ngroup-deny = [\"E1\"]\n");
  screen("addresses = [\"C12\"]\n", "individual-allow = [\"C21\"]\n");
  AtServer s1(network_of(text), "s1");
  EXPECT_EQ(s1.from("a1", pdu_of("C11", "C22")), Fate::kDestinationScreened);
  EXPECT_EQ(s1.from("a1", pdu_of("C11", "E1")), Fate::kDestinationScreened);
  EXPECT_EQ(s1.counters("a1").of(Fate::kDestinationScreened), 2U);
  EXPECT_EQ(s1.from("a1", pdu_of("C11", "C21")), Fate::kForwarded);
  // b1 receives from C21 alone; the violation is counted at its line.
  EXPECT_EQ(s1.from("a1", pdu_of("C11", "C12")), Fate::kSourceScreened);
  EXPECT_EQ(s1.by_trunk("s2", 20, pdu_of("C21", "C12")), Fate::kForwarded);
  EXPECT_EQ(s1.by_trunk("s2", 20, pdu_of("C22", "E1")), Fate::kUnknownGroup);
  EXPECT_EQ(s1.counters("b1").of(Fate::kSourceScreened), 2U);
  EXPECT_EQ(s1.counters("a1").of(Fate::kSourceScreened), 0U);
}

TEST(ForwarderTest, AnAccessClassIsKeptByItsCredit) {
  std::string text = ring_of_four();
  const std::string after = "addresses = [\"C11\"]\n";
  text.insert(text.find(after) + after.size(), "class = 4\n");
  AtServer s1(network_of(text), "s1");
  const wire::Buffer longest = pdu_of("C11", "C21", kInformationMax);
  TimePoint now{std::chrono::seconds{100}};
  EXPECT_EQ(s1.from("a1", longest, now), Fate::kForwarded);
  EXPECT_EQ(s1.from("a1", longest, now), Fate::kClassExceeded);
  // 9188 octets at 4 Mbit/s take 18.376 ms.
  now += std::chrono::microseconds{18'370};
  EXPECT_EQ(s1.from("a1", longest, now), Fate::kClassExceeded);
  now += std::chrono::microseconds{10};
  EXPECT_EQ(s1.from("a1", longest, now), Fate::kForwarded);
  EXPECT_EQ(s1.counters("a1").of(Fate::kClassExceeded), 2U);
  // A long silence earns one PDU, not many.
  now += std::chrono::seconds{10};
  EXPECT_EQ(s1.from("a1", longest, now), Fate::kForwarded);
  EXPECT_EQ(s1.from("a1", longest, now), Fate::kClassExceeded);
}

TEST(ForwarderTest, AGroupReachesEachMemberOnceOnTheTreeOfItsFirstServer) {
  const Network network = network_of(ring_of_four(
      "[[group]]\naddress = \"E1\"\nmembers = [\"C11\", \"C12\", \"C21\", \"C31\", \"C41\"]\n"));
  AtServer s1(network, "s1");
  EXPECT_EQ(s1.from("a1", pdu_of("C11", "E1")), Fate::kForwarded);
  EXPECT_THAT(s1.out(), ElementsAre("b1", "s2", "s4"));  // not to its own line
  AtServer s2(network, "s2");
  EXPECT_EQ(s2.by_trunk("s1", 10, pdu_of("C11", "E1")), Fate::kForwarded);
  EXPECT_THAT(s2.out(), ElementsAre("a2", "s3"));
  AtServer s3(network, "s3");
  EXPECT_EQ(s3.by_trunk("s2", 10, pdu_of("C11", "E1")), Fate::kForwarded);
  EXPECT_THAT(s3.out(), ElementsAre("a3"));
  AtServer s4(network, "s4");
  EXPECT_EQ(s4.by_trunk("s1", 10, pdu_of("C11", "E1")), Fate::kForwarded);
  EXPECT_THAT(s4.out(), ElementsAre("a4"));
  EXPECT_EQ(s1.from("a1", pdu_of("C11", "E2")), Fate::kUnknownGroup);
  EXPECT_EQ(s1.counters("a1").received_group, 2U);
}

TEST(ForwarderTest, AnEnvelopeIsCheckedAndItsHopsEnd) {
  AtServer s2(network_of(ring_of_four()), "s2");
  const wire::Buffer pdu = pdu_of("C11", "C31");
  EXPECT_EQ(s2.by_trunk("s1", 10, pdu, 3), Fate::kForwarded);
  EXPECT_THAT(s2.out(), ElementsAre("s3"));
  EXPECT_EQ(s2.decision.envelope, (Envelope{.hops = 2, .ingress = 10}));
  EXPECT_EQ(s2.decision.pdu_at, kEnvelopeOctets);
  EXPECT_EQ(s2.by_trunk("s1", 10, pdu, 0), Fate::kHopsExceeded);
  EXPECT_EQ(s2.by_trunk("s1", 11, pdu), Fate::kBadEnvelope);  // no server has that id
  EXPECT_EQ(s2.from("s1", pdu), Fate::kBadEnvelope);
  EXPECT_EQ(s2.from("s1", {std::byte{0x10}, std::byte{1}}), Fate::kBadEnvelope);
  EXPECT_EQ(s2.by_trunk("s1", 10, {}), Fate::kMalformed);
  EXPECT_EQ(s2.decision.fault, PduFault::kIncorrectLength);
}

TEST(ForwarderTest, WithoutALabelALineGetsNothing) {
  AtServer s1(
      network_of(ring_of_four("[[group]]\naddress = \"E1\"\nmembers = [\"C21\", \"C41\"]\n")),
      "s1");
  s1.forwarder.set_connected(s1.port("s2"), false);
  EXPECT_EQ(s1.from("a1", pdu_of("C11", "C21")), Fate::kNotConnected);
  EXPECT_EQ(s1.from("a1", pdu_of("C11", "E1")), Fate::kForwarded);
  EXPECT_THAT(s1.out(), ElementsAre("s4"));
  s1.forwarder.set_connected(s1.port("s4"), false);
  EXPECT_EQ(s1.from("a1", pdu_of("C11", "E1")), Fate::kNotConnected);
  EXPECT_THAT(s1.out(), IsEmpty());
}

TEST(ForwarderTest, AServerWithoutAPathIsNamed) {
  std::string text = ring_of_four();
  text +=
      "[[server]]\nname = \"s5\"\nid = 50\nendpoint = \"node-5\"\n"
      "[[subscriber]]\nname = \"a5\"\nserver = \"s5\"\nendpoint = \"host-51\"\n"
      "addresses = [\"C51\"]\n";
  AtServer s1(network_of(text), "s1");
  EXPECT_EQ(s1.from("a1", pdu_of("C11", "C51")), Fate::kNoPath);
}

TEST(ForwarderTest, TheLineOfALogSaysWhatHappened) {
  AtServer s1(network_of(ring_of_four()), "s1");
  s1.from("a1", pdu_of("C11", "C21"));
  EXPECT_EQ(s1.forwarder.line_of(0, s1.decision),
            "a1 C11FFFFFFFFFFFFF -> C21FFFFFFFFFFFFF 5 octets: forwarded to s2");
  s1.from("a1", {});
  EXPECT_EQ(s1.forwarder.line_of(0, s1.decision), "a1: malformed, incorrectLength");
}

}  // namespace
}  // namespace xbind::smds
