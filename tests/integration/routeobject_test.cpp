// RouteObject's servant and the observers that it notifies, with a real ORB and no other process.
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <omniORB4/CORBA.h>
#include <sys/socket.h>
#include <unistd.h>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/steady_now.hpp"
#include "orb/runtime.hpp"
#include "routeobject/servant.hpp"
#include "tests/integration/fixed_options.hpp"

namespace xbind {
namespace {

using testing::HasSubstr;

class OrbEnvironment : public testing::Environment {
 public:
  void SetUp() override {
    char name[] = "routeobject_test";
    char* argv[] = {name, nullptr};
    runtime = std::make_unique<orb::Runtime>(1, argv, orb::RuntimeOptions{});
  }
  void TearDown() override { runtime.reset(); }
  static inline std::unique_ptr<orb::Runtime> runtime;
};
const auto* const kEnvironment = testing::AddGlobalTestEnvironment(new OrbEnvironment);

constexpr std::chrono::seconds kPatience{20};  // only a failure waits so long

// A manager that stores the notices it receives.
class Observer : public POA_xbind::v2::TopologyObserver {
 public:
  void topology_changed(const v2::TopologyState& state) override {
    const std::lock_guard lock(mutex_);
    last_ = state;
    wake_.notify_all();
  }
  // The last notice, once its version is `version` or later.
  v2::TopologyState wait_for(std::uint64_t version) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(wake_.wait_for(lock, kPatience, [&] { return last_.topology_version >= version; }))
        << "version " << version << " was not reported";
    return last_;
  }
  std::uint64_t last_version() {
    const std::lock_guard lock(mutex_);
    return last_.topology_version;
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  v2::TopologyState last_{};
};

// a:2 -- 1:x:2 -- 2:b
Topology line_of_three() {
  Topology topology("line");
  const SwitchIndex a = topology.add_switch("a", true).value();
  const SwitchIndex x = topology.add_switch("x", false).value();
  const SwitchIndex b = topology.add_switch("b", true).value();
  const std::size_t first = topology.add_link({a, PortId{2}}, {x, PortId{1}}, 1000).value();
  EXPECT_TRUE(topology.set_link_delay(first, 40));
  EXPECT_TRUE(topology.add_link({x, PortId{2}}, {b, PortId{2}}, 500));
  return topology;
}

class RouteObjectTest : public testing::Test {
 protected:
  explicit RouteObjectTest(std::uint32_t validity_ms = 3'600'000)
      : RouteObjectTest(line_of_three(), validity_ms) {}
  RouteObjectTest(Topology topology, std::uint32_t validity_ms)
      : routes_(std::move(topology), validity_ms), watchers_(routes_) {
    operations_ = new RouteOperationsServant(dispatch_, supervision_, routes_, watchers_, drains_,
                                             networks_, options_);
    const CORBA::Object_var theirs = OrbEnvironment::runtime->activate(operations_.in());
    const v2::RouteOperations_var reference = v2::RouteOperations::_unchecked_narrow(theirs);
    servant_ = new RouteObjectServant(dispatch_, routes_, watchers_, reference);
    const CORBA::Object_var object = OrbEnvironment::runtime->activate(servant_.in());
    route_object = v2::RouteObject::_unchecked_narrow(object);
  }
  ~RouteObjectTest() override {
    const PortableServer::POA_var poa = servant_->_default_POA();
    const PortableServer::ObjectId_var id = poa->servant_to_id(servant_.in());
    poa->deactivate_object(id);
    const PortableServer::ObjectId_var operations = poa->servant_to_id(operations_.in());
    poa->deactivate_object(operations);
  }

