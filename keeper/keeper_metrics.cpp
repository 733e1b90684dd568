#include "keeper/keeper_metrics.hpp"

#include <algorithm>

namespace xbind::keeper {
namespace {

struct KeeperReading {
  const Keeper& keeper;
  TimePoint now;
};

template <CallState state>
std::uint64_t calls_in(const KeeperReading& one) {
  return one.keeper.wanted().count(state);
}

constexpr MetricRow<std::uint64_t> kProcessRows[] = {
    {"rss_kib", MetricKind::kGauge, "KiB", "Resident memory of the process.",
     [](const std::uint64_t& kib) { return kib; }, MetricScope::kProcess},
};

constexpr MetricRow<KeeperReading> kStateRows[] = {
    {"attached", MetricKind::kGauge, "",
     "1: there is a session with the manager; 0: there is none.",
     [](const KeeperReading& one) -> std::uint64_t { return one.keeper.attached() ? 1 : 0; }},
    {"informed", MetricKind::kGauge, "",
     "1: the manager's list of calls was read in this session; 0: nothing is set up or released.",
     [](const KeeperReading& one) -> std::uint64_t { return one.keeper.informed() ? 1 : 0; }},
    {"held_back", MetricKind::kGauge, "",
     "1: setups wait until the manager has read the switches' ledgers; 0: they do not.",
     [](const KeeperReading& one) -> std::uint64_t {
       return one.keeper.held_back(one.now) ? 1 : 0;
     }},
    {"connections", MetricKind::kGauge, "", "Connections of the file: its tables.",
     [](const KeeperReading& one) -> std::uint64_t {
       return one.keeper.wanted().entries().size();
     }},
    {"refused_connections", MetricKind::kGauge, "",
     "Connections whose last setup was refused; they are tried again.",
     [](const KeeperReading& one) -> std::uint64_t {
       return static_cast<std::uint64_t>(
           std::ranges::count_if(one.keeper.wanted().entries(), &Entry::refused));
     }},
    {"calls_wanted", MetricKind::kGauge, "", "Calls that should be up.",
     [](const KeeperReading& one) -> std::uint64_t { return one.keeper.wanted().size(); }},
    {"calls_up", MetricKind::kGauge, "", "Of these: up.", calls_in<CallState::kUp>},
    {"calls_setting_up", MetricKind::kGauge, "", "Of these: being set up.",
     calls_in<CallState::kSettingUp>},
    {"calls_waiting", MetricKind::kGauge, "",
     "Of these: not there; the setup waits for its turn or for the end of a back-off.",
     calls_in<CallState::kWaiting>},
    {"calls_broken", MetricKind::kGauge, "", "Of these: their path is down.",
     calls_in<CallState::kBroken>},
    {"calls_unknown", MetricKind::kGauge, "",
     "Of these: a switch of their path is in an unknown state.", calls_in<CallState::kUnknown>},
    {"calls_incomplete", MetricKind::kGauge, "",
     "Of these: the manager has started anew and does not know all of their hops.",
     calls_in<CallState::kIncomplete>},
};

constexpr CounterRow<KeeperCounters> kCounterRows[] = {
    {"sessions", MetricKind::kCounter, "", "Sessions with the manager begun.",
     &KeeperCounters::sessions},
    {"looks", MetricKind::kCounter, "", "Times that the manager's list was read, or tried.",
     &KeeperCounters::looks},
    {"looks_failed", MetricKind::kCounter, "", "Of these: the list could not be read.",
     &KeeperCounters::looks_failed},
    {"setups", MetricKind::kCounter, "", "Setups sent.", &KeeperCounters::setups},
    {"setups_connected", MetricKind::kCounter, "", "Setups answered: connected.",
     &KeeperCounters::setups_connected},
    {"setups_refused", MetricKind::kCounter, "", "Setups answered: refused or busy.",
     &KeeperCounters::setups_refused},
    {"setups_unanswered", MetricKind::kCounter, "", "Setups that ended without an answer.",
     &KeeperCounters::setups_unanswered},
    {"releases", MetricKind::kCounter, "", "Releases sent, of calls that are not in the file.",
     &KeeperCounters::releases},
    {"releases_failed", MetricKind::kCounter, "", "Releases that were not answered: released.",
     &KeeperCounters::releases_failed},
    {"calls_lost", MetricKind::kCounter, "",
     "Calls that were there and are no longer in the manager's list.", &KeeperCounters::calls_lost},
};

constexpr CounterRow<FileCounters> kFileRows[] = {
    {"files_read", MetricKind::kCounter, "", "Times that SIGHUP had the file read again.",
     &FileCounters::read},
    {"files_refused", MetricKind::kCounter, "", "Of these: the file was refused.",
     &FileCounters::refused},
};

}  // namespace

Metrics metrics_of(const Keeper& keeper, const FileCounters& file, TimePoint now) {
  Metrics metrics;
  append(kStateRows, KeeperReading{keeper, now}, metrics);
  append(kCounterRows, keeper.counters(), metrics);
  append(kFileRows, file, metrics);
  return metrics;
}

void append_process_metrics(std::uint64_t rss_kib, Metrics& metrics) {
  append(kProcessRows, rss_kib, metrics);
}

MetricTable keeper_metrics() {
  return metric_table("keeper", kProcessRows, kStateRows, kCounterRows, kFileRows);
}

}  // namespace xbind::keeper
