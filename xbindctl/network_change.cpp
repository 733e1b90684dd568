#include "xbindctl/network_change.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/steady_now.hpp"
#include "naming/names.hpp"
#include "switch_server.hh"
#include "xbindctl/answers.hpp"
#include "xbindctl/network.hpp"
#include "xbindctl/timers.hpp"

namespace xbind::ctl {
namespace {

constexpr std::size_t kIdsNamed = 20;  // in a refusal

PathElement element_of(const v2::RouteElement& end) {
  return {end.switch_name.in(), PortId{end.output_port}};
}

v2::RouteElement wire(const PathElement& element) {
  v2::RouteElement out;
  out.switch_name = element.switch_name.c_str();
  out.output_port = element.output_port.value();
  return out;
}

std::vector<Lost> lost_in(const v2::NetworkDifference& difference) {
  std::vector<Lost> lost;
  for (CORBA::ULong i = 0; i < difference.switches.length(); ++i) {
    const v2::NetworkSwitchChange& at = difference.switches[i];
    if (at.kind == v2::network_removed) lost.push_back({{at.switch_name.in(), PortId{}}});
    if (at.kind != v2::network_changed || at.endpoint_after) continue;
    lost.push_back({{at.switch_name.in(), PortId{1}}});
  }
  for (CORBA::ULong i = 0; i < difference.links.length(); ++i) {
    const v2::NetworkLinkChange& link = difference.links[i];
    if (link.kind != v2::network_removed) continue;
    lost.push_back({element_of(link.first_end), element_of(link.second_end)});
  }
  return lost;
}

struct Manager {
  std::string path;  // xbind/cmgr/default
  client::TwoWay two_way;
};

// One change, from its plan to its end.
class NetworkChange {
 public:
  NetworkChange(orb::NameClient& names, v2::RouteObject_ptr route_object, const NetworkWish& wish,
                const Pause& pause)
      : names_(names),
        route_object_(route_object),
        peer_(peer_of(route_object)),
        wish_(wish),
        pause_(pause) {}

  OrFailure<NetworkChanged> run() {
    if (auto planned = plan(); !planned) return tl::make_unexpected(planned.error());
    if (wish_.dry_run) {
      if (const auto stuck = refusal_of_stuck(); stuck && !wish_.force) {
        result_.refused = stuck->text;
      }
      return std::move(result_);
    }
    auto moved = move_calls();
    if (!moved) return given_up(moved.error());
    auto applied = call_peer(peer_, route_object_, [&]() -> OrFailure<bool> {
      result_.difference =
          operations_->change_network(wish_.edit, result_.difference->network_version, wish_.force);
      return true;
    });
    if (!applied) return given_up(applied.error());
    result_.applied = true;
    spread_rates();
    return std::move(result_);
  }

 private:
  OrFailure<bool> plan() {
    auto asked = call_peer(peer_, route_object_, [&]() -> OrFailure<bool> {
      operations_ = route_object_->route_operations();
      result_.difference = operations_->plan_network(wish_.edit);
      return true;
    });
    if (!asked) return asked;
    lost_ = lost_in(result_.difference.in());
    if (lost_.empty()) return true;
    if (auto found = find_managers(); !found) return found;
    auto looked = look(&result_.managers);
    planned_ = ids_left();
    return looked;
  }

  OrFailure<bool> find_managers() {
    const std::string context = std::string{naming::kRoot} + "/" + naming::kConnectionManagers;
    const auto bound = names_.list(context);
    if (!bound && bound.error().code == ErrorCode::kNotFound) return true;  // no manager ever
    if (!bound) return failed(bound.error(), name_service_at(names_.service()));
    for (const std::string& path : *bound) {
      const auto object = resolved(names_, PeerKind::kManager, path);
      if (!object) return tl::make_unexpected(object.error());
      const v2::ConnectionManager_var manager = v2::ConnectionManager::_unchecked_narrow(*object);
      managers_.push_back({path, client::TwoWay(manager, path)});
    }
    return true;
  }