  v2::TopologyObserver_var reference(Observer& observer) {
    const CORBA::Object_var object = OrbEnvironment::runtime->activate(&observer);
    return v2::TopologyObserver::_unchecked_narrow(object);
  }
  void report_x(std::uint64_t number, bool up) {
    v2::PortNewsSeq ports;
    ports.length(1);
    ports[0] = {2, up, 500, 500};
    const v2::ReportAnswer_var answer = route_object->report_ports("x", 1, number, ports);
  }
  v2::RouteOperations_var operations() { return route_object->route_operations(); }
  static v2::RouteQuery query(const char* from, const char* to, std::uint64_t cells_per_s) {
    v2::RouteQuery query;
    query.from_end = from;
    query.to_end = to;
    query.cells_per_s = cells_per_s;
    query.metric = v2::metric_hops;
    query.delay_us_max = 0;
    query.links_max = 0;
    query.disjoint = v2::disjoint_no;
    return query;
  }
  v2::RouteAnswers_var ask(const v2::RouteQuery& query) {
    v2::RouteQuerySeq queries;
    queries.length(1);
    queries[0] = query;
    return route_object->find_paths(queries);
  }
  std::map<std::string, std::uint64_t> status() {
    const v2::MetricSeq_var metrics = route_object->status();
    std::map<std::string, std::uint64_t> named;
    for (CORBA::ULong i = 0; i < metrics->length(); ++i) {
      named[metrics.in()[i].name.in()] = metrics.in()[i].value;
    }
    return named;
  }

