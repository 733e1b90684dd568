// Sessions around a controller: a manager's view of a SwitchServer, frame by frame.
#include "switchserver/switch_server.hpp"

#include <gmock/gmock.h>

#include "fake_switch.hpp"
#include "tests/unit/deadlines.hpp"

namespace xbind {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class Outlet : public ManagerOutlet {
 public:
  struct Sent {
    SessionId session;
    session::Frame<HopResultBatch> frame;
  };
  void to_manager(SessionId session, session::Frame<HopResultBatch> frame) override {
    sent.push_back({session, std::move(frame)});
  }
  void audited(std::uint64_t token, LedgerReport report) override {
    audits.emplace_back(token, std::move(report));
  }
  void session_over(SessionId session, const SessionEnding& ending) override {
    over.push_back(session);
    endings.push_back(ending.why);
  }
  std::vector<SessionId> over;
  std::vector<SessionEnd> endings;  // of the same sessions
  std::vector<Sent> sent;
  std::vector<std::pair<std::uint64_t, LedgerReport>> audits;
};

class SwitchServerTest : public testing::Test {
 protected:
  void SetUp() override {
    server_.on_driver(driver::Up{{{PortId{1}, {AtmBounds{}.range()}, 353207, true},
                                  {PortId{2}, {AtmBounds{}.range()}, 353207, true}},
                                 false},
                      now_);
    step();
  }
  void step() {
    while (!switch_.answers.empty()) {
      const driver::Event event = switch_.answers.front().event;
      switch_.answers.pop_front();
      server_.on_driver(event, now_);
    }
    server_.finish_step(now_);
  }
  SessionId attach(const std::string& manager, std::uint64_t epoch = 1) {
    return server_.attach(manager, Epoch{epoch}, now_).value().session;
  }
  static HopBatch one_hop(std::uint64_t connection) {
    HopSetup setup;
    setup.key = {ConnectionId{connection}, Generation{1}, 0, 0};
    setup.hop_count = 1;
    setup.input_port = PortId{1};
    setup.output_port = PortId{2};
    setup.demand = {100, 0};
    return {{setup}, {}, {}};
  }
  void submit(SessionId session, std::uint64_t seq, std::uint64_t confirmed, HopBatch batch) {
    server_.on_commands(
        session,
        {BatchSeq{seq}, BatchSeq{confirmed}, std::make_shared<const HopBatch>(std::move(batch))},
        now_);
    step();
  }
  void pass(Duration time) {
    now_ += time;
    server_.tick(now_);
    step();
    EXPECT_TRUE(sleeps(server_.next_deadline(), now_));
  }

