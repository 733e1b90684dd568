// Admission and the queues of a port, together: a port is filled with connections until admission
// refuses one more. Then all of them send the worst that their contracts allow, at the same time.
// The port, with the buffer that admission has booked, discards none of their cells.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "../dataplane/cells.hpp"
#include "core/port_buffer.hpp"
#include "dataplane/class_queueing.hpp"
#include "dataplane/gcra.hpp"
#include "dataplane/switch_fabric.hpp"
#include "traffic/admission.hpp"
#include "traffic/contract.hpp"

namespace xbind {
namespace {

using dataplane::ServiceClass;

constexpr PortId kIn{1};
constexpr PortId kOut{2};
constexpr std::uint32_t kLine = 353'207;
constexpr TrafficContract kVoice{ServiceCategory::kCbr, 200, 5'000};
constexpr TrafficContract kConstant{ServiceCategory::kCbr, 15'958, 217};
constexpr TrafficContract kConference{ServiceCategory::kRtVbr, 14'075, 218, 4'717, 1'126};
constexpr TrafficContract kVideo{ServiceCategory::kNrtVbr, kLine, 3, 4'700, 188};
constexpr TrafficContract kBursts{ServiceCategory::kNrtVbr, 50'000, 20, 5'000, 1'000};
constexpr TrafficContract kData{ServiceCategory::kGfr, 26'667, 210, 5'334, 512, 32};

ServiceClass class_of(ServiceCategory category) {
  switch (category) {
    case ServiceCategory::kCbr: return ServiceClass::kCbr;
    case ServiceCategory::kRtVbr: return ServiceClass::kRtVbr;
    case ServiceCategory::kNrtVbr: return ServiceClass::kNrtVbr;
    case ServiceCategory::kGfr: return ServiceClass::kAbrGfr;
    default: return ServiceClass::kUbr;
  }
}

// As many of each contract in turn as the port admits.
std::vector<TrafficContract> admitted(const std::vector<TrafficContract>& wanted,
                                      const PortPolicy& port, Resources& charged) {
  const Resources room{port.cells_per_s, port.buffer_cells};
  std::vector<TrafficContract> in;
  for (bool more = true; more;) {
    more = false;
    for (const TrafficContract& contract : wanted) {
      const Resources one =
          admission_of(AdmissionMode::kEffective, resources_of(contract), contract, port);
      Resources with = charged;
      with += one;
      if (!with.fits_within(room)) continue;
      charged = with;
      in.push_back(contract);
      more = true;
    }
  }
  return in;
}

// Sends every cell as soon as both buckets of its contract allow it.
class Greedy {
 public:
  explicit Greedy(const TrafficContract& contract)
      : peak_(contract.pcr_cells_per_s, std::chrono::microseconds{contract.cdvt_us}) {
    if (!has_guaranteed_rate(contract.category)) return;
    const double longer = 1e9 / contract.guaranteed_cells_per_s - 1e9 / contract.pcr_cells_per_s;
    burst_ = dataplane::Gcra(
        contract.guaranteed_cells_per_s,
        std::chrono::nanoseconds{static_cast<std::int64_t>((contract.mbs_cells - 1) * longer)} +
            std::chrono::microseconds{contract.cdvt_us});
  }
  bool sends(TimePoint now) {
    if (!peak_.conforms(now) || !burst_.conforms(now)) return false;
    peak_.pass(now);
    burst_.pass(now);
    return true;
  }

 private:
  dataplane::Gcra peak_;
  dataplane::Gcra burst_;  // without a guaranteed rate: every cell conforms
};

struct Outcome {
  std::size_t connections = 0;
  Resources charged;
  std::uint64_t cells = 0;       // that conform, sent by the sources
  std::uint64_t discards = 0;    // of these
  std::size_t most = 0;          // that waited, of all cells
  std::uint64_t flood_lost = 0;  // cells of UBR, which was promised nothing
};

struct Load {
  std::vector<TrafficContract> contracts;
  std::uint64_t buffer = kPortBufferCells;
  bool by_class = false;
  bool flood = false;  // UBR at twice the line's rate
};

// 0.1 s, in steps of a cell on the line.
Outcome sent(const Load& load) {
  Outcome out;
  const PortPolicy port{.cells_per_s = kLine, .buffer_cells = kPortBufferCells};
  const auto contracts = admitted(load.contracts, port, out.charged);
  out.connections = contracts.size();
  dataplane::SwitchFabric fabric({.ports = 2, .labels = {atm_range(0, 0, 32, 65'535)}},
                                 {.cells_max = load.buffer, .priorities = 5});
  if (load.by_class) {
    fabric.set_queueing(kOut, std::make_unique<dataplane::ClassQueueing>(
                                  dataplane::ClassQueueingOptions{.cells_max = load.buffer}));
  }
  fabric.set_rate(kOut, kLine);
  std::vector<Greedy> sources;
  const auto connect = [&](std::uint16_t vci, ServiceClass service) {
    const auto priority = static_cast<std::uint8_t>(service);  // as Fabric::set_queue()
    EXPECT_TRUE(fabric.table().add_branch(
        dataplane::channel(kIn, 0, vci),
        {.port = kOut, .vpi = 0, .vci = vci, .priority = priority, .service = service}));
  };
  constexpr std::uint16_t kFlood = 32;
  connect(kFlood, ServiceClass::kUbr);
  for (std::size_t one = 0; one < contracts.size(); ++one) {
    connect(static_cast<std::uint16_t>(33 + one), class_of(contracts[one].category));
    sources.emplace_back(contracts[one]);
  }
  std::array<dataplane::Cell, 64> line;
  const TimePoint begin{std::chrono::seconds{1}};
  for (std::uint32_t slot = 0; slot < kLine / 10; ++slot) {
    const TimePoint now = begin + Duration{std::uint64_t{slot} * 1'000'000'000 / kLine};
    for (std::size_t one = 0; one < sources.size(); ++one) {
      while (sources[one].sends(now)) {
        const dataplane::Cell cell = dataplane::make_cell(0, static_cast<std::uint32_t>(33 + one));
        fabric.receive(kIn, std::span(&cell, 1), now);
        ++out.cells;
      }
    }
    for (int twice = 0; load.flood && twice < 2; ++twice) {
      const dataplane::Cell cell = dataplane::make_cell(0, kFlood);
      fabric.receive(kIn, std::span(&cell, 1), now);
    }
    (void)fabric.transmit(kOut, line, now);
  }
  out.flood_lost = fabric.counters(dataplane::channel(kIn, 0, kFlood))->output_discards;
  out.discards = fabric.counters(kOut).output_discards - out.flood_lost;
  out.most = fabric.queued_most(kOut);
  return out;
}

const std::vector<std::vector<TrafficContract>> kLoads{
    {kVideo},
    {kBursts},
    {kConference},
    {kConstant},
    {kData},
    {kVoice, kVideo},
    {kVoice, kConstant, kConference, kVideo, kBursts, kData}};

TEST(AdmittedCells, TheVideosOfTheDocumentFillTheLine) {
  const Outcome videos = sent({.contracts = {kVideo}});
  EXPECT_EQ(videos.connections, 75U);
  EXPECT_EQ(videos.discards, 0U);
  EXPECT_GT(videos.most, 13'000U) << "all frames at once";
}

TEST(AdmittedCells, TheDefaultBufferAdmitsByTheRateEveryServiceOfTheDocument) {
  for (const TrafficContract& contract : {kVoice, kConstant, kVideo, kData}) {
    Resources charged;
    const PortPolicy port{.cells_per_s = kLine, .buffer_cells = kPortBufferCells};
    const std::size_t count = admitted({contract}, port, charged).size();
    const std::uint32_t rate = has_guaranteed_rate(contract.category)
                                   ? contract.guaranteed_cells_per_s
                                   : contract.pcr_cells_per_s;
    EXPECT_EQ(count, kLine / rate) << to_string(contract);
  }
}

TEST(AdmittedCells, ALoadThatConformsLosesNothingWhateverTheQueues) {
  for (const bool by_class : {false, true}) {
    for (const auto& contracts : kLoads) {
      const Outcome outcome = sent({.contracts = contracts, .by_class = by_class});
      EXPECT_GT(outcome.cells, 10'000U);
      EXPECT_EQ(outcome.discards, 0U) << to_string(contracts.front()) << " by_class " << by_class;
      EXPECT_LE(outcome.most, outcome.charged.buffer_cells) << to_string(contracts.front());
    }
  }
}

TEST(AdmittedCells, AFloodOfUbrCostsTheOthersNothing) {
  for (const auto& contracts : kLoads) {
    const Outcome outcome = sent({.contracts = contracts, .flood = true});
    EXPECT_EQ(outcome.discards, 0U) << to_string(contracts.front());
    EXPECT_GT(outcome.flood_lost, 0U);
  }
  for (const TrafficContract& real_time : {kVoice, kConstant, kConference}) {
    const Outcome outcome = sent({.contracts = {real_time}, .by_class = true, .flood = true});
    EXPECT_EQ(outcome.discards, 0U) << to_string(real_time);
    EXPECT_GT(outcome.flood_lost, 0U);
  }
}

// That the test above would see it.
TEST(AdmittedCells, ASmallerBufferThanTheBookedOneLosesCells) {
  for (const bool by_class : {false, true})
    EXPECT_GT(sent({.contracts = {kVideo}, .buffer = 1'024, .by_class = by_class}).discards,
              1'000U);
}

}  // namespace
}  // namespace xbind
