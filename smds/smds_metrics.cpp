#include "smds/smds_metrics.hpp"

namespace xbind::smds {
namespace {

struct LinesReading {
  const keeper::Keeper& keeper;
  const LineCount& count;
};

// Of all ports.
struct Sums {
  std::uint64_t pdus_in = 0;
  std::uint64_t pdus_out = 0;
  std::uint64_t in_octets = 0;
  std::uint64_t out_octets = 0;
  std::uint64_t malformed = 0;
  std::uint64_t unassigned = 0;
  std::uint64_t screened = 0;
  std::uint64_t class_exceeded = 0;
  std::uint64_t mcdus_exceeded = 0;
  std::uint64_t unroutable = 0;
  std::uint64_t disconnected = 0;
  std::uint64_t buffers_full = 0;
  std::uint64_t waited = 0;
  std::uint64_t unknown_label_cells = 0;
  std::uint64_t bad_frames = 0;
  std::uint64_t lost = 0;
};

Sums sums_of(const Snapshot& snapshot) {
  Sums sums;
  for (const PortSnapshot& port : snapshot.ports) {
    const PortCounters& counters = port.counters;
    sums.pdus_in += counters.received_individual + counters.received_group;
    sums.pdus_out += counters.sent_individual + counters.sent_group;
    sums.in_octets += counters.received_octets;
    sums.out_octets += counters.sent_octets;
    sums.malformed += counters.of(Fate::kMalformed) + counters.of(Fate::kBadEnvelope);
    sums.unassigned += counters.of(Fate::kUnassignedSource);
    sums.screened += counters.of(Fate::kDestinationScreened) + counters.of(Fate::kSourceScreened);
    sums.class_exceeded += counters.of(Fate::kClassExceeded);
    sums.mcdus_exceeded += port.mcdus_exceeded;
    sums.unroutable += counters.of(Fate::kUnknownIndividual) + counters.of(Fate::kUnknownGroup) +
                       counters.of(Fate::kSameLine) + counters.of(Fate::kNoPath) +
                       counters.of(Fate::kHopsExceeded);
    sums.disconnected += counters.of(Fate::kNotConnected);
    sums.buffers_full += counters.of(Fate::kBufferFull);
    sums.waited += counters.waited;
  }
  sums.unknown_label_cells = snapshot.atm.unknown_label_cells;
  sums.bad_frames = snapshot.atm.bad_frames + snapshot.udp.bad_frames;
  sums.lost = snapshot.atm.lost + snapshot.udp.lost;
  return sums;
}

constexpr MetricRow<std::uint64_t> kMemoryRows[] = {
    {"rss_kib", MetricKind::kGauge, "KiB", "Resident memory of the process.",
     [](const std::uint64_t& kib) { return kib; }, MetricScope::kProcess},
};

constexpr MetricRow<LinesReading> kLineRows[] = {
    {"attached", MetricKind::kGauge, "",
     "1: there is a session with the manager; 0: there is none.",
     [](const LinesReading& one) -> std::uint64_t { return one.keeper.attached() ? 1 : 0; }},
    {"lines", MetricKind::kGauge, "", "Lines to subscribers and neighbours.",
     [](const LinesReading& one) -> std::uint64_t { return one.count.lines; }},
    {"lines_connected", MetricKind::kGauge, "", "Of these: connected in both directions.",
     [](const LinesReading& one) -> std::uint64_t { return one.count.connected; }},
    {"setups", MetricKind::kCounter, "", "Calls requested.",
     [](const LinesReading& one) -> std::uint64_t { return one.keeper.counters().setups; }},
    {"setups_refused", MetricKind::kCounter, "", "Of these: answered refused or busy.",
     [](const LinesReading& one) -> std::uint64_t { return one.keeper.counters().setups_refused; }},
    {"calls_lost", MetricKind::kCounter, "",
     "Calls that were there and are no longer in the manager's list.",
     [](const LinesReading& one) -> std::uint64_t { return one.keeper.counters().calls_lost; }},
};

constexpr CounterRow<Sums> kSumRows[] = {
    {"pdus_in", MetricKind::kCounter, "", "PDUs received whose format is right.", &Sums::pdus_in},
    {"pdus_out", MetricKind::kCounter, "", "PDUs sent; each copy for a group counts.",
     &Sums::pdus_out},
    {"in_octets", MetricKind::kCounter, "octets", "Information in the PDUs received.",
     &Sums::in_octets},
    {"out_octets", MetricKind::kCounter, "octets", "Information in the PDUs sent.",
     &Sums::out_octets},
    {"malformed", MetricKind::kCounter, "", "Frames dropped for their format.", &Sums::malformed},
    {"unassigned_sources", MetricKind::kCounter, "",
     "PDUs dropped: their source is not an address of the line.", &Sums::unassigned},
    {"screened", MetricKind::kCounter, "", "PDUs dropped by the screen of a subscriber.",
     &Sums::screened},
    {"class_exceeded", MetricKind::kCounter, "",
     "PDUs dropped: the credit of the access class was used up.", &Sums::class_exceeded},
    {"mcdus_exceeded", MetricKind::kCounter, "",
     "PDUs dropped: too many of the line were in transit.", &Sums::mcdus_exceeded},
    {"unroutable", MetricKind::kCounter, "",
     "PDUs dropped: an unknown destination, or no way to it.", &Sums::unroutable},
    {"disconnected", MetricKind::kCounter, "",
     "PDUs dropped: the call of the line by which they should leave is not up.",
     &Sums::disconnected},
    {"buffers_full", MetricKind::kCounter, "", "PDUs dropped whole at a full input buffer.",
     &Sums::buffers_full},
    {"waited", MetricKind::kCounter, "", "PDUs that waited in an input buffer.", &Sums::waited},
    {"unknown_label_cells", MetricKind::kCounter, "",
     "Cells dropped: their label is of no call of the server.", &Sums::unknown_label_cells},
    {"bad_frames", MetricKind::kCounter, "",
     "Frames dropped by AAL5 or AAL3/4, and datagrams longer than a frame.", &Sums::bad_frames},
    {"lost", MetricKind::kCounter, "", "Frames that a line did not take.", &Sums::lost},
};

}  // namespace

Metrics metrics_of(const keeper::Keeper& keeper, const LineCount& count, const Snapshot& snapshot) {
  Metrics metrics;
  append(kLineRows, LinesReading{keeper, count}, metrics);
  append(kSumRows, sums_of(snapshot), metrics);
  return metrics;
}

void append_process_metrics(std::uint64_t rss_kib, Metrics& metrics) {
  append(kMemoryRows, rss_kib, metrics);
}

MetricTable smds_metrics() { return metric_table("smds", kMemoryRows, kLineRows, kSumRows); }

}  // namespace xbind::smds