  // The calls over what is removed now. A manager without an answer: a failure, or with --force a
  // warning.
  OrFailure<bool> look(std::vector<ManagerCalls>* into) {
    left_.clear();
    looked_ = false;
    for (const Manager& manager : managers_) {
      auto affected = affected_calls(manager.two_way, route_object_, lost_);
      if (affected) {
        for (const AffectedCall& call : affected->calls) left_.push_back({&manager, call});
        if (into != nullptr) into->push_back({manager.path, std::move(*affected)});
        continue;
      }
      if (!wish_.force) return tl::make_unexpected(affected.error());
      if (!silent_.insert(manager.path).second) continue;
      result_.warnings.push_back(
          fmt::format("calls of {} are not looked at: {}", manager.path, affected.error().text));
    }
    looked_ = true;
    return true;
  }

  OrFailure<bool> move_calls() {
    if (lost_.empty()) return true;
    if (!wish_.force) {
      if (auto stuck = refusal_of_stuck()) return tl::make_unexpected(std::move(*stuck));
    }
    if (auto drained = drain(); !drained) return drained;
    if (wish_.force) end_calls([](const AffectedCall& call) { return !call.moves; });
    const TimePoint give_up = steady_now() + std::chrono::duration_cast<Duration>(
                                                 std::chrono::duration<double>(wish_.wait_s));
    for (;;) {
      if (auto looked = look(nullptr); !looked) return looked;
      if (left_.empty()) return true;
      if (steady_now() >= give_up) break;
      pause_();
    }
    const auto any = [](const AffectedCall&) { return true; };
    if (!wish_.force) {
      return tl::make_unexpected(*refusal(fmt::format("have not moved within {:g} s", wish_.wait_s),
                                          "the network is not changed", any));
    }
    end_calls(any);
    return true;
  }

  // The change is given up: undrains, and says what has become of the calls meanwhile.
  tl::unexpected<Failure> given_up(Failure why) {
    const bool drained = !drained_here_.empty();
    undrain();
    const std::vector<std::uint64_t>& ended = result_.ended;
    if (!ended.empty()) {
      why.text += fmt::format("; {} ended by force: {}", counted(ended.size(), "call"),
                              fmt::join(ended, ", "));
    }
    if (drained) why.text += words_of(fates());
    return tl::make_unexpected(std::move(why));
  }

  // What has become of the calls over what would be removed, apart from those that are still there
  // and those that were ended here.
  struct Fates {
    std::uint64_t moved = 0;
    std::uint64_t ended = 0;      // released by somebody, or being released
    std::uint64_t uncertain = 0;  // the manager does not say which of the two
    bool known = false;           // false: the last look at the calls has failed
  };
  Fates fates() const {
    Fates found;
    if (!looked_) return found;
    found.known = true;
    std::map<const Manager*, std::set<std::uint64_t>> gone;
    const std::set<Id> left = ids_left();
    const std::vector<std::uint64_t>& ended = result_.ended;
    for (const Id& id : planned_) {
      if (left.contains(id) || std::ranges::find(ended, id.second) != ended.end()) continue;
      gone[id.first].insert(id.second);
    }
    for (const auto& [manager, ids] : gone) {
      std::uint64_t standing = 0;
      const auto listed = manager->two_way.for_each_connection(
          {}, [&, &ids = ids](const v2::ConnectionState& state) {
            if (ids.contains(state.connection) && !is_ending(state.phase)) ++standing;
          });
      if (!listed) {
        found.uncertain += ids.size();
        continue;
      }
      found.moved += standing;
      found.ended += ids.size() - standing;
    }
    return found;
  }
  static bool is_ending(v2::PhaseCode phase) {
    return phase == v2::phase_undoing || phase == v2::phase_releasing || phase == v2::phase_gone;
  }
  static std::string words_of(const Fates& fates) {
    if (!fates.known) return "; calls that have left what would be removed are not moved back";
    std::string words;
    if (fates.moved != 0) {
      words += fmt::format("; {} had left what would be removed and will not be moved back",
                           counted(fates.moved, "call"));
    }
    if (fates.ended != 0) {
      words += fmt::format("; {} over it released meanwhile", counted(fates.ended, "call"));
    }
    if (fates.uncertain != 0) {
      words += fmt::format("; {} had left it or been released meanwhile: the manager does not say",
                           counted(fates.uncertain, "call"));
    }
    return words;
  }

