// Promises of the shared CORBA code, tested with a real ORB in this process alone.
#include <gmock/gmock.h>
#include <omniORB4/CORBA.h>

#include <atomic>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "core/steady_now.hpp"
#include "orb/convert.hpp"
#include "orb/raise.hpp"
#include "orb/remote_error.hpp"
#include "orb/runtime.hpp"
#include "orb/shared_timers.hpp"
#include "orb/timer_thread.hpp"

namespace xbind::orb {
namespace {

using testing::HasSubstr;

// One ORB for all tests: strings cannot be marshalled without one, and a process has only one.
class OrbEnvironment : public testing::Environment {
 public:
  void SetUp() override {
    char name[] = "orb_test";
    char* argv[] = {name, nullptr};
    runtime = std::make_unique<Runtime>(1, argv, RuntimeOptions{});
  }
  void TearDown() override { runtime.reset(); }
  static inline std::unique_ptr<Runtime> runtime;
};
const auto* const kEnvironment = testing::AddGlobalTestEnvironment(new OrbEnvironment);

HopSetup some_setup(std::mt19937_64& random) {
  HopSetup setup;
  setup.key = {ConnectionId{random()}, Generation{static_cast<std::uint32_t>(random())},
               static_cast<std::uint16_t>(random()), static_cast<std::uint16_t>(random())};
  setup.commit = random() % 2 == 0;
  setup.hop_count = static_cast<std::uint16_t>(random());
  setup.input_port = PortId{static_cast<std::uint32_t>(random())};
  setup.input_label = random() % 2 == 0 ? Label{} : atm_label(4095, 65535);
  setup.output_port = PortId{static_cast<std::uint32_t>(random())};
  setup.output_label = {LabelKind::kMpls, static_cast<std::uint32_t>(random() % (1U << 20))};
  setup.demand = {random(), random()};
  setup.labels_wanted = static_cast<std::uint16_t>(random());
  setup.owner = 0;
  setup.held = random() % 2 == 0;
  if (setup.held) setup.hold_ms = static_cast<std::uint32_t>(1 + random() % kHoldMsMax);
  setup.request = RequestId{random()};
  setup.contract = {ServiceCategory::kNrtVbr, 353'207, 3,
                    static_cast<std::uint32_t>(1 + random() % 99), 188};
  return setup;
}

// Encodes and decodes the value as GIOP, so that the octets are tested and not only the structs.
template <class Idl>
Idl through_the_wire(const Idl& value) {
  cdrMemoryStream stream;
  value >>= stream;
  Idl back;
  back <<= stream;
  return back;
}

const HopOwner kOwner{"client", Epoch{7}, "from", "to"};

TEST(Convert, a_batch_of_commands_survives_the_wire) {
  std::mt19937_64 random(1);
  HopBatch batch;
  batch.owners = {kOwner};
  for (int i = 0; i < 20; ++i) batch.setups.push_back(some_setup(random));
  for (std::uint32_t i = 0; i < 20; ++i) batch.removals.push_back({some_setup(random).key, i});
  batch.returned = {{PortId{3}, {atm_label(0, 32), atm_label(0, 33)}}, {PortId{4}, {}}};
  v2::HopBatch wire;
  to_idl(batch, wire);
  const auto back = to_core(through_the_wire(wire));
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(*back, batch);
}

TEST(Convert, the_setups_of_a_batch_name_their_owners_by_number) {
  std::mt19937_64 random(1);
  HopBatch batch;
  batch.owners = {kOwner, {"another", Epoch{}, "from", "to"}};
  for (std::uint32_t i = 0; i < 30; ++i) {
    batch.setups.push_back(some_setup(random));
    batch.setups.back().owner = i % 3 == 0 ? 1 : 0;
  }
  v2::HopBatch wire;
  to_idl(batch, wire);
  EXPECT_EQ(wire.owners.length(), 2U);
  const auto back = to_core(through_the_wire(wire));
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(*back, batch);
  batch.setups.erase(batch.setups.begin());
  batch.setups.resize(1);
  batch.owners.resize(1);
  to_idl(batch, wire);  // into an existing struct: nothing of the earlier batch remains
  EXPECT_EQ(wire.owners.length(), 1U);
  EXPECT_EQ(*to_core(wire), batch);
}

TEST(Convert, a_setup_of_an_owner_that_is_not_there_is_refused_by_name) {
  std::mt19937_64 random(1);
  HopBatch batch;
  batch.owners = {kOwner};
  batch.setups.push_back(some_setup(random));
  v2::HopBatch wire;
  to_idl(batch, wire);
  wire.setups[0].owner = 1;
  EXPECT_EQ(to_core(wire).error(), (Error{ErrorCode::kProtocol, "owner 1 is meant, of 1 owners"}));
}

TEST(Convert, a_batch_of_results_survives_the_wire) {
  HopResultBatch batch;
  for (std::uint8_t cause = 0; cause_from(cause); ++cause) {
    HopResult& result = batch.results.emplace_back();
    result.key = {ConnectionId{7}, Generation{1}, 0, cause};
    result.action = HopAction::kRemove;
    result.cause = *cause_from(cause);
    if (result.cause == Cause::kNone) {
      result.input_label = atm_label(0, 40);
      result.output_label = {LabelKind::kMpls, 41};
    } else {
      result.port = PortId{2};
      result.asked = 12'000;
      result.free = 9'700;
    }
  }
  batch.granted = {{PortId{2}, {atm_label(1, 2)}}};
  v2::HopResultBatch wire;
  to_idl(batch, wire);
  const auto back = to_core(through_the_wire(wire));
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(*back, batch);
}

TEST(Convert, requests_of_every_kind_survive_the_wire) {
  const ServiceSpec video{ServiceKind::kVideo, 0, 0, 25'000, 1500};
  const ServiceSpec cells{ServiceKind::kCells, 100, 7, 0, 0};
  ServiceSpec named{ServiceKind::kContract};
  named.contract = {ServiceCategory::kGfr, 4'528, 250, 1'000, 30, 20};
  ServiceSpec class_of{ServiceKind::kClass};
  class_of.terms = ServiceTerms{std::string(kServiceNameMax, 'v'), 1, 2, 3, 4, 5, 6, 7, 8};
  RequestBatch requests;
  requests.connects.push_back({RequestId{9}, "host-a", "host-b", named});
  requests.connects.push_back({RequestId{10}, "host-a", "host-b", class_of, class_of});
  requests.connects.push_back({RequestId{1}, "host-a", "host-b", video});
  requests.connects.push_back(
      {RequestId{2}, "host-a", "host-b", cells, video, kPriorityMax, kHoldMsMax});
  requests.releases.push_back({RequestId{3}, ConnectionId{99}});
  requests.modifies.push_back({RequestId{4}, ConnectionId{98}, video});
  requests.modifies.push_back({RequestId{5}, ConnectionId{97}, cells, cells});
  requests.leaves.push_back({RequestId{6}, ConnectionId{96}, "host-c", false});
  requests.leaves.push_back({RequestId{7}, ConnectionId{95}, "host-d", true});
  requests.commits.push_back({RequestId{8}, ConnectionId{94}});
  v2::RequestBatch wire;
  to_idl(requests, wire);
  EXPECT_TRUE(to_core(through_the_wire(wire)) == requests);
}

TEST(Convert, a_second_reverse_contract_does_not_get_through_the_orb) {
  cdrMemoryStream stream;
  const CORBA::ULong two = 2;
  two >>= stream;
  for (CORBA::ULong i = 0; i < two; ++i) to_idl(ServiceSpec{}) >>= stream;
  v2::OptionalServiceSpec reverse;
  EXPECT_THROW(reverse <<= stream, CORBA::MARSHAL);
}

TEST(Convert, terms_beyond_the_contract_do_not_get_through_the_orb) {
  ServiceSpec service{ServiceKind::kClass};
  service.terms = ServiceTerms{std::string(kServiceNameMax + 1, 'v')};
  cdrMemoryStream stream;
  const v2::ServiceSpec long_name = to_idl(service);
  EXPECT_THROW(long_name >>= stream, CORBA::SystemException);
  service.kind = ServiceKind::kCells;  // terms of another kind are not sent
  service.terms->name = "x";
  EXPECT_EQ(to_core(to_idl(service)).terms, std::nullopt);
}

TEST(Convert, a_batch_that_is_filled_again_has_nothing_of_before) {
  const auto batch_of = [](std::vector<std::string> ends) {
    RequestBatch batch;
    for (std::string& end : ends) {
      batch.connects.push_back({RequestId{1}, "from-" + end, std::move(end), {.cells_per_s = 100}});
    }
    return batch;
  };
  v2::RequestBatch reused;
  for (const auto& ends :
       std::vector<std::vector<std::string>>{{"host-10", "b", ""},
                                             {"h", "a-longer-host", "c"},
                                             {"host-10"},
                                             {"", "a", "a-longer-host-still", "d"}}) {
    const RequestBatch batch = batch_of(ends);
    to_idl(batch, reused);
    EXPECT_EQ(to_core(reused), batch);
  }
}

OutcomeBatch every_outcome_and_notice() {
  OutcomeBatch all;
  const auto add = [&](OutcomeKind kind) -> Outcome& {
    Outcome& outcome = all.outcomes.emplace_back();
    outcome.request = RequestId{all.outcomes.size()};
    outcome.connection = ConnectionId{99};
    outcome.kind = kind;
    return outcome;
  };
  Outcome& one_way = add(OutcomeKind::kConnected);
  one_way.ingress = atm_label(0, 32);
  one_way.egress = atm_label(0, 33);
  Outcome& both_ways = add(OutcomeKind::kConnected);
  both_ways.ingress = atm_label(0, 32);
  both_ways.egress = atm_label(0, 33);
  both_ways.reverse_ingress = atm_label(1, 34);
  both_ways.reverse_egress = atm_label(1, 35);
  add(OutcomeKind::kLeafAdded).egress = {LabelKind::kMpls, 77};
  for (const OutcomeKind kind : {OutcomeKind::kRefused, OutcomeKind::kBusy}) {
    Outcome& outcome = add(kind);
    outcome.cause = kind == OutcomeKind::kBusy ? Cause::kBusy : Cause::kNoBandwidth;
    outcome.element = "switch-1 port 2";
    outcome.asked = 12'000;
    outcome.free = 9'700;
    outcome.reason = "too much";
    outcome.retry_after_ms = kind == OutcomeKind::kBusy ? 20 : 0;
    outcome.owed = {2, "switch-3"};
  }
  add(OutcomeKind::kReleased).owed = {1, "switch-1"};
  add(OutcomeKind::kLeafDropped).owed = {2, "switch-2"};
  add(OutcomeKind::kHeld);
  add(OutcomeKind::kModified);
  all.notices.push_back(
      {ConnectionId{98}, NoticeKind::kBroken, Cause::kLinkDown, "switch-1 port 2", 12'000, 9'700});
  all.notices.push_back({ConnectionId{97}, NoticeKind::kRerouted, Cause::kNone, "switch-1 port 2"});
  all.notices.push_back({ConnectionId{96}, NoticeKind::kMended});
  all.notices.push_back({ConnectionId{95}, NoticeKind::kUnknown, Cause::kNone, "switch-1"});
  all.notices.push_back(
      {ConnectionId{94}, NoticeKind::kIncomplete, Cause::kIncomplete, "switch-2"});
  return all;
}

TEST(Convert, an_outcome_of_every_kind_survives_the_wire) {
  const OutcomeBatch all = every_outcome_and_notice();
  v2::OutcomeSeq sequence;
  v2::NoticeSeq notices;
  to_idl(all, sequence, notices);
  const auto back = to_core(through_the_wire(sequence), through_the_wire(notices));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, all);
  OutcomeBatch turned = all;  // into existing unions: nothing of them remains
  std::reverse(turned.outcomes.begin(), turned.outcomes.end());
  std::reverse(turned.notices.begin(), turned.notices.end());
  to_idl(turned, sequence, notices);
  EXPECT_EQ(*to_core(through_the_wire(sequence), through_the_wire(notices)), turned);
}

TEST(Convert, what_is_not_understood_is_refused_with_its_value) {
  v2::HopResultBatch results;
  results.results.length(1);
  v2::HopResult& result = results.results[0] = v2::HopResult();
  result.name = {};
  result.action = v2::hop_reserve;
  v2::HopRefusal refused{200, 0, 0, 0};
  result.answer.refused(refused);
  EXPECT_THAT(to_core(results).error().text, HasSubstr("cause code 200"));
  refused.cause = v2::cause_none;
  result.answer.refused(refused);
  EXPECT_THAT(to_core(results).error().text, HasSubstr("a refusal has no cause"));
  v2::HopLabels done{to_idl(Label{}), to_idl(Label{})};
  result.answer.done(done);
  result.action = 9;
  EXPECT_THAT(to_core(results).error().text, HasSubstr("action 9"));
  result.action = v2::hop_commit;
  done.input_label.kind = 77;
  result.answer.done(done);
  EXPECT_THAT(to_core(results).error().text, HasSubstr("label kind 77"));

  v2::HopBatch commands;
  commands.removals.length(1);
  commands.removals[0] = v2::HopRemoval();
  commands.removals[0].after = 5;
  EXPECT_THAT(to_core(commands).error().text, HasSubstr("setup 5"));
  commands.removals.length(0);
  commands.modifies.length(1);
  commands.modifies[0] = v2::HopModify();
  commands.modifies[0].service = 3;
  EXPECT_THAT(to_core(commands).error().text, HasSubstr("service 3 is meant, of 0 services"));

  v2::Refusal why{};
  why.cause = 200;
  EXPECT_THAT(to_core(why).error().text, HasSubstr("cause code 200"));
  v2::NoticeSeq notices;
  notices.length(1);
  notices[0] = v2::Notice();
  notices[0].body.why(why);
  EXPECT_THAT(to_core(v2::OutcomeSeq{}, notices).error().text, HasSubstr("cause code 200"));
  notices[0].body.missing(why);
  EXPECT_THAT(to_core(v2::OutcomeSeq{}, notices).error().text, HasSubstr("cause code 200"));
}

TEST(Convert, a_kind_of_service_that_there_is_not_does_not_get_through_the_orb) {
  cdrMemoryStream stream;
  const CORBA::ULong kind = 42;
  kind >>= stream;
  v2::ServiceSpec service;
  EXPECT_THROW(service <<= stream, CORBA::MARSHAL);
}

TEST(RemoteError, says_who_and_what_to_do) {
  EXPECT_EQ(to_error(CORBA::TRANSIENT(), "manager m").code, ErrorCode::kUnreachable);
  EXPECT_THAT(to_error(CORBA::TRANSIENT(), "manager m").text, HasSubstr("manager m"));
  EXPECT_THAT(to_error(CORBA::TRANSIENT(), "manager m").text, HasSubstr("is it running?"));
  EXPECT_EQ(to_error(CORBA::TIMEOUT(), "x").code, ErrorCode::kTimeout);
  EXPECT_EQ(to_error(CORBA::MARSHAL(), "x").code, ErrorCode::kVersion);
  EXPECT_EQ(to_error(CORBA::OBJECT_NOT_EXIST(), "x").code, ErrorCode::kUnreachable);
  EXPECT_EQ(to_error(CORBA::NO_MEMORY(), "x").code, ErrorCode::kUnreachable);
}

TEST(Raise, maps_every_error_to_an_exception_of_the_contract) {
  EXPECT_THROW(raise({ErrorCode::kFenced, "old"}, Epoch{3}), v2::Fenced);
  EXPECT_THROW(raise({ErrorCode::kBadInput, "bad"}), v2::BadRequest);
  EXPECT_THROW(raise({ErrorCode::kNotFound, "none"}), v2::BadRequest);
  EXPECT_THROW(raise({ErrorCode::kProtocol, "odd"}), v2::BadRequest);
  EXPECT_THROW(raise({ErrorCode::kExhausted, "full"}), v2::Unavailable);
  EXPECT_THROW(raise({ErrorCode::kTimeout, "late"}), v2::Unavailable);
  EXPECT_NO_THROW(check_version(v2::protocol_version));
  try {
    check_version(99);
    FAIL();
  } catch (const v2::VersionMismatch& mismatch) {
    EXPECT_EQ(mismatch.offered, 99U);
    EXPECT_EQ(mismatch.supported, v2::protocol_version);
  }
}

// An inbox that records the batches it receives.
class Inbox : public POA_xbind::v2::RequestInbox {
 public:
  void submit_requests(v2::SessionId, v2::BatchSeq seq, v2::BatchSeq,
                       const v2::RequestBatch&) override {
    const std::lock_guard lock(mutex_);
    seen_.push_back(seq);
    wake_.notify_all();
  }
  std::vector<std::uint64_t> wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, std::chrono::seconds{20}, [&] { return seen_.size() >= count; });
    return seen_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::uint64_t> seen_;
};

std::string port_of(CORBA::ORB_ptr orb, CORBA::Object_ptr object) {
  const CORBA::String_var ior = orb->object_to_string(object);
  const omniIOR_var parsed = object->_PR_getobj()->_getIOR();
  return parsed->getIORInfo()->addresses()[0]->address();
}

TEST(Runtime, an_object_apart_has_an_address_of_its_own_and_is_served_there) {
  Runtime& runtime = *OrbEnvironment::runtime;
  const PortableServer::Servant_var<Inbox> usual = new Inbox;
  const PortableServer::Servant_var<Inbox> apart = new Inbox;
  const CORBA::Object_var usual_object = runtime.activate(usual.in());
  const CORBA::Object_var apart_object = runtime.activate_apart(apart.in(), "request_inbox");
  EXPECT_NE(port_of(runtime.orb(), usual_object), port_of(runtime.orb(), apart_object));
  const v2::RequestInbox_var inbox = v2::RequestInbox::_unchecked_narrow(apart_object);
  for (std::uint64_t seq = 1; seq <= 1000; ++seq)
    inbox->submit_requests(1, seq, 0, v2::RequestBatch{});
  const auto seen = apart->wait_for(1000);
  ASSERT_EQ(seen.size(), 1000U);
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], i + 1);
}