  orb::Dispatch dispatch_{"routeobject_test"};
  orb::SharedTimers timers_;
  orb::Supervision supervision_{timers_, "routeobject", true, [](const auto& done) { done({}); }};
  RouteService routes_;
  NetworkKeeper networks_{routes_, {}};
  RemoteWatchers watchers_;
  DrainKeeper drains_{routes_, ""};
  FixedOptions options_;
  PortableServer::Servant_var<RouteOperationsServant> operations_;
  PortableServer::Servant_var<RouteObjectServant> servant_;
  v2::RouteObject_var route_object;
};

// The named constants match the enumerators, number for number.
static_assert(v2::metric_hops == static_cast<int>(PathMetric::kHops));
static_assert(v2::metric_delay == static_cast<int>(PathMetric::kDelay));
static_assert(v2::metric_load == static_cast<int>(PathMetric::kLoad));
static_assert(v2::disjoint_no == static_cast<int>(Disjoint::kNo));
static_assert(v2::disjoint_links == static_cast<int>(Disjoint::kLinks));
static_assert(v2::disjoint_switches == static_cast<int>(Disjoint::kSwitches));

TEST_F(RouteObjectTest, EveryConstraintGetsThroughAndEveryNumberComesBack) {
  v2::RouteQuery wanted = query("a", "b", 500);
  v2::RouteAnswers_var answers = ask(wanted);
  EXPECT_EQ(answers->topology_version, 1u);
  EXPECT_EQ(answers->validity_ms, 3'600'000u);
  ASSERT_EQ(answers->answers[0].found().hops.length(), 3u);
  EXPECT_STREQ(answers->answers[0].found().hops[1].switch_name, "x");
  EXPECT_EQ(answers->answers[0].found().free_cells_per_s, 500u);
  EXPECT_EQ(answers->answers[0].found().delay_us, 40u);

  const auto cause_of = [&](const v2::RouteQuery& asked) {
    answers = ask(asked);
    return cause_from(answers->answers[0].why().cause);
  };
  EXPECT_EQ(cause_of(query("a", "b", 501)), Cause::kNoBandwidth);
  EXPECT_EQ(answers->answers[0].why().asked, 501u);
  EXPECT_EQ(answers->answers[0].why().free, 500u);
  wanted.delay_us_max = 39;
  EXPECT_EQ(cause_of(wanted), Cause::kPathBound);
  EXPECT_STREQ(answers->answers[0].why().element, "delay_us");
  EXPECT_EQ(answers->answers[0].why().asked, 39u);
  EXPECT_EQ(answers->answers[0].why().free, 40u);
  wanted = query("a", "b", 1);
  wanted.links_max = 1;
  EXPECT_EQ(cause_of(wanted), Cause::kPathBound);
  EXPECT_STREQ(answers->answers[0].why().element, "links");
  wanted = query("a", "b", 1);
  wanted.require.length(1);
  wanted.require[0].switch_name = "q";
  wanted.require[0].output_port = 0;
  EXPECT_EQ(cause_of(wanted), Cause::kInvalidRequest);
  EXPECT_STREQ(answers->answers[0].why().element, "q");
  wanted = query("a", "b", 1);
  wanted.avoid.length(1);
  wanted.avoid[0].switch_name = "x";
  wanted.avoid[0].output_port = 0;
  EXPECT_EQ(cause_of(wanted), Cause::kNoRoute);
  wanted = query("a", "b", 1);
  wanted.disjoint = v2::disjoint_links;
  wanted.disjoint_from = ask(query("a", "b", 1))->answers[0].found().hops;
  EXPECT_EQ(cause_of(wanted), Cause::kNoRoute);
}

TEST_F(RouteObjectTest, WhatCannotBeIsABadRequest) {
  const auto reason = [](auto call) -> std::string {
    try {
      call();
    } catch (const v2::BadRequest& refused) {
      return refused.reason.in();
    }
    return "nothing was refused";
  };
  v2::RouteQuery wanted = query("a", "b", 1);
  wanted.metric = 3;
  EXPECT_EQ(reason([&] { ask(wanted); }), "metric 3 from 'a' to 'b' is unknown");
  wanted.metric = v2::metric_load;
  wanted.disjoint = 3;
  EXPECT_EQ(reason([&] { ask(wanted); }), "disjoint 3 from 'a' to 'b' is unknown");
  wanted.disjoint = v2::disjoint_no;
  EXPECT_THAT(reason([&] { v2::RouteAnswers_var(route_object->find_alternates(wanted, 65)); }),
              HasSubstr("65 alternates"));
  EXPECT_THAT(reason([&] { v2::LinkStateSeq_var(operations()->links(0, 0)); }),
              HasSubstr("0 links"));
  v2::RouteElement nowhere;
  nowhere.switch_name = "x";
  nowhere.output_port = 3;
  EXPECT_THAT(reason([&] { operations()->drain(nowhere, true); }), HasSubstr("port 3 of 'x'"));
  EXPECT_THAT(reason([&] { route_object->report_ports("q", 1, 1, v2::PortNewsSeq{}); }),
              HasSubstr("'q'"));
}

TEST_F(RouteObjectTest, WhatIsNoNameIsRefusedByName) {
  const auto reason = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const v2::BadRequest& refused) {
      return refused.reason.in();
    }
    return "not refused";
  };
  const std::string huge(100'000, 'x');
  EXPECT_THAT(reason([&] { ask(query("a\n", "b", 1)); }),
              HasSubstr("the endpoint 'a\\n' is no name"));
  EXPECT_LT(reason([&] { ask(query("a", huge.c_str(), 1)); }).size(), 200U);
  v2::RouteQuery around = query("a", "b", 1);
  around.avoid.length(1);
  around.avoid[0] = v2::RouteElement();
  around.avoid[0].switch_name = "\x1b[2J";
  EXPECT_THAT(reason([&] { ask(around); }), HasSubstr("the switch '\\x1b[2J' is no name"));
  EXPECT_THAT(reason([&] { route_object->report_ports("", 1, 1, v2::PortNewsSeq{}); }),
              HasSubstr("the switch '' is no name: it is empty"));
  v2::RouteElement nowhere;
  nowhere.switch_name = "a b";
  nowhere.output_port = 1;
  EXPECT_THAT(reason([&] { operations()->drain(nowhere, true); }), HasSubstr("is no name"));
}

// s000...: switches with the longest possible names, in a line.
Topology long_line(std::size_t switches) {
  Topology topology("long");
  const auto name = [](std::size_t i) { return fmt::format("s{:062}", i); };
  for (std::size_t i = 0; i < switches; ++i) {
    EXPECT_TRUE(topology.add_switch(name(i), i == 0 || i + 1 == switches));
    if (i == 0) continue;
    const auto index = static_cast<SwitchIndex>(i);
    EXPECT_TRUE(topology.add_link({index - 1, PortId{2}}, {index, PortId{3}}, 1000));
  }
  return topology;
}

class LongLine : public RouteObjectTest {
 protected:
  static constexpr std::size_t kSwitches = 250;
  LongLine() : RouteObjectTest(long_line(kSwitches), 3'600'000) {}