  using Id = std::pair<const Manager*, std::uint64_t>;
  std::set<Id> ids_left() const {
    std::set<Id> ids;
    for (const auto& [manager, call] : left_) ids.emplace(manager, call.row.id);
    return ids;
  }

  std::optional<Failure> refusal_of_stuck() const {
    return refusal("cannot move", "nothing is changed",
                   [](const AffectedCall& call) { return !call.moves; });
  }

  // Of the calls that are left, those that match; nullopt: none does.
  template <class Match>
  std::optional<Failure> refusal(const std::string& what, const std::string& consequence,
                                 Match match) const {
    std::vector<std::string> ids;
    std::set<std::string> reasons;
    std::size_t count = 0;
    for (const auto& [manager, call] : left_) {
      if (!match(call)) continue;
      ++count;
      if (ids.size() < kIdsNamed) ids.push_back(fmt::format("{}", call.row.id));
      if (!call.why.empty() && reasons.size() < kIdsNamed) reasons.insert(call.why);
    }
    if (count == 0) return std::nullopt;
    std::string text = fmt::format("{} over what would be removed {}: {}{}", counted(count, "call"),
                                   what, fmt::join(ids, ", "), count > ids.size() ? ", ..." : "");
    if (!reasons.empty()) text += fmt::format(" ({})", fmt::join(reasons, "; "));
    return failed(ErrorCode::kExhausted, fmt::format("{}; {}", text, consequence),
                  "release these calls, or use --force, which ends them")
        .value();
  }

  template <class Match>
  void end_calls(Match match) {
    for (const auto& [manager, call] : left_) {
      if (!match(call)) continue;
      const auto cleared = manager->two_way.clear(ConnectionId{call.row.id});
      if (cleared) {
        result_.ended.push_back(call.row.id);
      } else {
        result_.warnings.push_back(
            fmt::format("call {} was not ended: {}", call.row.id, cleared.error().text));
      }
    }
  }

  // Drains what is removed, except for what is drained already.
  OrFailure<bool> drain() {
    return call_peer(peer_, route_object_, [&]() -> OrFailure<bool> {
      std::map<PathElement, bool> drained;  // by end of a link
      std::map<std::string, bool> whole;    // by switch: all its links are
      for_each_link(route_object_, [&](const v2::LinkState& link) {
        for (const v2::RouteElement* end : {&link.first_end, &link.second_end}) {
          drained[element_of(*end)] = link.drained;
          const auto at = whole.try_emplace(end->switch_name.in(), true).first;
          at->second = at->second && link.drained;
        }
      });
      const auto unusable = unusable_elements(route_object_);
      if (!unusable) return tl::make_unexpected(unusable.error());
      for (const auto& [element, why] : *unusable) {  // access lines are among them
        if (why == v2::unusable_drained) drained.try_emplace(element, true);
      }
      for (const Lost& it : lost_) {
        const PathElement& first = it.front();
        const bool whole_switch = first.output_port == PortId{};
        const bool before = whole_switch
                                ? whole.contains(first.switch_name) && whole[first.switch_name]
                                : drained.contains(first) && drained[first];
        if (before) continue;
        operations_->drain(wire(first), true);
        drained_here_.push_back(first);
      }
      return true;
    });
  }

  void undrain() {
    for (const PathElement& element : drained_here_) {
      const auto undone = call_peer(peer_, route_object_, [&]() -> OrFailure<bool> {
        operations_->drain(wire(element), false);
        return true;
      });
      if (!undone) explain(undone.error());
    }
  }

