#include "tests/sim/manager_site.hpp"

namespace xbind::sim {
namespace {

constexpr Duration kTwoWay = milliseconds{10};  // there, and the same back, at most
constexpr Duration kTooLate = seconds{1};       // after an attempt has failed for want of an answer

}  // namespace

void ManagerSite::step(const std::function<void(cmgr::ConnectionManager&)>& job) {
  if (dead_) return;
  job(manager_);
  manager_.finish_step(world_.now);
  hooks_.stepped();
}

void ManagerSite::invoked(SessionId session, const HopBatch& asked,
                          const Result<HopResultBatch>& answer) {
  step([&](cmgr::ConnectionManager& manager) {
    manager.on_invoked(session, asked, answer, world_.now);
  });
}

SessionId ManagerSite::session_with(const std::string& switch_name) const {
  const auto found = sessions_.find(switch_name);
  return found == sessions_.end() ? SessionId{} : found->second;
}

void ManagerSite::local_outcome(RequestId token, Outcome) {
  world_.violated("an outcome for two-way call " + std::to_string(token.value()) +
                  ", nobody made one");
}

void ManagerSite::ask_routes(std::vector<cmgr::RouteQuery> queries) {
  Duration wait = world_.chance.up_to(kTwoWay);
  const bool away = world_.now < routes_away_until;
  if (away && away_means_silent) wait += routes_away_until - world_.now;
  world_.tally["route queries"] += queries.size();
  if (away) world_.tally["route queries while away"] += queries.size();
  world_.after(wait, [this, away, queries = std::move(queries)] {
    std::vector<cmgr::RouteReply> replies;
    for (const cmgr::RouteQuery& query : queries) {
      cmgr::RouteReply reply;
      reply.query = query;
      reply.cause = Cause::kNoRouteObject;
      reply.element = "routeobject";
      replies.push_back(away ? reply : hooks_.route(query));
    }
    // Lines may go while the answer is on its way.
    world_.after(world_.chance.up_to(kTwoWay), [this, replies = std::move(replies)] {
      step([&](cmgr::ConnectionManager& manager) {
        manager.on_routes(replies, seconds{3}, world_.now);
      });
    });
  });
}

void ManagerSite::ask_services(std::vector<ServiceSpec> services) {
  Duration wait = world_.chance.up_to(kTwoWay);
  const bool away = world_.now < services_away_until;
  if (away && away_means_silent) wait += services_away_until - world_.now;
  world_.tally["service queries"] += services.size();
  if (away) world_.tally["service queries while away"] += services.size();
  world_.after(wait, [this, away, services = std::move(services)] {
    std::vector<cmgr::ServiceReply> replies;
    for (const ServiceSpec& service : services) {
      if (away) {
        replies.push_back(
            {service, tl::make_unexpected(cmgr::Refusal{Cause::kNoQosMapper, "qosmapper"})});
      } else {
        replies.push_back({service, cmgr::network_of(service)});
      }
    }
    step([&](cmgr::ConnectionManager& manager) { manager.on_services(replies, world_.now); });
  });
}

void ManagerSite::attach_switch(const std::string& switch_name) {
  sessions_.erase(switch_name);
  const auto wanted =
      attachments_.attach(switch_name, world_.now, cmgr::attach_jitter(name_, switch_name));
  if (!wanted) world_.violated(wanted.error().text);
  // Not within the step.
  world_.after(Duration::zero(), [this] { attach_due(); });
}

void ManagerSite::attach_due() {
  if (dead_) return;
  while (const auto due = attachments_.take(world_.now)) attempt(*due);
  const TimePoint next = attachments_.next_deadline();
  const bool planned = attach_at_ > world_.now && attach_at_ <= next;
  if (planned || next == kNever) return;
  attach_at_ = next;
  world_.agenda.at(next, [this] { attach_due(); });
}

void ManagerSite::attempt(const AttachTable::Due& due) {
  // Once asked, it arrives, whatever becomes of who has asked.
  world_.after(world_.chance.up_to(kTwoWay), [this, due] {
    const auto attached = hooks_.attach(due.name, epoch_);
    Duration back = world_.chance.up_to(kTwoWay);
    if (world_.chance.percent(world_.weather.loss / 4)) {
      ++world_.tally["attach answers late"];
      back += cmgr::kSwitchAttaching.answer_within + world_.chance.up_to(kTooLate);
    }
    world_.after(back, [this, due, attached] { answered(due, attached); });
  });
}

void ManagerSite::answered(const AttachTable::Due& due, const std::optional<Attached>& attached) {
  if (dead_) return;
  if (!attached) {
    ++world_.tally["attaches failed"];
    attachments_.failed(due.name, due.attempt, world_.now);
  } else if (attachments_.attached(due.name, due.attempt, world_.now)) {
    step([&](cmgr::ConnectionManager& manager) {
      sessions_[due.name] = attached->session;
      manager.switch_attached(due.name, attached->session, attached->window, attached->quarantined,
                              world_.now);
    });
  }
  attach_due();
}

}  // namespace xbind::sim
