#include "tests/sim/manager_site.hpp"

#include <algorithm>

namespace xbind::sim {
namespace {

constexpr Duration kTwoWay = milliseconds{10};  // there, and the same back, at most

}  // namespace

void ManagerSite::step(const std::function<void(cmgr::ConnectionManager&)>& job) {
  job(manager_);
  manager_.finish_step(world_.now);
  hooks_.stepped();
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
  if (away && routes_hang) wait += routes_away_until - world_.now;
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
    step([&](cmgr::ConnectionManager& manager) {
      manager.on_routes(replies, seconds{3}, world_.now);
    });
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
  if (attaching_ || to_attach_.empty()) return;
  attaching_ = true;
  const std::string switch_name = to_attach_.front();
  to_attach_.pop_front();
  world_.after(world_.chance.up_to(kTwoWay), [this, switch_name] {
    auto attached = hooks_.attach(switch_name);
    world_.after(world_.chance.up_to(kTwoWay), [this, switch_name, attached = std::move(attached)] {
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