  TimePoint now_{std::chrono::seconds{10}};
  FakeSwitch switch_;
  Outlet outlet_;
  static SwitchServerOptions options() {
    SwitchServerOptions options;
    options.controller.name = "sw";
    return options;
  }
  explicit SwitchServerTest(SwitchServerOptions with = options())
      : server_(std::move(with), switch_, outlet_) {}
  SwitchServer server_;
};

TEST_F(SwitchServerTest, a_batch_of_commands_gets_one_batch_of_results) {
  const SessionId session = attach("m1");
  // m1 --[1]--> commit
  submit(session, 1, 0, one_hop(7));
  // m1 <--[1, confirms 1]-- done
  ASSERT_THAT(outlet_.sent, SizeIs(1));
  EXPECT_EQ(outlet_.sent[0].session, session);
  EXPECT_EQ(outlet_.sent[0].frame.seq, BatchSeq{1});
  EXPECT_EQ(outlet_.sent[0].frame.confirmed, BatchSeq{1});
  ASSERT_THAT(outlet_.sent[0].frame.batch->results, SizeIs(1));
  EXPECT_EQ(outlet_.sent[0].frame.batch->results[0].cause, Cause::kNone);
  EXPECT_EQ(switch_.adds, 1);
}

TEST_F(SwitchServerTest, batches_out_of_order_are_applied_in_order_and_repeats_once) {
  const SessionId session = attach("m1");
  submit(session, 2, 0, one_hop(8));
  EXPECT_THAT(outlet_.sent, IsEmpty()) << "a gap is held back";
  submit(session, 1, 0, one_hop(7));
  ASSERT_THAT(outlet_.sent, SizeIs(2));
  EXPECT_EQ(outlet_.sent[0].frame.batch->results[0].key.connection, ConnectionId{7});
  EXPECT_EQ(outlet_.sent[1].frame.batch->results[0].key.connection, ConnectionId{8});
  submit(session, 1, 0, one_hop(7));
  EXPECT_EQ(switch_.adds, 2) << "a repeat changes nothing";
}

TEST_F(SwitchServerTest, an_unknown_session_is_counted_and_ignored) {
  submit(SessionId{4711}, 1, 0, one_hop(7));
  EXPECT_EQ(server_.counters().unknown_session, 1U);
  EXPECT_EQ(switch_.adds, 0);
}

TEST_F(SwitchServerTest, results_are_repeated_until_confirmed) {
  const SessionId session = attach("m1");
  submit(session, 1, 0, one_hop(7));
  ASSERT_THAT(outlet_.sent, SizeIs(1));
  pass(std::chrono::milliseconds{400});
  ASSERT_THAT(outlet_.sent, SizeIs(2));
  EXPECT_EQ(outlet_.sent[1].frame.seq, BatchSeq{1});
  EXPECT_EQ(*outlet_.sent[1].frame.batch, *outlet_.sent[0].frame.batch);
  // m1 --[-, confirms 1]-->
  server_.on_commands(session, {BatchSeq{}, BatchSeq{1}, nullptr}, now_);
  pass(std::chrono::seconds{1});
  EXPECT_THAT(outlet_.sent, SizeIs(2));
}

// ----- a manager that confirms nothing --------------------------------------------------------

// One batch of results may be in flight, and three may wait.
class SilentManagerTest : public SwitchServerTest {
 protected:
  static SwitchServerOptions narrow() {
    SwitchServerOptions options = SwitchServerTest::options();
    options.session.batches_in_flight = 1;
    options.results_waiting_max = 3;
    return options;
  }
  SilentManagerTest() : SwitchServerTest(narrow()) {}
};

TEST_F(SilentManagerTest, has_results_waiting_up_to_the_bound_and_is_then_cut_off) {
  const SessionId session = attach("m1");
  for (std::uint64_t seq = 1; seq <= 4; ++seq) submit(session, seq, 0, one_hop(seq));
  EXPECT_THAT(outlet_.sent, SizeIs(1)) << "the others wait";
  EXPECT_EQ(server_.managers(), 1U);
  submit(session, 5, 0, one_hop(5));
  EXPECT_EQ(server_.managers(), 0U);
  EXPECT_EQ(server_.counters().sessions_lost, 1U);
  EXPECT_THAT(outlet_.over, ElementsAre(session));
  EXPECT_THAT(outlet_.endings, ElementsAre(SessionEnd::kFlooded));
  EXPECT_THAT(switch_.table, SizeIs(5)) << "its connections stay";
}

TEST_F(SilentManagerTest, that_confirms_in_the_end_gets_them_in_order) {
  const SessionId session = attach("m1");
  for (std::uint64_t seq = 1; seq <= 4; ++seq) submit(session, seq, 0, one_hop(seq));
  for (std::uint64_t seq = 1; seq <= 4; ++seq) {
    ASSERT_THAT(outlet_.sent, SizeIs(seq));
    EXPECT_EQ(outlet_.sent.back().frame.batch->results[0].key.connection, ConnectionId{seq});
    server_.on_commands(session, {BatchSeq{}, BatchSeq{seq}, nullptr}, now_);
  }
  EXPECT_EQ(server_.managers(), 1U);
}

// Results of removals that an earlier session requested travel in the present one, unsolicited.
class UnsolicitedResultsTest : public SilentManagerTest {
 protected:
  // All removals are under way when the manager attaches again; each answer is a step of its own.
  void remove_in_an_earlier_session(std::uint64_t hops) {
    const SessionId earlier = attach("m1");
    HopBatch commits;
    HopBatch removals;
    for (std::uint64_t connection = 1; connection <= hops; ++connection) {
      commits.setups.push_back(one_hop(connection).setups[0]);
      removals.removals.push_back({commits.setups.back().key, 0});
    }
    submit(earlier, 1, 0, std::move(commits));
    ASSERT_THAT(switch_.table, SizeIs(hops));
    server_.on_commands(
        earlier, {BatchSeq{2}, BatchSeq{1}, std::make_shared<const HopBatch>(std::move(removals))},
        now_);
    session = attach("m1", 2);
    ASSERT_THAT(switch_.answers, SizeIs(hops));
    outlet_.sent.clear();
    while (!switch_.answers.empty()) {
      const driver::Event event = switch_.answers.front().event;
      switch_.answers.pop_front();
      server_.on_driver(event, now_);
      server_.finish_step(now_);
    }
  }
  SessionId session;
};

TEST_F(UnsolicitedResultsTest, results_that_wait_share_a_batch_and_none_is_lost) {
  remove_in_an_earlier_session(300);
  // m1 <-- the first; 256 and 43 wait for its confirmation, as do the results of a commit
  submit(session, 1, 0, one_hop(301));
  ASSERT_THAT(outlet_.sent, SizeIs(1));
  ASSERT_EQ(server_.managers(), 1U) << "many at once are no reason to cut it off";
  std::size_t reported = 0;
  for (std::uint64_t seq = 1; seq <= 3; ++seq) {
    ASSERT_THAT(outlet_.sent, SizeIs(seq));
    for (const HopResult& result : outlet_.sent.back().frame.batch->results) {
      EXPECT_EQ(result.key.connection, ConnectionId{++reported});
      EXPECT_EQ(result.action, HopAction::kRemove);
    }
    server_.on_commands(session, {BatchSeq{}, BatchSeq{seq}, nullptr}, now_);
  }
  EXPECT_EQ(reported, 300U);
  ASSERT_THAT(outlet_.sent, SizeIs(4));
  EXPECT_EQ(outlet_.sent.back().frame.batch->results[0].action, HopAction::kCommit);
}

TEST_F(UnsolicitedResultsTest, a_manager_that_confirms_none_of_very_many_is_cut_off) {
  remove_in_an_earlier_session(2 + 3 * 256);
  EXPECT_EQ(server_.managers(), 0U);
  EXPECT_EQ(server_.counters().sessions_lost, 1U);
}

TEST_F(SwitchServerTest, a_session_whose_lease_runs_out_ends_and_its_connections_stay) {
  const SessionId session = attach("m1");
  submit(session, 1, 0, one_hop(7));
  server_.on_commands(session, {BatchSeq{}, BatchSeq{1}, nullptr}, now_);
  for (int i = 0; i < 20; ++i) pass(std::chrono::seconds{1});
  EXPECT_EQ(server_.managers(), 0U);
  EXPECT_EQ(server_.counters().sessions_lost, 1U);
  EXPECT_THAT(outlet_.over, ElementsAre(session));
  EXPECT_THAT(outlet_.endings, ElementsAre(SessionEnd::kSilent));
  EXPECT_THAT(switch_.table, SizeIs(1));
  const auto again = server_.attach("m1", Epoch{2}, now_);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->holdings.hops, 1U);
}

