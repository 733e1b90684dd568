// Upcalls of all daemons under libFuzzer: an input is a row of requests,
//
//   | place in kOperations 1 | octets of the arguments 2 | arguments in CDR |
//
// which pass through the generated skeletons, orb/dispatch and the servants to the logic: a
// SwitchServer with a switch in memory and the attached manager "m1"; a manager with the client
// "c1", the SwitchServer "sw1" and a route over it; RouteObject with two switches; QOSMapper.
//
// A request ends with an answer, an exception of its contract, or MARSHAL. Afterwards the books of
// the SwitchServer agree with each other.
#include <memory>
#include <optional>

#include "cmgr/servant.hpp"
#include "cmgr/servant_operations.hpp"
#include "core/log.hpp"
#include "core/steady_now.hpp"
#include "orb/convert.hpp"
#include "qosmapper/servant.hpp"
#include "routeobject/servant.hpp"
#include "switchserver/servant.hpp"
#include "tests/fuzz/memory_driver.hpp"
#include "tests/fuzz/property.hpp"
#include "tests/fuzz/upcall.hpp"
#include "tests/fuzz/upcall_table.hpp"
#include "tests/integration/fixed_options.hpp"

namespace {

using namespace xbind;
using namespace xbind::fuzz;

CORBA::ORB_ptr the_orb() {
  static const CORBA::ORB_var orb = [] {
    log::start("xbind-fuzz", log::Level::kOff);
    int argc = 0;
    return CORBA::ORB_init(argc, nullptr);
  }();
  return orb;
}

template <class Servant>
using ServantVar = PortableServer::Servant_var<Servant>;

class SwitchWorld {
 public:
  SwitchWorld() : daemon_(options(), std::make_unique<MemoryDriver>(ports()), timers(), nullptr) {
    daemon_.start();
    daemon_.ask([](SwitchServer& server) {
      const auto attached = server.attach("m1", Epoch{1}, steady_now());
      require(attached && attached->session == SessionId{kManagerSession}, "m1 is not attached");
      return true;
    });
    inbox_ = new HopInboxServant(daemon_);
    operations_ = new SwitchOperationsServant(daemon_, options_);
    server_ = new SwitchServerServant(daemon_, v2::HopInbox::_nil(), v2::SwitchOperations::_nil());
  }

  omniServant& servant(ServantKind kind) {
    if (kind == ServantKind::kHopInbox) return *inbox_.in();
    if (kind == ServantKind::kSwitchServer) return *server_.in();
    return *operations_.in();
  }
  void check() {
    const auto wrong = daemon_.ask(
        [](SwitchServer& server) { return server.controller().ledger().self_check("sw1"); });
    if (!wrong.empty()) broken("the books of a ledger contradict each other", wrong[0].text);
    const HeldHops held = daemon_.ask([](SwitchServer& server) {
      return server.controller().held_hops("m1", 0, 1'000, steady_now());
    });
    for (const LedgerHop& hop : held.hops) {
      require(hop.hold_left <= std::chrono::milliseconds{kHoldMsMax}, "a hold lasts too long");
    }
  }

 private:
  static std::vector<SwitchPort> ports() {
    std::vector<SwitchPort> all;
    for (std::uint32_t i = 1; i <= 4; ++i) {
      all.push_back({PortId{i}, {atm_range(0, 0, 32, 63)}, 1000, true});
    }
    return all;
  }
  static SwitchServerDaemonOptions options() {
    SwitchServerDaemonOptions options;
    options.server.controller.name = "sw1";
    return options;
  }
  static orb::SharedTimers& timers() {
    static orb::SharedTimers all;
    return all;
  }

  SwitchServerDaemon daemon_;
  FixedOptions options_;
  ServantVar<HopInboxServant> inbox_;
  ServantVar<SwitchOperationsServant> operations_;
  ServantVar<SwitchServerServant> server_;
};

class ManagerWorld {
 public:
  ManagerWorld() : daemon_(the_orb(), config(), peers()) {
    daemon_.ask([](cmgr::ConnectionManager& manager) {
      const TimePoint now = steady_now();
      manager.set_network({"sw1"}, {}, now);
      manager.switch_attached("sw1", SessionId{kSwitchSession}, 256, {}, now);
      manager.on_routes({route("ann", "bob"), route("bob", "ann")}, std::chrono::hours(1), now);
      const auto attached = manager.attach_client("c1", Epoch{1}, now);
      require(attached && attached->session == SessionId{kClientSession}, "c1 is not attached");
      return true;
    });
    inbox_ = new cmgr::RequestInboxServant(daemon_);
    observer_ = new cmgr::HopObserverServant(daemon_);
    topology_observer_ = new cmgr::TopologyObserverServant(daemon_);
    operations_ = new cmgr::ManagerOperationsServant(
        daemon_, [] { return Duration{}; }, options_, pools_);
    manager_ = new cmgr::ConnectionManagerServant(daemon_, v2::RequestInbox::_nil(),
                                                  v2::ManagerOperations::_nil(),
                                                  [] { return Duration{}; });
  }

