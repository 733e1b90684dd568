#include "tests/sim/route_site.hpp"

#include "core/check.hpp"
#include "core/log.hpp"
#include "tests/sim/trace.hpp"

namespace xbind::sim {
namespace {

constexpr std::uint32_t kLeaseInValidities = 3;  // as for production's remote watchers
// Distance between first versions: each life's versions exceed those of earlier lives, as with a
// clock.
constexpr std::uint64_t kVersionsApart = 1'000'000;

}  // namespace

RouteSite::RouteSite(Surroundings& world, const Network& network, Tell tell)
    : world_(world), network_(network), tell_(std::move(tell)) {
  start();
}

void RouteSite::start() {
  if (!dead()) return;
  ++life_;
  service_ = std::make_unique<RouteService>(network_.topology(), kValidityMs,
                                            life_ * kVersionsApart, kTrust);
  watchers_ = std::make_unique<WatchList>(milliseconds{kValidityMs} * kLeaseInValidities);
  registrations_.clear();
  for (const PathElement& element : drains_) {
    XB_CHECK(service_->drain(element, true).has_value(), element.switch_name);
  }
  condition_ = service_->condition();
  states_.push_back(condition_->state);
  world_.after(kTrustTick, [this, life = life_] { tick(life); });
}

void RouteSite::kill() {
  if (dead()) return;
  ++world_.tally["RouteObjects killed"];
  add_up();
  drains_ = service_->drains();
  service_.reset();
}

void RouteSite::tick(std::uint64_t life) {
  if (dead() || life != life_) return;
  world_.after(kTrustTick, [this, life] { tick(life); });
  const std::size_t unknown = service_->unknown_switches(world_.now).size();
  const bool risen = service_->tick(world_.now);
  const std::size_t now = service_->unknown_switches(world_.now).size();
  if (now > unknown) ++world_.tally["router: switches unknown"];
  if (now < unknown) ++world_.tally["router: switches trusted again"];
  for (const std::string& name : watchers_->expire(world_.now)) {
    registrations_.erase(name);
    ++world_.tally["router: watches expired"];
  }
  notify_if_changed(risen);
}

void RouteSite::notify_if_changed(bool risen) {
  if (!risen) return;
  condition_ = service_->condition();
  states_.push_back(condition_->state);
  ++world_.tally["router: versions"];
  for (const auto& [name, registration] : registrations_) tell_(name, condition_->state);
}

std::optional<cmgr::RouteReply> RouteSite::route(const cmgr::RouteQuery& query) const {
  if (dead()) return std::nullopt;
  PathQuery asked;
  asked.from = query.from;
  asked.to = query.to;
  asked.cells_per_s = query.cells_per_s;
  asked.avoid = query.avoid;
  cmgr::RouteReply reply;
  reply.query = query;
  const auto answers = service_->answer({&asked, 1});
  if (!answers) {
    world_.violated("RouteObject refuses a batch: " + answers.error().text);
    return std::nullopt;
  }
  const RouteAnswer& answer = answers->answers.front();
  if (answer) {
    ++world_.tally["router: paths"];
    reply.path = answer->path;
  } else {
    ++world_.tally["router: refused: " + std::string{to_string(answer.error().cause)}];
    reply.cause = answer.error().cause;
    reply.element = answer.error().element;
    if (reply.cause == Cause::kInvalidRequest) reply.reason = answer.error().text;
    reply.free = answer.error().free;
  }
  return reply;
}

std::optional<RouteSite::Watched> RouteSite::watch(const std::string& watcher) {
  if (dead()) return std::nullopt;
  const auto registration = watchers_->watch(watcher, world_.now);
  if (!registration) {
    world_.violated("RouteObject refuses a watcher: " + registration.error().text);
    return std::nullopt;
  }
  ++world_.tally["router: watches"];
  registrations_[watcher] = *registration;
  return Watched{condition_->state, milliseconds{kValidityMs}, life_};
}

std::optional<ReportAnswer> RouteSite::report(const std::string& switch_name,
                                              const SwitchReport& report) {
  if (dead()) return std::nullopt;
  ++world_.tally[report.ports.empty() ? "router: reports of a lost switch" : "router: reports"];
  std::vector<PortReport> ports;
  for (const ReportedPort& port : report.ports) {
    ports.push_back({port.port, port.up, port.cells_per_s, port.free_cells_per_s});
  }
  ReportAnswer answer;
  const auto risen =
      service_->report(switch_name, report.incarnation, report.number, ports, world_.now, &answer);
  if (!risen) world_.violated("RouteObject refuses a report: " + risen.error().text);
  if (report.incarnation == Epoch{} && !answer.taken) {
    world_.violated(switch_name + " has started, and its report is not taken");
  }
  if (!answer.taken) ++world_.tally["router: reports not taken"];
  notify_if_changed(risen.value_or(false));
  return answer;
}

bool RouteSite::drain(const Network::Port& line, bool drained) {
  if (dead()) return false;
  const auto risen = service_->drain({Network::switch_name(line.first), line.second}, drained);
  if (!risen) world_.violated("RouteObject refuses to drain: " + risen.error().text);
  notify_if_changed(risen.value_or(false));
  return true;
}

bool RouteSite::drain_island() {
  if (dead()) return false;
  const SwitchIndex island = *service_->topology()->find(Network::kIsland);
  const auto risen =
      service_->drain({Network::kIsland, kEndpointPort}, !condition_->access_lines[island].drained);
  notify_if_changed(risen.value_or(false));
  return risen.has_value();
}

const TopologyState& RouteSite::some_earlier() {
  return states_[world_.chance.below(states_.size())];
}

void RouteSite::add_up() {
  if (dead()) return;
  world_.tally["router: late reports"] += service_->counters().stale_reports;
}

}  // namespace xbind::sim