TEST_F(SwitchServerTest, a_heartbeat_keeps_the_lease) {
  const SessionId session = attach("m1");
  for (int i = 0; i < 20; ++i) {
    server_.on_commands(session, {BatchSeq{}, BatchSeq{}, nullptr}, now_);
    pass(std::chrono::seconds{1});
  }
  EXPECT_EQ(server_.managers(), 1U);
  EXPECT_FALSE(outlet_.sent.empty()) << "the SwitchServer says something too";
}

TEST_F(SwitchServerTest, who_breaks_the_protocol_loses_the_session_and_nobody_else_does) {
  const SessionId bad = attach("bad");
  const SessionId good = attach("good");
  submit(bad, 100'000, 0, one_hop(1));  // beyond any window
  EXPECT_EQ(server_.managers(), 1U);
  EXPECT_THAT(outlet_.over, ElementsAre(bad));
  EXPECT_THAT(outlet_.endings, ElementsAre(SessionEnd::kProtocol));
  submit(good, 1, 0, one_hop(2));
  EXPECT_THAT(outlet_.sent, SizeIs(1));
}

TEST_F(SwitchServerTest, a_confirmation_of_what_was_never_sent_ends_the_session) {
  const SessionId session = attach("m1");
  server_.on_commands(session, {BatchSeq{}, BatchSeq{5}, nullptr}, now_);
  EXPECT_EQ(server_.managers(), 0U);
}

TEST_F(SwitchServerTest, attaching_anew_ends_the_older_session) {
  const SessionId old_session = attach("m1", 1);
  const SessionId new_session = attach("m1", 2);
  EXPECT_THAT(outlet_.over, ElementsAre(old_session));
  EXPECT_THAT(outlet_.endings, ElementsAre(SessionEnd::kReplaced));
  submit(old_session, 1, 0, one_hop(7));
  EXPECT_EQ(server_.counters().unknown_session, 1U);
  submit(new_session, 1, 0, one_hop(7));
  EXPECT_THAT(outlet_.sent, SizeIs(1));
}

TEST_F(SwitchServerTest, a_lower_epoch_is_fenced_off) {
  attach("m1", 5);
  const auto ghost = server_.attach("m1", Epoch{4}, now_);
  ASSERT_FALSE(ghost);
  EXPECT_EQ(ghost.error().code, ErrorCode::kFenced);
}

TEST_F(SwitchServerTest, a_manager_that_comes_back_learns_its_newest_epoch_before_it_attaches) {
  attach("m1", 5);
  attach("m1", 7);
  EXPECT_EQ(server_.epochs_of("m1").value().newest, Epoch{7});
  EXPECT_EQ(server_.epochs_of("m2").value().newest, Epoch{0});
  EXPECT_EQ(server_.epochs_of("").error().code, ErrorCode::kBadInput);
}

TEST_F(SwitchServerTest, a_manager_that_comes_back_reads_its_hops_page_by_page) {
  HopBatch five;
  for (std::uint64_t connection = 1; connection <= 5; ++connection) {
    five.setups.push_back(one_hop(connection).setups.front());
    five.setups.back().owner = 0;
    five.setups.back().request = RequestId{10 + connection};
  }
  five.owners = {{"mia", Epoch{3}, "host-a", "host-b"}};
  submit(attach("m1"), 1, 0, five);
  HopBatch strange = one_hop(9);
  submit(attach("m2"), 1, 0, strange);

  const SessionId session = attach("m1", 2);
  std::vector<LedgerHop> hops;
  std::uint64_t from = 0;
  do {
    const auto page = server_.held_hops(session, from, 2, now_);
    ASSERT_TRUE(page) << page.error().text;
    EXPECT_LE(page->hops.size(), 2U);
    for (const LedgerHop& hop : page->hops) {
      EXPECT_EQ(page->owners.at(hop.owner), five.owners.front());
      hops.push_back(hop);
    }
    from = page->next;
  } while (from != 0);
  ASSERT_THAT(hops, SizeIs(5)) << "none of m2";
  for (const LedgerHop& hop : hops) {
    EXPECT_EQ(hop.stage, HopStage::kCommitted);
    EXPECT_EQ(hop.request.value(), 10 + hop.key.connection.value());
    EXPECT_TRUE(hop.cross_connect.input_label.present());
  }
  EXPECT_EQ(server_.held_hops(SessionId{4711}, 0, 2, now_).error().code, ErrorCode::kNotFound);
}

TEST_F(SwitchServerTest, a_handover_gives_the_hop_another_owner) {
  const SessionId session = attach("m1");
  submit(session, 1, 0, one_hop(7));
  HopBatch batch;
  batch.modifies = {{one_hop(7).setups.front().key, 1, {100, 0}, {}, {}}};
  batch.modifies.front().handover = {
      {"mia", Epoch{3}, "host-a", "host-b"}, RequestId{8}, ConnectionId{99}};
  submit(session, 2, 1, batch);
  EXPECT_EQ(outlet_.sent.back().frame.batch->results.front().cause, Cause::kNone);
  const auto page = server_.held_hops(session, 0, 10, now_);
  ASSERT_THAT(page->hops, SizeIs(1));
  EXPECT_EQ(page->owners.at(page->hops.front().owner), batch.modifies.front().handover->owner);
  EXPECT_EQ(page->hops.front().request, RequestId{8});
  EXPECT_EQ(page->hops.front().shown_id, ConnectionId{99});
  EXPECT_EQ(page->hops.front().revision, 1U);
  // A repeat, or an older one, changes nothing.
  batch.modifies.front().handover->request = RequestId{6};
  batch.modifies.front().revision = 0;
  submit(session, 3, 2, batch);
  EXPECT_EQ(server_.held_hops(session, 0, 10, now_)->hops.front().request, RequestId{8});
}

TEST_F(SwitchServerTest, a_manager_needs_a_name) {
  EXPECT_EQ(server_.attach("", Epoch{1}, now_).error().code, ErrorCode::kBadInput);
  EXPECT_EQ(server_.attach(std::string(129, 'x'), Epoch{1}, now_).error().code,
            ErrorCode::kBadInput);
}

TEST_F(SwitchServerTest, labels_and_quota_can_be_had_and_given_back_outside_any_call) {
  const SessionId session = attach("m1");
  const auto grant = server_.grant(session, PortId{2}, 3, Resources{1000, 0}, now_);
  ASSERT_TRUE(grant) << grant.error().text;
  EXPECT_THAT(grant->labels, SizeIs(3));
  EXPECT_EQ(grant->quota.cells_per_s, 1000U);
  EXPECT_TRUE(server_.give_back(session, {PortId{2}, grant->labels}, grant->quota));
  EXPECT_EQ(server_.grant(SessionId{4711}, PortId{2}, 1, {}, now_).error().code,
            ErrorCode::kNotFound);
  EXPECT_EQ(server_.grant(session, PortId{9}, 1, {}, now_).error().code, ErrorCode::kNotFound);
}

TEST_F(SwitchServerTest, an_audit_reads_the_switch_and_comes_back_with_its_token) {
  const SessionId session = attach("m1");
  submit(session, 1, 0, one_hop(7));
  switch_.table.insert({PortId{1}, atm_label(0, 900), PortId{2}, atm_label(0, 901)});
  ASSERT_TRUE(server_.audit("m1", 42));
  step();
  ASSERT_THAT(outlet_.audits, SizeIs(1));
  EXPECT_EQ(outlet_.audits[0].first, 42U);
  EXPECT_THAT(outlet_.audits[0].second.hops, SizeIs(1));
  ASSERT_THAT(outlet_.audits[0].second.findings, SizeIs(1));
  EXPECT_EQ(outlet_.audits[0].second.findings[0].kind, FindingKind::kStrayCrossConnect);
}

TEST_F(UnsolicitedResultsTest, a_result_that_nobody_asked_for_goes_behind_the_results_that_wait) {
  const SessionId earlier = attach("m1");
  submit(earlier, 1, 0, one_hop(1));
  HopBatch removal;
  removal.removals = {{one_hop(1).setups[0].key, 0}};
  server_.on_commands(
      earlier, {BatchSeq{2}, BatchSeq{1}, std::make_shared<const HopBatch>(std::move(removal))},
      now_);
  ASSERT_THAT(switch_.answers, SizeIs(1));
  const driver::Event removed = switch_.answers.front().event;
  switch_.answers.pop_front();
  session = attach("m1", 2);
  outlet_.sent.clear();
  submit(session, 1, 0, one_hop(2));  // uses the only credit
  submit(session, 2, 0, one_hop(3));
  server_.on_driver(removed, now_);
  step();
  for (std::uint64_t seq = 1; seq <= 3; ++seq) {
    ASSERT_THAT(outlet_.sent, SizeIs(seq));
    const auto& results = outlet_.sent.back().frame.batch->results;
    ASSERT_THAT(results, SizeIs(1)) << seq;
    EXPECT_EQ(results[0].action, seq == 3 ? HopAction::kRemove : HopAction::kCommit) << seq;
    server_.on_commands(session, {BatchSeq{}, BatchSeq{seq}, nullptr}, now_);
  }
}

}  // namespace
}  // namespace xbind
