// A session never counts fewer octets for a message than the ORB marshals, and only a few more.
#include "core/wire_octets.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "core/name.hpp"
#include "orb/convert.hpp"

namespace xbind {
namespace {

constexpr int kMessages = 2'000;
// Octets that GIOP 1.2 puts before the parameters: its header, a request header with a 30-octet
// object key and the longest operation name, and no service context.
constexpr std::size_t kGiopHeader = 12 + 5 * 4 + 32 + 8 + 24;

class WireOctets : public testing::Test {
 protected:
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  bool one_in(std::uint64_t many) { return below(many) == 0; }
  std::string name() { return std::string(1 + below(kNameOctetsMax), 'n'); }
  std::string text() { return std::string(below(200), 't'); }
  Label label() { return one_in(3) ? Label{} : atm_label(1, 40); }
  Resources resources() { return {below(3), below(2)}; }
  TrafficContract contract() {
    return one_in(2) ? TrafficContract{} : TrafficContract{ServiceCategory::kCbr, 100, 250};
  }
  std::size_t count() { return one_in(4) ? 0 : below(12); }

  ServiceSpec service() {
    ServiceSpec spec;
    spec.kind = static_cast<ServiceKind>(below(4));
    if (spec.kind == ServiceKind::kClass) {
      spec.terms = ServiceTerms{std::string(below(kServiceNameMax + 1), 's')};
    }
    return spec;
  }
  std::optional<ServiceSpec> reverse() {
    return one_in(2) ? std::nullopt : std::optional(service());
  }
  std::vector<PortLabels> labels() {
    std::vector<PortLabels> ports(count());
    for (PortLabels& port : ports) port.labels.assign(count(), label());
    return ports;
  }

  RequestBatch requests() {
    RequestBatch batch;
    batch.connects.resize(count());
    for (ConnectRequest& connect : batch.connects) {
      connect = {RequestId{1}, name(), name(), service(), reverse()};
    }
    batch.releases.resize(count());
    batch.commits.resize(count());
    batch.modifies.resize(count());
    for (ModifyRequest& modify : batch.modifies) modify = {{}, {}, service(), reverse()};
    batch.leaves.resize(count());
    for (LeafRequest& leaf : batch.leaves) leaf.end = name();
    return batch;
  }
  Cause cause() { return static_cast<Cause>(1 + below(30)); }
  OutcomeBatch outcomes() {
    OutcomeBatch batch;
    batch.outcomes.resize(count());
    for (Outcome& outcome : batch.outcomes) {
      outcome.kind = static_cast<OutcomeKind>(below(kOutcomeKinds));
      outcome.ingress = outcome.reverse_ingress = label();
      outcome.cause = cause();
      outcome.element = text();
      outcome.asked = ~std::uint64_t{0} >> below(64);
      outcome.free = ~std::uint64_t{0} >> below(64);
      if (one_in(2)) outcome.reason = text();
      if (one_in(2)) outcome.owed = {static_cast<std::uint32_t>(below(1000)), text()};
    }
    batch.notices.resize(count());
    for (Notice& notice : batch.notices) {
      notice.kind = static_cast<NoticeKind>(below(4));
      notice.cause = cause();
      notice.element = text();
      notice.asked = notice.free = ~std::uint64_t{0};
    }
    return batch;
  }
  HopBatch commands() {
    HopBatch batch;
    batch.owners.resize(1 + count());
    for (HopOwner& owner : batch.owners) owner = {name(), Epoch{1}, name(), name()};
    batch.setups.resize(count());
    for (HopSetup& setup : batch.setups) {
      setup.owner = static_cast<std::uint32_t>(below(batch.owners.size()));
      setup.demand = resources();
      setup.contract = contract();
    }
    batch.removals.resize(count());
    batch.modifies.resize(count());
    for (HopModify& modify : batch.modifies) {
      modify.demand = resources();
      modify.contract = contract();
    }
    batch.returned = labels();
    batch.quota_returned.resize(count());
    if (batch.commands() != 0) batch.traced.resize(count() % batch.commands());
    batch.declared.resize(count());
    return batch;
  }
  HopResultBatch results() {
    HopResultBatch batch;
    batch.results.resize(count());
    for (HopResult& result : batch.results) {
      if (one_in(2)) result.cause = cause();
      result.input_label = label();
    }
    batch.granted = labels();
    batch.quota_granted.resize(count());
    batch.recalls.resize(count());
    return batch;
  }

  // Marshalled like a oneway of a session: three numbers, then the values.
  template <class... Values>
  static std::size_t marshalled(const Values&... values) {
    cdrCountingStream stream(cdrMemoryStream{}.TCS_C(), nullptr);
    const CORBA::ULongLong number = 1;
    for (int i = 0; i < 3; ++i) number >>= stream;
    ((values >>= stream), ...);
    return kGiopHeader + stream.total();
  }

  static constexpr std::uint64_t kSeed = 20'402;
  static constexpr std::uint64_t kOutcomeKinds = 1 + static_cast<std::uint64_t>(kOutcomeKindLast);

 private:
  std::mt19937_64 random_{kSeed};
};

// `spare`: octets by which the count may exceed the marshalled size, on top of 10 %.
void expect_enough(std::size_t counted, std::size_t marshalled, std::size_t spare) {
  ASSERT_GE(counted, marshalled);
  ASSERT_LE(counted, marshalled + marshalled / 10 + spare);
}

TEST_F(WireOctets, OfRequestsAreEnough) {
  for (int i = 0; i < kMessages; ++i) {
    const RequestBatch batch = requests();
    v2::RequestBatch wire;
    orb::to_idl(batch, wire);
    expect_enough(wire_octets(batch), marshalled(wire), 1024);
  }
}

TEST_F(WireOctets, OfOutcomesAndNoticesAreEnough) {
  for (int i = 0; i < kMessages; ++i) {
    const OutcomeBatch batch = outcomes();
    v2::OutcomeSeq reported;
    v2::NoticeSeq notices;
    orb::to_idl(batch, reported, notices);
    expect_enough(wire_octets(batch), marshalled(reported, notices), 4096);
  }
}

TEST_F(WireOctets, OfCommandsAreEnough) {
  for (int i = 0; i < kMessages; ++i) {
    const HopBatch batch = commands();
    v2::HopBatch wire;
    orb::to_idl(batch, wire);
    expect_enough(wire_octets(batch), marshalled(wire), 1024);
  }
}

TEST_F(WireOctets, OfResultsAreEnough) {
  for (int i = 0; i < kMessages; ++i) {
    const HopResultBatch batch = results();
    v2::HopResultBatch wire;
    orb::to_idl(batch, wire);
    expect_enough(wire_octets(batch), marshalled(wire), 512);
  }
}

}  // namespace
}  // namespace xbind