  omniServant& servant(ServantKind kind) {
    if (kind == ServantKind::kRequestInbox) return *inbox_.in();
    if (kind == ServantKind::kHopObserver) return *observer_.in();
    if (kind == ServantKind::kTopologyObserver) return *topology_observer_.in();
    if (kind == ServantKind::kManager) return *manager_.in();
    return *operations_.in();
  }

 private:
  static cmgr::Config config() {
    cmgr::Config config;
    config.label_cache_target = 4;
    return config;
  }
  static cmgr::RemotePeers::Options peers() {
    cmgr::RemotePeers::Options options;
    options.manager = "m1";
    options.epoch = Epoch{1};
    return options;
  }
  static cmgr::RouteReply route(const std::string& from, const std::string& to) {
    cmgr::RouteReply reply;
    reply.query.from = from;
    reply.query.to = to;
    const bool forward = from < to;
    reply.path = {{{"sw1", PortId{forward ? 1U : 2U}, PortId{forward ? 2U : 1U}}}, 10'000};
    return reply;
  }

  cmgr::ManagerDaemon daemon_;
  FixedOptions options_;
  cmgr::PoolKeeper pools_{"", {}};
  ServantVar<cmgr::RequestInboxServant> inbox_;
  ServantVar<cmgr::HopObserverServant> observer_;
  ServantVar<cmgr::TopologyObserverServant> topology_observer_;
  ServantVar<cmgr::ManagerOperationsServant> operations_;
  ServantVar<cmgr::ConnectionManagerServant> manager_;
};

class RouteWorld {
 public:
  RouteWorld()
      : routes_(topology(), 1000),
        watchers_(routes_),
        drains_(routes_, ""),
        networks_(routes_, {}) {
    operations_ = new RouteOperationsServant(dispatch_, supervision_, routes_, watchers_, drains_,
                                             networks_, options_);
    object_ = new RouteObjectServant(dispatch_, routes_, watchers_, v2::RouteOperations::_nil());
  }
  ~RouteWorld() { watchers_.stop(); }

  omniServant& servant(ServantKind kind) {
    if (kind == ServantKind::kRouteObject) return *object_.in();
    return *operations_.in();
  }

 private:
  static Topology topology() {
    Topology topology("two");
    const SwitchIndex a = topology.add_switch("ann", true).value();
    const SwitchIndex b = topology.add_switch("bob", true).value();
    for (const std::uint32_t port : {2U, 3U}) {
      require(topology.add_link({a, PortId{port}}, {b, PortId{port}}, 1000).has_value(), "a link");
    }
    require(topology.add_demand(a, b, 1).has_value(), "a demand");
    return topology;
  }