TEST(TimerThread, calls_when_the_deadline_has_come_and_follows_when_it_moves) {
  std::mutex mutex;
  std::condition_variable wake;
  std::vector<TimePoint> called;
  TimerThread timer([&] {
    const std::lock_guard lock(mutex);
    called.push_back(steady_now());
    wake.notify_all();
  });
  const TimePoint far = steady_now() + std::chrono::hours{1};
  const TimePoint near = steady_now() + std::chrono::milliseconds{5};
  timer.set(far);
  timer.set(near);
  {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(wake.wait_for(lock, std::chrono::seconds{20}, [&] { return called.size() == 1; }));
    EXPECT_GE(called[0], near);
  }
  timer.set(steady_now());
  std::unique_lock lock(mutex);
  ASSERT_TRUE(wake.wait_for(lock, std::chrono::seconds{20}, [&] { return called.size() == 2; }));
}

TEST(TimerThread, stops_while_a_deadline_is_far_away) {
  TimerThread timer([] { FAIL() << "the timer must not expire"; });
  timer.set(steady_now() + std::chrono::hours{1});
  timer.stop();
}

TEST(SharedTimers, many_are_called_by_one_thread_each_at_its_own_deadline) {
  std::mutex mutex;
  std::condition_variable wake;
  std::vector<std::pair<int, TimePoint>> called;
  std::set<std::thread::id> threads;
  SharedTimers timers;
  const auto calls = [&](int number) {
    return [&, number] {
      const std::lock_guard lock(mutex);
      called.emplace_back(number, steady_now());
      threads.insert(std::this_thread::get_id());
      wake.notify_all();
    };
  };
  SharedTimers::Timer first(timers, calls(1));
  SharedTimers::Timer second(timers, calls(2));
  SharedTimers::Timer never(timers, calls(3));
  SharedTimers::Timer stopped(timers, calls(4));
  const TimePoint soon = steady_now() + std::chrono::milliseconds{5};
  const TimePoint later = soon + std::chrono::milliseconds{5};
  first.set(later);
  second.set(soon);
  stopped.set(soon);
  stopped.stop();
  stopped.set(soon);
  std::unique_lock lock(mutex);
  ASSERT_TRUE(wake.wait_for(lock, std::chrono::seconds{20}, [&] { return called.size() == 2; }));
  EXPECT_EQ(called[0].first, 2);
  EXPECT_GE(called[0].second, soon);
  EXPECT_EQ(called[1].first, 1);
  EXPECT_GE(called[1].second, later);
  EXPECT_EQ(threads.size(), 1U);
}

TEST(SharedTimers, a_timer_may_set_itself_and_others_while_it_is_called) {
  std::promise<void> done;
  SharedTimers timers;
  int rounds = 0;
  SharedTimers::Timer* self = nullptr;
  SharedTimers::Timer last(timers, [&] { done.set_value(); });
  SharedTimers::Timer again(timers, [&] {
    if (++rounds < 100) {
      self->set(steady_now());
    } else {
      last.set(steady_now());
    }
  });
  self = &again;
  again.set(steady_now());
  ASSERT_EQ(done.get_future().wait_for(std::chrono::seconds{20}), std::future_status::ready);
  EXPECT_EQ(rounds, 100);
}

TEST(SharedTimers, stop_waits_for_a_callback_that_is_running) {
  std::promise<void> entered;
  std::promise<void> leave;
  std::atomic<bool> left = false;
  SharedTimers timers;
  SharedTimers::Timer timer(timers, [&] {
    entered.set_value();
    leave.get_future().wait();
    left = true;
  });
  timer.set(steady_now());
  entered.get_future().wait();
  std::thread releaser([&] { leave.set_value(); });
  timer.stop();
  EXPECT_TRUE(left);
  releaser.join();
}

}  // namespace
}  // namespace xbind::orb
