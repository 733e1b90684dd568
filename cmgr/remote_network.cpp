// RemotePeers: what a manager learns before it serves: the network, its own epochs, and the hops
// that SwitchServers hold for it.
#include <algorithm>
#include <future>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

#include "cmgr/parts/timers.hpp"
#include "cmgr/remote_peers.hpp"
#include "core/log.hpp"
#include "core/name.hpp"
#include "orb/convert.hpp"

namespace xbind::cmgr {
namespace {

constexpr std::size_t kLinksMax = 1U << 20;
constexpr auto kEpochTimeoutMs =
    static_cast<CORBA::ULong>(kManagerTimers.ms("epoch-answer").count());

// Threads that ask for epochs: twice as many as attach, because a manager does nothing else then,
// and each silent SwitchServer costs a whole kEpochTimeoutMs.
constexpr std::size_t kEpochsAtOnce = 2 * kSwitchAttachLimits.at_once;

constexpr Duration kLooksForEnd = kManagerTimers["logic-wait"];

template <class T>
std::vector<std::string> names_of(const T& names) {
  std::vector<std::string> out;
  for (CORBA::ULong i = 0; i < names.length(); ++i) out.emplace_back(names[i]);
  return out;
}

// Asks for one path from each endpoint: its first and last hops show where the endpoints are.
// Endpoints without a path now are left out; a later route shows them.
std::vector<NetworkEnd> ends_of(v2::RouteObject_ptr object) {
  constexpr CORBA::ULong kPerPage = 1'000;
  constexpr std::size_t kPathsPerCall = 32;
  std::vector<std::string> names;
  while (names.size() < KnownNetwork::kEndsMax) {
    const v2::NameSeq_var page =
        object->endpoints(static_cast<CORBA::ULong>(names.size()), kPerPage);
    if (page->length() == 0) break;
    for (std::string& name : names_of(page.in())) names.push_back(std::move(name));
  }
  std::vector<NetworkEnd> ends;
  if (names.size() < 2) return ends;
  for (std::size_t done = 0; done < names.size(); done += 2 * kPathsPerCall) {
    const std::size_t rest = std::min(names.size() - done, 2 * kPathsPerCall);
    v2::RouteQuerySeq asked;
    asked.length(static_cast<CORBA::ULong>((rest + 1) / 2));
    for (CORBA::ULong i = 0; i < asked.length(); ++i) {
      const std::size_t from = done + 2 * std::size_t{i};
      asked[i].from_end = names[from].c_str();
      asked[i].to_end = names[from + 1 < names.size() ? from + 1 : 0].c_str();
      asked[i].cells_per_s = 0;
      asked[i].metric = static_cast<CORBA::Octet>(RouteMetric::kHops);
      asked[i].delay_us_max = 0;
      asked[i].links_max = 0;
      asked[i].disjoint = v2::disjoint_no;
    }
    const v2::RouteAnswers_var answers = object->find_paths(asked);
    for (CORBA::ULong i = 0; i < answers->answers.length() && i < asked.length(); ++i) {
      if (!answers->answers[i]._d()) continue;
      const v2::RouteHopSeq& hops = answers->answers[i].found().hops;
      if (hops.length() == 0) continue;
      const v2::RouteHop& first = hops[0];
      const v2::RouteHop& last = hops[hops.length() - 1];
      ends.push_back({asked[i].from_end.in(), first.switch_name.in(), PortId{first.input_port}});
      ends.push_back({asked[i].to_end.in(), last.switch_name.in(), PortId{last.output_port}});
    }
  }
  return ends;
}

}  // namespace

Result<std::vector<HeldHops>> RemotePeers::hops_held(const std::string& peer,
                                                     v2::SwitchServer_ptr server,
                                                     v2::SessionId session) {
  std::vector<HeldHops> pages;
  std::uint64_t from = 0;
  do {
    const auto page = orb::remote(peer, server, [&] {
      const v2::HopPage_var received = server->held_hops(session, from);
      return orb::to_core(received.in());
    });
    if (!page) return tl::make_unexpected(page.error());
    if (page->next != 0 && page->next <= from) {
      return fail(ErrorCode::kProtocol, "{}: the page of hops at {} is followed by one at {}",
                  orb::with_address(peer, server), from, page->next);
    }
    from = page->next;
    pages.push_back(*page);
  } while (from != 0);
  return pages;
}

template <class Answer>
std::optional<Answer> RemotePeers::ask_logic(std::function<Answer(ConnectionManager&)> question) {
  const auto answer = std::make_shared<std::promise<Answer>>();
  auto future = answer->get_future();
  post_([answer, question = std::move(question)](ConnectionManager& manager) {
    answer->set_value(question(manager));
  });
  while (future.wait_for(kLooksForEnd) != std::future_status::ready) {
    const std::lock_guard lock(mutex_);
    if (stop_) return std::nullopt;
  }
  return future.get();
}

Result<ClaimsTaken> RemotePeers::claim(const std::string& switch_name, v2::SwitchServer_ptr server,
                                       v2::SessionId session) {
  const auto pages = ask_logic<std::vector<HopClaims>>([&switch_name](ConnectionManager& manager) {
    return manager.claims_at(switch_name, steady_now());
  });
  if (!pages) return fail(ErrorCode::kUnreachable, "this manager ends");
  const std::string peer = "switchserver " + switch_name;
  std::size_t claimed = 0;
  ClaimsTaken all;
  for (const HopClaims& page : *pages) {
    v2::HopPage hops;
    v2::PortLabelsSeq resting;
    orb::to_idl(page, hops);
    orb::to_idl(page.resting, resting);
    auto taken = orb::remote(peer, server, [&] {
      const v2::ClaimsTaken_var answer = server->claim_hops(session, hops, resting, page.all);
      return orb::to_core(answer.in());
    });
    if (!taken) return tl::make_unexpected(taken.error());
    claimed += page.hops.size();
    std::ranges::move(taken->refused, std::back_inserter(all.refused));
    all.quarantined = std::move(taken->quarantined);
    all.unclaimed = std::move(taken->unclaimed);
    all.unclaimed_entries = taken->unclaimed_entries;
  }
  if (claimed != 0) {
    log::sessions.info("{} hops claimed at switchserver {}, whose ledger is new; {} refused",
                       claimed, switch_name, all.refused.size());
  }
  return all;
}

bool RemotePeers::nothing_is_missing() {
  return ask_logic<bool>([](ConnectionManager& manager) { return manager.recovery().knows_all(); })
      .value_or(false);
}

void RemotePeers::claim_lost(const std::string& switch_name) {
  {
    const std::lock_guard lock(mutex_);
    asked_.insert(switch_name);
  }
  attach_switch(switch_name, AttachTable::Lost::kNothing);
}

void RemotePeers::finish_claims(SessionId session, const std::string& switch_name) {
  jobs_.add([this, session, switch_name] {
    const auto say = [&]() -> Result<std::uint64_t> {
      const auto server = switch_server(switch_name);
      if (!server) return tl::make_unexpected(server.error());
      return orb::remote("switchserver " + switch_name, *server, [&] {
        const v2::ClaimsTaken_var answer =
            (*server)->claim_hops(session.value(), v2::HopPage{}, v2::PortLabelsSeq{}, true);
        return std::uint64_t{answer->unclaimed_entries};
      });
    };
    const auto answer = say();
    bool logged_before = false;
    {
      const std::lock_guard lock(mutex_);
      if (answer) {
        claims_unheard_.erase(switch_name);
      } else {
        logged_before = !claims_unheard_.insert(switch_name).second;
      }
    }
    if (!answer && !logged_before) {
      log::sessions.info("switchserver {} still awaits claims: {}", switch_name,
                         answer.error().text);
    }
    const auto left = answer ? std::optional{*answer} : std::nullopt;
    post_([switch_name, session, left](ConnectionManager& manager) {
      manager.claims_finished(switch_name, session, left, steady_now());
    });
  });
}

Result<RemotePeers::Network> RemotePeers::network() {
  Network network;
  const auto version_of = [](v2::RouteObject_ptr object) {
    return std::uint64_t{v2::TopologyState_var{object->unusable_elements(0, 1)} -> network_version};
  };
  const auto asked = at_route_object("the network", [&](v2::RouteObject_ptr object) {
    network = {};  // a second try begins from the start
    // If the network changes meanwhile, the version is not the one of the next notice, and the
    // network is fetched again.
    network.version = version_of(object);
    constexpr CORBA::ULong kPerPage = 1'000;
    std::vector<std::string>& names = network.switches;
    while (names.size() <= SwitchDesk::kSwitches) {
      const v2::NameSeq_var page =
          object->switches(static_cast<CORBA::ULong>(names.size()), kPerPage);
      if (page->length() == 0) break;
      for (std::string& name : names_of(page.in())) names.push_back(std::move(name));
    }
    const v2::RouteOperations_var operations = object->route_operations();
    while (network.links.size() <= kLinksMax) {
      const v2::LinkStateSeq_var page =
          operations->links(static_cast<CORBA::ULong>(network.links.size()), kPerPage);
      if (page->length() == 0) break;
      for (CORBA::ULong i = 0; i < page->length(); ++i) {
        const v2::RouteElement& one = page.in()[i].first_end;
        const v2::RouteElement& other = page.in()[i].second_end;
        network.links.push_back({one.switch_name.in(), PortId{one.output_port},
                                 other.switch_name.in(), PortId{other.output_port},
                                 page.in()[i].cells_per_s});
      }
    }
    network.ends = ends_of(object);
  });
  if (!asked) return tl::make_unexpected(asked.error());
  if (network.switches.size() > SwitchDesk::kSwitches || network.links.size() > kLinksMax) {
    return fail(ErrorCode::kProtocol,
                "routeobject {} names {} switches and {} links; at most {} and {} are accepted",
                options_.route_object, network.switches.size(), network.links.size(),
                SwitchDesk::kSwitches, kLinksMax);
  }
  const std::set<std::string> known(network.switches.begin(), network.switches.end());
  for (const NetworkLink& link : network.links) {
    if (known.contains(link.switch_name) && known.contains(link.other_switch_name)) continue;
    return fail(ErrorCode::kProtocol,
                "routeobject {} names a link of {} and {}, which are not both "
                "among its switches",
                options_.route_object, printable(link.switch_name),
                printable(link.other_switch_name));
  }
  return network;
}

void RemotePeers::give_network(const Network& network) {
  if (!epoch_begun_) return;
  {
    const std::lock_guard lock(mutex_);
    if (network_version_ == network.version) return;
    network_version_ = network.version;
  }
  // Without the lock: this thread may become the runner of the logic, which attaches.
  post_([network](ConnectionManager& manager) {
    manager.set_network(network.switches, network.links, steady_now(), network.ends);
  });
}

void RemotePeers::let_go_of_switch(const std::string& switch_name) {
  const std::lock_guard lock(mutex_);
  attachments_.give_up(switch_name);
}

void RemotePeers::ask_each(
    const std::vector<std::string>& switches,
    const std::function<void(const std::string&, const Result<v2::SwitchServer_var>&)>& ask) {
  std::atomic<std::size_t> next = 0;
  const auto run = [&] {
    for (std::size_t i = next++; i < switches.size(); i = next++) {
      auto server = switch_server(switches[i]);
      if (server) omniORB::setClientCallTimeout(*server, kEpochTimeoutMs);
      ask("switchserver " + switches[i], server);
    }
  };
  std::vector<std::thread> threads;
  const std::size_t at_once = std::min(switches.size(), kEpochsAtOnce);
  for (std::size_t i = 0; i < at_once; ++i) threads.emplace_back(run);
  for (std::thread& thread : threads) thread.join();
}

RemotePeers::EpochsKnown RemotePeers::known_epochs(const std::vector<std::string>& switches) {
  std::mutex mutex;
  EpochsKnown known;
  ask_each(switches, [&](const std::string& peer, const Result<v2::SwitchServer_var>& server) {
    Result<ManagerEpochs> answer = fail(ErrorCode::kUnreachable, "not asked");
    if (server) {
      answer = orb::remote(peer, *server, [&] {
        const v2::ManagerEpochs_var there = (*server)->epochs_of(options_.manager.c_str());
        return orb::to_core(there.in());
      });
    }
    const std::lock_guard lock(mutex);
    if (answer) {
      merge(known.epochs, *answer);
    } else {
      ++known.silent;
    }
  });
  return known;
}

Result<void> RemotePeers::renew_epochs(const std::vector<std::string>& switches, Epoch newest) {
  std::mutex mutex;
  Result<void> all;
  ask_each(switches, [&](const std::string& peer, const Result<v2::SwitchServer_var>& server) {
    Result<void> renewed;
    if (server) {
      renewed = orb::remote(peer, *server, [&] {
        const v2::SwitchOperations_var operations = (*server)->switch_operations();
        operations->renew_epoch(options_.manager.c_str(), newest.value());
      });
    } else {
      renewed = tl::make_unexpected(server.error());
    }
    const std::lock_guard lock(mutex);
    if (all && !renewed) all = renewed;
  });
  return all;
}

}  // namespace xbind::cmgr