  // Has the SwitchServers of new and changed links give their lines the rates, and waits for that.
  void spread_rates() {
    std::map<std::string, std::map<PortId, std::uint64_t>> wanted;  // by switch
    const v2::NetworkDifference& difference = result_.difference.in();
    for (CORBA::ULong i = 0; i < difference.links.length(); ++i) {
      const v2::NetworkLinkChange& link = difference.links[i];
      if (link.kind == v2::network_removed) continue;
      if (link.cells_per_s_before == link.cells_per_s_after) continue;
      for (const v2::RouteElement* end : {&link.first_end, &link.second_end}) {
        wanted[end->switch_name.in()][PortId{end->output_port}] = link.cells_per_s_after;
      }
    }
    const TimePoint give_up = steady_now() + kXbindctlTimers["network-rates"];
    for (const auto& [name, rates] : wanted) {
      const std::string trouble = rates_at(name, rates, give_up);
      if (!trouble.empty()) result_.warnings.push_back(trouble);
    }
  }

  // A sentence about what the lines of the switch lack; empty: nothing.
  std::string rates_at(const std::string& name, const std::map<PortId, std::uint64_t>& wanted,
                       TimePoint give_up) {
    const std::string path = naming::path_of(naming::kSwitchServers, name);
    const auto object = resolved(names_, PeerKind::kSwitchServer, path);
    if (!object)
      return fmt::format("{}: its rates follow when it reports: {}", name, object.error().text);
    const v2::SwitchServer_var server = v2::SwitchServer::_unchecked_narrow(*object);
    std::string differs;
    const auto asked =
        call_peer(peer_of(PeerKind::kSwitchServer, path, server), server, [&]() -> OrFailure<bool> {
          const v2::SwitchOperations_var operations = server->switch_operations();
          operations->report_now();
          for (;;) {
            differs = differing(v2::PortReportSeq_var(operations->ports()).in(), wanted);
            if (differs.empty() || steady_now() >= give_up) return true;
            pause_();
          }
        });
    if (!asked)
      return fmt::format("{}: its rates follow when it reports: {}", name, asked.error().text);
    return differs.empty() ? differs : fmt::format("{}: {}", name, differs);
  }

  static std::string differing(const v2::PortReportSeq& reports,
                               std::map<PortId, std::uint64_t> wanted) {
    std::vector<std::string> words;
    for (CORBA::ULong i = 0; i < reports.length(); ++i) {
      const v2::PortState& port = reports[i].state;
      const auto rate = wanted.find(PortId{port.port_number});
      if (rate == wanted.end()) continue;
      if (port.cells_per_s != rate->second) {
        words.push_back(fmt::format("the line at port {} has {} cells/s, not {}", port.port_number,
                                    port.cells_per_s, rate->second));
      }
      wanted.erase(rate);
    }
    for (const auto& [port, rate] : wanted) {
      words.push_back(fmt::format("the switch has no port {}", port));
    }
    return fmt::format("{}", fmt::join(words, "; "));
  }

  orb::NameClient& names_;
  const v2::RouteObject_ptr route_object_;
  const Peer peer_;
  const NetworkWish& wish_;
  const Pause& pause_;
  v2::RouteOperations_var operations_;
  std::vector<Manager> managers_;
  std::vector<Lost> lost_;
  std::vector<std::pair<const Manager*, AffectedCall>> left_;  // at the last look
  bool looked_ = false;                                        // the last look was at all managers
  std::set<Id> planned_;          // calls over what is removed, before anything was drained
  std::set<std::string> silent_;  // managers
  std::vector<PathElement> drained_here_;
  NetworkChanged result_;
};

}  // namespace

OrFailure<NetworkChanged> changed_network(orb::NameClient& names, v2::RouteObject_ptr route_object,
                                          const NetworkWish& wish, const Pause& pause) {
  return NetworkChange(names, route_object, wish, pause).run();
}

}  // namespace xbind::ctl
