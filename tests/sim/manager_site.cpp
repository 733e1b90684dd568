#include "tests/sim/manager_site.hpp"

#include <algorithm>

namespace xbind::sim {
namespace {

constexpr Duration kTwoWay = milliseconds{10};  // there, and the same back, at most

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
  if (std::find(to_attach_.begin(), to_attach_.end(), switch_name) == to_attach_.end()) {
    to_attach_.push_back(switch_name);
  }
  if (!attaching_) world_.after(Duration::zero(), [this] { attach_next(); });
}

void ManagerSite::attach_next() {
  if (dead_ || attaching_ || to_attach_.empty()) return;
  attaching_ = true;
  const std::string switch_name = to_attach_.front();
  to_attach_.pop_front();
  // Once asked, it arrives, whatever becomes of who has asked.
  world_.after(world_.chance.up_to(kTwoWay), [this, switch_name] {
    auto attached = hooks_.attach(switch_name, epoch_);
    world_.after(world_.chance.up_to(kTwoWay), [this, switch_name, attached = std::move(attached)] {
      if (dead_) return;
      attaching_ = false;
      if (attached) {
        step([&](cmgr::ConnectionManager& manager) {
          sessions_[switch_name] = attached->session;
          manager.switch_attached(switch_name, attached->session, attached->window,
                                  attached->quarantined, world_.now);
        });
      } else {
        ++world_.tally["attaches failed"];
        world_.after(milliseconds{200}, [this, switch_name] { attach_switch(switch_name); });
      }
      attach_next();
    });
  });
}

}  // namespace xbind::sim