  static v2::RouteQuerySeq queries(CORBA::ULong count) {
    v2::RouteQuerySeq all;
    all.length(count);
    const std::string last = fmt::format("s{:062}", kSwitches - 1);
    const std::string first = fmt::format("s{:062}", 0);
    for (CORBA::ULong i = 0; i < count; ++i) all[i] = query(first.c_str(), last.c_str(), 1);
    return all;
  }
  template <class T>
  static std::size_t octets(const T& reply) {
    cdrMemoryStream stream;
    reply >>= stream;
    return stream.bufSize();
  }
};

TEST_F(LongLine, AnswersThatWouldBeTooLongAreRefusedAndAManagersFit) {
  const v2::RouteAnswers_var answers = route_object->find_paths(queries(32));  // remote_peers.cpp
  EXPECT_EQ(answers->answers.length(), 32U);
  EXPECT_GT(octets(answers.in()), 500'000U) << "or nothing is tested here";
  EXPECT_LT(octets(answers.in()), 1'000'000U);
  try {
    v2::RouteAnswers_var(route_object->find_paths(queries(100)));
    FAIL() << "the answers are longer than a reply may be";
  } catch (const v2::BadRequest& refused) {
    EXPECT_THAT(refused.reason.in(), HasSubstr("the answers to 100 queries exceed 900000 octets"));
  }
}

class ManyLinks : public RouteObjectTest {
 protected:
  ManyLinks() : RouteObjectTest(long_line(10'001), 3'600'000) {}
};

TEST_F(ManyLinks, APageOfLinksEndsWhereItsOctetsDo) {
  CORBA::ULong seen = 0;
  for (int pages = 1;; ++pages) {
    const v2::LinkStateSeq_var page = operations()->links(seen, 10'000);
    if (page->length() == 0) {
      EXPECT_EQ(pages, 4);
      break;
    }
    cdrMemoryStream stream;
    page.in() >>= stream;
    EXPECT_LT(stream.bufSize(), 1'000'000U);
    seen += page->length();
  }
  EXPECT_EQ(seen, 10'000U);
}

TEST_F(RouteObjectTest, AlternatesAndLinksAreReported) {
  const v2::RouteAnswers_var paths = route_object->find_alternates(query("a", "b", 1), 64);
  EXPECT_EQ(paths->answers.length(), 1u);
  report_x(1, false);
  const v2::LinkStateSeq_var links = operations()->links(1, 10);
  ASSERT_EQ(links->length(), 1u);
  EXPECT_STREQ(links.in()[0].first_end.switch_name, "x");
  EXPECT_EQ(links.in()[0].first_end.output_port, 2u);
  EXPECT_STREQ(links.in()[0].second_end.switch_name, "b");
  EXPECT_FALSE(links.in()[0].up);
  EXPECT_FALSE(links.in()[0].drained);
  EXPECT_EQ(links.in()[0].cells_per_s, 500u);
}

TEST_F(RouteObjectTest, WatchersAreToldAtOnceAndFromWatchOn) {
  const PortableServer::Servant_var<Observer> one = new Observer, other = new Observer;
  v2::TopologyState_var state = route_object->watch("m1", reference(*one.in()));
  EXPECT_EQ(state->topology_version, 1u);
  EXPECT_EQ(state->unusable.length(), 0u);
  // x --> RouteObject: port 2 is down
  report_x(1, false);
  const v2::TopologyState reported = one->wait_for(2);
  EXPECT_EQ(reported.topology_version, 2u);
  EXPECT_EQ(reported.validity_ms, 3'600'000u);
  ASSERT_EQ(reported.unusable.length(), 2u);
  EXPECT_STREQ(reported.unusable[0].element.switch_name, "x");
  EXPECT_EQ(reported.unusable[0].element.output_port, 2u);
  EXPECT_STREQ(reported.unusable[1].element.switch_name, "b");
  EXPECT_EQ(reported.unusable[1].why, v2::unusable_down);

  // A later watcher gets the state from watch() itself.
  state = route_object->watch("m2", reference(*other.in()));
  EXPECT_EQ(state->topology_version, 2u);
  EXPECT_EQ(state->unusable.length(), 2u);
  v2::RouteElement element;
  element.switch_name = "a";
  element.output_port = 2;
  operations()->drain(element, true);
  EXPECT_EQ(one->wait_for(3).unusable[0].why, v2::unusable_drained);
  EXPECT_EQ(other->wait_for(3).unusable.length(), 4u);
  const auto now = status();
  EXPECT_EQ(now.at("watchers"), 2u);
  EXPECT_EQ(now.at("links_down"), 1u);
  EXPECT_EQ(now.at("links_drained"), 1u);
  EXPECT_EQ(now.at("reports"), 1u);
  EXPECT_EQ(now.at("topology_version"), 3u);
}

TEST_F(RouteObjectTest, WhoEndsWatchingIsToldNoMore) {
  const PortableServer::Servant_var<Observer> gone = new Observer, still = new Observer;
  v2::TopologyState_var(route_object->watch("a-gone", reference(*gone.in())));
  v2::TopologyState_var(route_object->watch("still", reference(*still.in())));
  report_x(1, false);
  gone->wait_for(2);
  route_object->unwatch("a-gone");
  report_x(2, true);
  still->wait_for(3);  // "a-gone" would have been notified before
  EXPECT_EQ(gone->last_version(), 2u);
  EXPECT_EQ(status().at("watchers"), 1u);
}

v2::TopologyObserver_var observer_at(std::uint16_t port) {
  const std::string location = fmt::format("corbaloc:iiop:1.2@127.0.0.1:{}/nobody", port);
  const CORBA::Object_var object =
      OrbEnvironment::runtime->orb()->string_to_object(location.c_str());
  return v2::TopologyObserver::_unchecked_narrow(object);
}

TEST_F(RouteObjectTest, AWatcherThatCannotBeReachedIsRefused) {
  // Nobody listens on port 1 of this host.
  EXPECT_THROW(v2::TopologyState_var(route_object->watch("a-dead-one", observer_at(1))),
               v2::Unavailable);
  EXPECT_EQ(status().at("watchers"), 0u);
}

TEST_F(RouteObjectTest, AWatcherThatDiesIsDroppedAndTheOthersAreReported) {
  const PortableServer::Servant_var<Observer> live = new Observer;
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(bind(listener, any, size), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  ASSERT_EQ(getsockname(listener, any, &size), 0);
  v2::TopologyState_var(route_object->watch("dies", observer_at(ntohs(address.sin_port))));
  const int connection = accept(listener, nullptr, nullptr);
  const linger reset{1, 0};  // RST instead of FIN
  ASSERT_EQ(setsockopt(connection, SOL_SOCKET, SO_LINGER, &reset, sizeof reset), 0);
  close(connection);
  close(listener);
  v2::TopologyState_var(route_object->watch("live", reference(*live.in())));
  report_x(1, false);
  live->wait_for(2);
  report_x(2, true);  // the second notice waits for the first round to end
  live->wait_for(3);
  const auto now = status();
  EXPECT_EQ(now.at("watchers"), 1u);
  EXPECT_EQ(now.at("watchers_lost"), 1u);
}

TEST_F(RouteObjectTest, AWatcherWithoutObserverIsRefused) {
  EXPECT_THROW(v2::TopologyState_var(route_object->watch("m1", v2::TopologyObserver::_nil())),
               v2::Unavailable);
  const PortableServer::Servant_var<Observer> observer = new Observer;
  EXPECT_THROW(v2::TopologyState_var(route_object->watch("", reference(*observer.in()))),
               v2::Unavailable);
}

TEST_F(RouteObjectTest, ANoticeOfABurstIsTheStateAsItThenIs) {
  const PortableServer::Servant_var<Observer> observer = new Observer;
  v2::TopologyState_var(route_object->watch("m1", reference(*observer.in())));
  for (std::uint64_t number = 1; number <= 101; ++number) report_x(number, number % 2 == 0);
  EXPECT_EQ(observer->wait_for(102).unusable.length(), 2u);
  EXPECT_LE(status().at("notices_sent"), 101u);
}

class ShortLease : public RouteObjectTest {
 protected:
  ShortLease() : RouteObjectTest(1) {}
};

TEST_F(ShortLease, EndsByItself) {
  const PortableServer::Servant_var<Observer> observer = new Observer;
  v2::TopologyState_var(route_object->watch("m1", reference(*observer.in())));
  const TimePoint until = steady_now() + kPatience;
  while (status().at("watchers_lost") == 0 && steady_now() < until) std::this_thread::yield();
  EXPECT_EQ(status().at("watchers_lost"), 1u);
  EXPECT_EQ(status().at("watchers"), 0u);
}

}  // namespace
}  // namespace xbind
