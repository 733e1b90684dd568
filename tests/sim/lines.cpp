// World: lines go down and come up, operators drain them. SwitchServers report to the Router, which
// notifies the managers.
#include <fmt/format.h>

#include "tests/sim/world.hpp"

namespace xbind::sim {
namespace {

constexpr std::size_t kInTrouble = 3;                 // lines down or drained at a time, at most
constexpr Duration kUntilNoticed = milliseconds{20};  // delay until the switch notices
constexpr Duration kOneWay = milliseconds{10};        // delay of a report, at most
constexpr Duration kNoAnswer = milliseconds{1'500};   // timeout of a lost report
constexpr Duration kSettling = seconds{20};

// Counts operations that may have changed the ledger, as the daemon does.
std::uint64_t operations(const SwitchCounters& counters) {
  return counters.batches + counters.executes + counters.reserves + counters.commits +
         counters.removes + counters.modifies + counters.lapses + counters.cleaned +
         counters.refusals[static_cast<std::size_t>(Cause::kSwitchRefused)];
}

}  // namespace

void World::trouble_on_lines() {
  if (!loading_) return;
  world_.after(milliseconds{world_.chance.between(100, 3'000)}, [this] { trouble_on_lines(); });
  std::vector<Network::Port> idle;
  std::vector<Network::Port> troubled;
  for (const Network::Port& line : network_.lines()) {
    (network_.down(line) || network_.drained(line) ? troubled : idle).push_back(line);
  }
  if (troubled.size() >= kInTrouble || (!troubled.empty() && world_.chance.percent(40))) {
    line_recovers(troubled[world_.chance.below(troubled.size())]);
    return;
  }
  const Network::Port line = idle[world_.chance.below(idle.size())];
  const bool access = !network_.far_end(line.first, line.second);
  if (access && world_.chance.percent(80)) return;
  if (lines_break_ && world_.chance.percent(60)) {
    line_goes(line, true);
    // Sometimes the line is back before anybody has noticed.
    if (world_.chance.percent(20)) {
      world_.after(world_.chance.up_to(2 * kUntilNoticed),
                   [this, line] { line_goes(line, false); });
    }
    return;
  }
  if (!routes_.drain(line, true)) return;
  ++world_.tally["lines drained"];
  network_.set_drained(line, true);
}

void World::line_recovers(const Network::Port& line) {
  if (network_.drained(line) && routes_.drain(line, false)) network_.set_drained(line, false);
  if (network_.down(line)) line_goes(line, false);
}

// The line carries cells no more, or again, at once; the switches at its ends notice a little
// later.
void World::line_goes(const Network::Port& line, bool down) {
  ++world_.tally[down ? "lines down" : "lines up"];
  network_.set_down(line, down);
  for (const Network::Port& end : network_.ends_of(line)) {
    world_.after(world_.chance.up_to(kUntilNoticed), [this, end] {
      const bool up = !network_.down(end);
      switches_[end.first].device->line(end.second, up);
    });
    check_cells_through(end.first);
  }
}

// ===== the Router =====

// Passes an event to the reporter, as the SwitchServer's daemon does at the end of a step.
void World::note_switch(std::size_t at, const driver::Event& event) {
  PortReporter& reporter = switches_[at].reporter;
  if (std::holds_alternative<driver::Up>(event)) {
    reporter.switch_up(world_.now);
  } else if (std::holds_alternative<driver::Ports>(event)) {
    reporter.ports_changed(world_.now);
  } else if (std::holds_alternative<driver::Down>(event)) {
    reporter.switch_down(world_.now);
  }
}

void World::tell_router(std::size_t at) {
  SwitchSite& site = switches_[at];
  if (!world_.lines || dead(site)) return;
  const std::uint64_t now = operations(site.server->controller().counters());
  if (std::exchange(site.operations, now) != now) site.reporter.books_moved(world_.now);
  if (site.reporter.look_due() <= world_.now) {
    site.reporter.look(reported_ports(ledger(at)), world_.now);
  }
  if (auto report = site.reporter.take(world_.now)) report_to_router(at, std::move(*report));
}

// A two-way call. It may be lost before or after its arrival.
void World::report_to_router(std::size_t at, SwitchReport report) {
  const bool lost =
      world_.now < leg('r', at, 0).cut_until || world_.chance.percent(world_.weather.two_way_lost);
  const bool arrives = !lost || world_.chance.percent(50);
  if (lost) ++world_.tally["reports lost"];
  world_.after(world_.chance.up_to(kOneWay), [this, at, lost, arrives, report = std::move(report),
                                              of = switches_[at].incarnation] {
    std::optional<ReportAnswer> answer;
    if (arrives) answer = routes_.report(switches_[at].name, report);
    world_.after(lost ? kNoAnswer : world_.chance.up_to(kOneWay), [this, at, lost, answer, of] {
      if (switches_[at].incarnation != of) return;
      if (!answer) ++world_.tally["reports failed"];
      if (answer && !lost) {
        switches_[at].reporter.report_answered(answer->taken, answer->incarnation, world_.now);
      } else {
        switches_[at].reporter.report_failed(world_.now);
      }
      tell_router(at);
    });
  });
}

// A notice may be lost, duplicated or late. A later notice or the next watch makes up for it.
void World::tell_topology(const std::string& watcher, const TopologyState& state) {
  for (std::size_t m = 0; m < managers_.size(); ++m) {
    if (managers_[m].site->name() != watcher) continue;
    const auto tell = [this, m](const TopologyState& report_ended) {
      world_.carry(leg('t', 0, m),
                   [this, m, report_ended] { managers_[m].site->learn(report_ended, false); });
    };
    tell(state);
    if (!loading_ || !world_.chance.percent(20)) continue;
    ++world_.tally["old versions reported"];
    world_.after(world_.chance.up_to(seconds{2}),
                 [tell, old = routes_.some_earlier()] { tell(old); });
  }
}

// Drains an access line without traffic, so that managers check their calls again.
void World::raise_version() { XB_CHECK(routes_.drain_island()); }

// The Router's beliefs match the truth. Lines of a silent switch keep their last reported state.
void World::check_router() {
  const Topology topology = network_.topology();
  const NetworkCondition& believed = routes_.condition();
  const auto differs = [&](const std::string& what, const LineCondition& line,
                           const Network::Port& port) {
    const bool up = !network_.down(port);
    if (line.up == up && line.drained == network_.drained(port)) return;
    world_.violated(fmt::format("the Router believes {} to be {}{}, it is {}{}", what,
                                line.up ? "up" : "down", line.drained ? ", drained" : "",
                                up ? "up" : "down", network_.drained(port) ? ", drained" : ""));
  };
  for (std::size_t link = 0; link < topology.links().size(); ++link) {
    const LinkEnd& end = topology.links()[link].a;
    differs("link " + topology.end_text(end), believed.links[link], {end.at, end.port});
  }
  for (std::size_t at = 0; at < switches_.size(); ++at) {
    differs("the line of " + switches_[at].name, believed.access_lines[at], {at, Network::kHost});
    if (routes_.unknown(at) == (stays_lost_ == at)) continue;
    world_.violated(fmt::format("the Router believes {} to be {}", switches_[at].name,
                                routes_.unknown(at) ? "unknown" : "under control"));
  }
}

void World::mend_all_lines() {
  if (stays_lost_) {
    switches_[*stays_lost_].device->come_up(true);
    stays_lost_.reset();
    run_until(world_.now + RouteSite::kTrust.trust + seconds{1});
  }
  for (const Network::Port& line : network_.lines()) line_recovers(line);
}

// First with the present trouble, then without. Each phase has two rounds, because the first calls
// to move make room for others.
void World::settle_lines() {
  // Sometimes one switch stays lost while its cells still flow.
  if (!plan_.fair && !plan_.is_stage() && world_.chance.percent(40)) {
    stays_lost_ = world_.chance.below(switches_.size());
    ++world_.tally["switches that stay lost"];
    switches_[*stays_lost_].device->break_session();
    run_until(world_.now + seconds{3});
  }
  for (const bool mended : {false, true}) {
    if (mended) mend_all_lines();
    for (int round = 0; round < 2; ++round) {
      run_until(world_.now + seconds{1});
      raise_version();
      run_until(world_.now + kSettling);
    }
    check_router();
    check_settled();
    if (!stays_lost_) check_tables();  // else removals owed to it are still in its table
  }
}

}  // namespace xbind::sim