  orb::Dispatch dispatch_{"RouteObject"};
  orb::SharedTimers timers_;
  orb::Supervision supervision_{timers_, "routeobject", true, [](const auto& done) { done({}); }};
  RouteService routes_;
  RemoteWatchers watchers_;
  DrainKeeper drains_;
  FixedOptions options_;
  NetworkKeeper networks_;
  ServantVar<RouteOperationsServant> operations_;
  ServantVar<RouteObjectServant> object_;
};

omniServant& qos_mapper() {
  static orb::Dispatch dispatch("QOSMapper");
  static const ServantVar<QosMapperServant> mapper =
      new QosMapperServant(dispatch, catalogue_of_option("").value(), v2::QosOperations::_nil());
  return *mapper.in();
}

orb::Dispatch& echo_dispatch() {
  static orb::Dispatch dispatch("Echo");
  return dispatch;
}

template <class Batch, class Idl>
Result<Batch> converted(const Batch& batch) {
  Idl out;
  orb::to_idl(batch, out);
  return orb::to_core(out);
}

struct HopEcho : orb::Dispatched<POA_xbind::v2::HopInbox> {
  HopEcho() : Dispatched(echo_dispatch()) {}
  void submit_hops(v2::SessionId, v2::BatchSeq, v2::BatchSeq, const v2::HopBatch& batch) override {
    const auto once = orb::to_core(batch);
    if (!once) return require_sentence(printable(once.error().text));
    auto again = converted<HopBatch, v2::HopBatch>(*once);
    require(again.has_value(), "commands are refused after their conversion");
    again->owners.resize(once->owners.size());  // those of handovers are added behind the others
    require(*again == *once, "commands are not the same after their conversion");
  }
};

struct ResultEcho : orb::Dispatched<POA_xbind::v2::HopObserver> {
  ResultEcho() : Dispatched(echo_dispatch()) {}
  void deliver_results(v2::SessionId, v2::BatchSeq, v2::BatchSeq,
                       const v2::HopResultBatch& batch) override {
    const auto once = orb::to_core(batch);
    if (!once) return require_sentence(printable(once.error().text));
    require(converted<HopResultBatch, v2::HopResultBatch>(*once) == once,
            "results are not the same after their conversion");
  }
  void manager_session_ended(v2::SessionId, v2::SessionEnd, const char*) override {}
};

OutcomeBatch converted(const OutcomeBatch& batch) {
  v2::OutcomeSeq outcomes;
  v2::NoticeSeq notices;
  orb::to_idl(batch, outcomes, notices);
  auto again = orb::to_core(outcomes, notices);
  require(again.has_value(), "outcomes are refused after their conversion");
  return *std::move(again);
}

struct OutcomeEcho : orb::Dispatched<POA_xbind::v2::OutcomeObserver> {
  OutcomeEcho() : Dispatched(echo_dispatch()) {}
  void deliver_outcomes(v2::SessionId, v2::BatchSeq, v2::BatchSeq, const v2::OutcomeSeq& outcomes,
                        const v2::NoticeSeq& notices) override {
    auto batch = orb::to_core(outcomes, notices);
    if (!batch) return require_sentence(printable(batch.error().text));
    // The first conversion completes a refusal that gives no reason.
    batch = converted(*batch);
    require(converted(*batch) == *batch, "outcomes are not the same after their conversion");
  }
  void client_session_ended(v2::SessionId, v2::SessionEnd, const char*) override {}
};

template <class Servant>
omniServant& echo() {
  static const ServantVar<Servant> servant = new Servant;
  return *servant.in();
}

// Worlds begin when a request of an input needs them: each has a thread.
struct Worlds {
  std::optional<SwitchWorld> switches;
  std::optional<ManagerWorld> manager;
  std::optional<RouteWorld> routes;

  template <class World>
  static omniServant& of(std::optional<World>& world, ServantKind kind) {
    if (!world) world.emplace();
    return world->servant(kind);
  }
  omniServant& servant(ServantKind kind) {
    switch (kind) {
      case ServantKind::kHopInbox:
      case ServantKind::kSwitchServer:
      case ServantKind::kSwitchOperations: return of(switches, kind);
      case ServantKind::kRequestInbox:
      case ServantKind::kHopObserver:
      case ServantKind::kTopologyObserver:
      case ServantKind::kManager:
      case ServantKind::kManagerOperations: return of(manager, kind);
      case ServantKind::kRouteObject:
      case ServantKind::kRouteOperations: return of(routes, kind);
      case ServantKind::kQosMapper: return qos_mapper();
      case ServantKind::kEchoOfHops: return echo<HopEcho>();
      case ServantKind::kEchoOfResults: return echo<ResultEcho>();
      case ServantKind::kEchoOfOutcomes: break;
    }
    return echo<OutcomeEcho>();
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  the_orb();
  Worlds worlds;
  for (std::span input(data, size); input.size() >= 3;) {
    const Operation& operation = kOperations[input[0] % kOperationCount];
    const std::size_t octets = std::min<std::size_t>(input[1] << 8 | input[2], input.size() - 3);
    // A vector's memory is aligned, as a request's body is.
    const std::vector<std::uint8_t> arguments(input.begin() + 3,
                                              input.begin() + 3 + static_cast<long>(octets));
    upcall(worlds.servant(operation.servant), operation.name, arguments);
    input = input.subspan(3 + octets);
  }
  if (worlds.switches) worlds.switches->check();
  return 0;
}
