// The named constants of the IDL match core's enumerators number for number, and both sets are
// complete. Also checks what conversions of a record preserve.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "cmgr/parts/aggregation.hpp"
#include "cmgr/parts/cache_state.hpp"
#include "cmgr/parts/call_state.hpp"
#include "connection_manager.hh"
#include "core/alarms/alarm.hpp"
#include "core/audit.hpp"
#include "core/call.hpp"
#include "core/cause.hpp"
#include "core/events/event.hpp"
#include "core/hop.hpp"
#include "core/label.hpp"
#include "core/path.hpp"
#include "core/session/session_end.hpp"
#include "core/traffic_contract.hpp"
#include "orb/convert.hpp"
#include "route_object.hh"
#include "switch_server.hh"

namespace xbind {
namespace {

// `last` is core's highest enumerator; the pairs are in the order of the numbers from 0.
template <class Constant, class Enumerator>
void expect_same(std::initializer_list<std::pair<Constant, Enumerator>> pairs, Enumerator last) {
  std::size_t number = 0;
  for (const auto& [constant, enumerator] : pairs) {
    EXPECT_EQ(static_cast<std::size_t>(constant), number);
    EXPECT_EQ(static_cast<std::size_t>(enumerator), number);
    ++number;
  }
  EXPECT_EQ(number, static_cast<std::size_t>(last) + 1);
}

// A label is accepted only if its value is in the range of its kind; a refusal states the value.
TEST(Contract, LabelValuesAreOfTheirKind) {
  const auto refusal = [](LabelKind kind, std::uint32_t value) {
    const auto taken = orb::to_core(orb::to_idl(Label{kind, value}));
    if (!taken) return taken.error().text;
    EXPECT_EQ(*taken, (Label{kind, value}));
    return std::string{};
  };
  EXPECT_EQ(refusal(LabelKind::kAtm, 0x0fff'ffff), "");
  EXPECT_EQ(refusal(LabelKind::kAtm, 0x1000'0000),
            "ATM label value 268435456 has more than 28 bits");
  EXPECT_EQ(refusal(LabelKind::kMpls, 0xfffff), "");
  EXPECT_EQ(refusal(LabelKind::kMpls, 0x100000), "MPLS label value 1048576 has more than 20 bits");
  EXPECT_EQ(refusal(LabelKind::kNone, 0), "");
  EXPECT_EQ(refusal(LabelKind::kNone, 7), "no label, but label value 7");
}

TEST(Contract, CausesAreCores) {
  expect_same<v2::CauseCode, Cause>({{v2::cause_none, Cause::kNone},
                                     {v2::cause_invalid_request, Cause::kInvalidRequest},
                                     {v2::cause_unknown_endpoint, Cause::kUnknownEndpoint},
                                     {v2::cause_no_route, Cause::kNoRoute},
                                     {v2::cause_no_bandwidth, Cause::kNoBandwidth},
                                     {v2::cause_no_buffer, Cause::kNoBuffer},
                                     {v2::cause_no_label, Cause::kNoLabel},
                                     {v2::cause_unknown_port, Cause::kUnknownPort},
                                     {v2::cause_foreign_input_label, Cause::kForeignInputLabel},
                                     {v2::cause_label_not_held, Cause::kLabelNotHeld},
                                     {v2::cause_stale, Cause::kStale},
                                     {v2::cause_unknown_connection, Cause::kUnknownConnection},
                                     {v2::cause_switch_refused, Cause::kSwitchRefused},
                                     {v2::cause_switch_unreachable, Cause::kSwitchUnreachable},
                                     {v2::cause_timeout, Cause::kTimeout},
                                     {v2::cause_busy, Cause::kBusy},
                                     {v2::cause_being_released, Cause::kBeingReleased},
                                     {v2::cause_unknown_service, Cause::kUnknownService},
                                     {v2::cause_withdrawn, Cause::kWithdrawn},
                                     {v2::cause_no_route_object, Cause::kNoRouteObject},
                                     {v2::cause_hold_expired, Cause::kHoldExpired},
                                     {v2::cause_not_connected, Cause::kNotConnected},
                                     {v2::cause_change_under_way, Cause::kChangeUnderWay},
                                     {v2::cause_last_leaf, Cause::kLastLeaf},
                                     {v2::cause_leaf_exists, Cause::kLeafExists},
                                     {v2::cause_unknown_leaf, Cause::kUnknownLeaf},
                                     {v2::cause_no_qos_mapper, Cause::kNoQosMapper},
                                     {v2::cause_over_share, Cause::kOverShare},
                                     {v2::cause_path_bound, Cause::kPathBound},
                                     {v2::cause_too_hard, Cause::kTooHard},
                                     {v2::cause_link_down, Cause::kLinkDown},
                                     {v2::cause_incomplete, Cause::kIncomplete}},
                                    kCauseLast);
}

TEST(Contract, OutcomesNoticesAndServicesAreCores) {
  expect_same<v2::OutcomeKind, OutcomeKind>({{v2::outcome_connected, OutcomeKind::kConnected},
                                             {v2::outcome_refused, OutcomeKind::kRefused},
                                             {v2::outcome_released, OutcomeKind::kReleased},
                                             {v2::outcome_busy, OutcomeKind::kBusy},
                                             {v2::outcome_held, OutcomeKind::kHeld},
                                             {v2::outcome_modified, OutcomeKind::kModified},
                                             {v2::outcome_leaf_added, OutcomeKind::kLeafAdded},
                                             {v2::outcome_leaf_dropped, OutcomeKind::kLeafDropped}},
                                            kOutcomeKindLast);
  expect_same<v2::NoticeKind, NoticeKind>({{v2::notice_broken, NoticeKind::kBroken},
                                           {v2::notice_rerouted, NoticeKind::kRerouted},
                                           {v2::notice_mended, NoticeKind::kMended},
                                           {v2::notice_unknown, NoticeKind::kUnknown},
                                           {v2::notice_incomplete, NoticeKind::kIncomplete}},
                                          kNoticeKindLast);
  expect_same<v2::ServiceKind, ServiceKind>({{v2::service_cells, ServiceKind::kCells},
                                             {v2::service_video, ServiceKind::kVideo},
                                             {v2::service_contract, ServiceKind::kContract},
                                             {v2::service_class, ServiceKind::kClass}},
                                            ServiceKind::kClass);
  expect_same<v2::ServiceCategory, ServiceCategory>(
      {{v2::category_none, ServiceCategory::kNone},
       {v2::category_cbr, ServiceCategory::kCbr},
       {v2::category_rt_vbr, ServiceCategory::kRtVbr},
       {v2::category_nrt_vbr, ServiceCategory::kNrtVbr},
       {v2::category_ubr, ServiceCategory::kUbr},
       {v2::category_gfr, ServiceCategory::kGfr}},
      kServiceCategoryLast);
}

TEST(Contract, WhatHopsAndAuditsSayIsCores) {
  expect_same<v2::LabelKind, LabelKind>({{v2::label_none, LabelKind::kNone},
                                         {v2::label_atm, LabelKind::kAtm},
                                         {v2::label_mpls, LabelKind::kMpls}},
                                        LabelKind::kMpls);
  expect_same<v2::HopAction, HopAction>({{v2::hop_reserve, HopAction::kReserve},
                                         {v2::hop_commit, HopAction::kCommit},
                                         {v2::hop_remove, HopAction::kRemove},
                                         {v2::hop_modify, HopAction::kModify}},
                                        HopAction::kModify);
  expect_same<v2::FindingKind, FindingKind>(
      {{v2::finding_stray_cross_connect, FindingKind::kStrayCrossConnect},
       {v2::finding_missing_cross_connect, FindingKind::kMissingCrossConnect},
       {v2::finding_changed_cross_connect, FindingKind::kChangedCrossConnect},
       {v2::finding_stray_hop, FindingKind::kStrayHop},
       {v2::finding_missing_hop, FindingKind::kMissingHop},
       {v2::finding_leaked_label, FindingKind::kLeakedLabel},
       {v2::finding_double_label, FindingKind::kDoubleLabel},
       {v2::finding_leaked_bandwidth, FindingKind::kLeakedBandwidth},
       {v2::finding_owed, FindingKind::kOwed},
       {v2::finding_unreadable, FindingKind::kUnreadable}},
      FindingKind::kUnreadable);
  expect_same<v2::SessionEnd, SessionEnd>({{v2::ended_replaced, SessionEnd::kReplaced},
                                           {v2::ended_silent, SessionEnd::kSilent},
                                           {v2::ended_protocol, SessionEnd::kProtocol},
                                           {v2::ended_flooded, SessionEnd::kFlooded},
                                           {v2::ended_shutdown, SessionEnd::kShutdown}},
                                          kSessionEndReportedLast);
  expect_same<v2::UnusableReason, Unusable>({{v2::unusable_down, Unusable::kDown},
                                             {v2::unusable_drained, Unusable::kDrained},
                                             {v2::unusable_unknown, Unusable::kUnknown}},
                                            kUnusableLast);
}

TEST(Contract, WhatAManagerShowsIsItsOwn) {
  using cmgr::State;
  expect_same<v2::PhaseCode, State>({{v2::phase_routing, State::kRouting},
                                     {v2::phase_reserving, State::kReserving},
                                     {v2::phase_held, State::kHeld},
                                     {v2::phase_committing, State::kCommitting},
                                     {v2::phase_connected, State::kConnected},
                                     {v2::phase_switching_over, State::kSwitchingOver},
                                     {v2::phase_lingering, State::kLingering},
                                     {v2::phase_modifying, State::kModifying},
                                     {v2::phase_lowering, State::kLowering},
                                     {v2::phase_restoring, State::kRestoring},
                                     {v2::phase_undoing, State::kUndoing},
                                     {v2::phase_releasing, State::kReleasing},
                                     {v2::phase_gone, State::kGone}},
                                    State::kGone);
  EXPECT_EQ(v2::phase_prepared, cmgr::kStates);
  EXPECT_EQ(v2::phase_incomplete, cmgr::kStates + 1);
  using cmgr::AggregationMode;
  expect_same<v2::AggregationMode, AggregationMode>(
      {{v2::aggregation_fixed, AggregationMode::kFixed},
       {v2::aggregation_regions, AggregationMode::kRegions},
       {v2::aggregation_adaptive, AggregationMode::kAdaptive}},
      AggregationMode::kAdaptive);
  using cmgr::CacheKind;
  expect_same<v2::CacheKind, CacheKind>({{v2::cache_labels, CacheKind::kLabels},
                                         {v2::cache_routes, CacheKind::kRoutes},
                                         {v2::cache_qos, CacheKind::kQos},
                                         {v2::cache_quota, CacheKind::kQuota},
                                         {v2::cache_connections, CacheKind::kConnections},
                                         {v2::cache_prepared, CacheKind::kPrepared}},
                                        CacheKind::kPrepared);
}

// These numbers have gaps.
TEST(Contract, SeveritiesAndEventsAreCores) {
  EXPECT_EQ(v2::severity_critical, static_cast<v2::AlarmSeverity>(AlarmSeverity::kCritical));
  EXPECT_EQ(v2::severity_major, static_cast<v2::AlarmSeverity>(AlarmSeverity::kMajor));
  EXPECT_EQ(v2::severity_minor, static_cast<v2::AlarmSeverity>(AlarmSeverity::kMinor));
  EXPECT_EQ(v2::severity_warning, static_cast<v2::AlarmSeverity>(AlarmSeverity::kWarning));
  for (const auto& [constant, kind] : std::initializer_list<std::pair<v2::EventKind, EventKind>>{
           {v2::event_connected, EventKind::kConnected},
           {v2::event_held, EventKind::kHeld},
           {v2::event_modified, EventKind::kModified},
           {v2::event_leaf_added, EventKind::kLeafAdded},
           {v2::event_leaf_dropped, EventKind::kLeafDropped},
           {v2::event_released, EventKind::kReleased},
           {v2::event_refused, EventKind::kRefused},
           {v2::event_busy, EventKind::kBusy},
           {v2::event_rerouted, EventKind::kRerouted},
           {v2::event_broken, EventKind::kBroken},
           {v2::event_path_unknown, EventKind::kPathUnknown},
           {v2::event_mended, EventKind::kMended},
           {v2::event_ended, EventKind::kEnded},
           {v2::event_incomplete, EventKind::kIncomplete},
           {v2::event_link_up, EventKind::kLinkUp},
           {v2::event_link_down, EventKind::kLinkDown},
           {v2::event_link_drained, EventKind::kLinkDrained},
           {v2::event_link_undrained, EventKind::kLinkUndrained},
           {v2::event_switch_up, EventKind::kSwitchUp},
           {v2::event_switch_down, EventKind::kSwitchDown},
           {v2::event_switch_drained, EventKind::kSwitchDrained},
           {v2::event_switch_undrained, EventKind::kSwitchUndrained},
           {v2::event_session_attached, EventKind::kSessionAttached},
           {v2::event_session_ended, EventKind::kSessionEnded},
           {v2::event_alarm_raised, EventKind::kAlarmRaised},
           {v2::event_alarm_cleared, EventKind::kAlarmCleared},
           {v2::event_alarm_acknowledged, EventKind::kAlarmAcknowledged}}) {
    EXPECT_EQ(static_cast<int>(constant), static_cast<int>(kind)) << to_string(kind);
  }
}

TEST(Contract, AHoldOfAManagerLastsNoLongerThanAClientsMay) {
  HopBatch batch;
  batch.owners = {{"mia", Epoch{3}, "host-a", "host-b"}};
  HopSetup& setup = batch.setups.emplace_back();
  setup.owner = 0;
  setup.held = true;
  setup.hold_ms = kHoldMsMax;
  v2::HopBatch wire;
  orb::to_idl(batch, wire);
  for (const std::uint32_t stated : {kHoldMsMax, kHoldMsMax + 1, 0xffff'ffffU}) {
    wire.setups[0].hold_ms = stated;
    const auto read = orb::to_core(wire);
    ASSERT_TRUE(read.has_value()) << read.error().text;
    EXPECT_EQ(read->setups.at(0).hold_ms, kHoldMsMax);
    EXPECT_TRUE(read->setups.at(0).held);
  }
}

TEST(Contract, AHandoverIsCores) {
  HopBatch batch;
  batch.owners = {{"mia", Epoch{3}, "host-a", "host-b"}};
  const HopHandover handover{{"noa", Epoch{1}, "host-a", "host-c"}, RequestId{8}, ConnectionId{9}};
  batch.modifies = {{{ConnectionId{7}, Generation{1}, 0, 0}, 2, {100, 10}, {}, handover},
                    {{ConnectionId{7}, Generation{1}, 0, 1}, 2, {100, 10}, {}, {}}};
  v2::HopBatch wire;
  orb::to_idl(batch, wire);
  const auto back = orb::to_core(wire);
  ASSERT_TRUE(back.has_value()) << back.error().text;
  EXPECT_EQ(back->modifies, batch.modifies);
  wire.modifies[0].handover[0].owner = 4;
  EXPECT_EQ(orb::to_core(wire).error().text, "owner 4 is meant, of 2 owners");
}

TEST(Contract, APageOfHopsEndsBeforeTheReplyIsTooLongForItsOwners) {
  constexpr std::size_t kHops = 5'000;
  LedgerReport report;
  for (std::uint32_t i = 0; i < kHops; ++i) {
    const std::string end = std::string(58, 'e') + std::to_string(10'000 + i);
    report.owners.push_back({std::string(63, 'c'), Epoch{1}, end, end});
    report.hops.emplace_back().owner = i;
  }
  std::size_t first = 0;
  int pages = 0;
  while (first < kHops) {
    orb::ReplyRoom room;
    const std::size_t count = orb::hops_that_fit(report.hops, report.owners, first, kHops, room);
    ASSERT_GT(count, 0U);
    v2::LedgerPage page;
    orb::to_idl(report.hops.data() + first, count, report.owners, page);
    EXPECT_EQ(page.owners.length(), count);
    EXPECT_LE(orb::octets_of(page.hops) + orb::octets_of(page.owners), orb::kReplyOctetsMax);
    first += count;
    ++pages;
  }
  EXPECT_EQ(pages, 2);
}

TEST(Contract, APageOfHopsSaysEachOwnerOnceAndKeepsTheWholeRecord) {
  const std::vector<HopOwner> owners{{"mia", Epoch{3}, "host-a", "host-b"},
                                     {"noa", Epoch{1}, "host-a", "host-c"}};
  std::vector<LedgerHop> hops;
  for (std::uint32_t i = 0; i < 4; ++i) {
    LedgerHop& hop = hops.emplace_back();
    hop.key = {ConnectionId{7 + i}, Generation{2}, 1, 0};
    hop.cross_connect = {PortId{1}, atm_label(0, 32 + i), PortId{2}, atm_label(0, 64 + i)};
    hop.demand = {100, i};
    hop.contract = {ServiceCategory::kCbr, 100, 250};
    hop.settled = i != 3;
    hop.held = i == 3;
    if (hop.held) hop.hold_left = std::chrono::minutes{10};
    hop.hop_count = 3;
    hop.owner = i % 2;
    hop.request = RequestId{50 + i};
    hop.stage = static_cast<HopStage>(i);
    hop.branch = i == 1;
    hop.bidirectional = i == 2;
    hop.superseded = i == 3;
    hop.revision = 5 + i;
    hop.shown_id = ConnectionId{900 + i};
  }
  v2::LedgerPage page;
  page.audit = page.cross_connects = 0;
  page.more = false;
  orb::to_idl(hops.data(), hops.size(), owners, page);
  EXPECT_EQ(page.owners.length(), 2U);
  LedgerReport report;
  report.owners.resize(1);  // left over from an earlier page
  cdrMemoryStream wire;
  page >>= wire;
  v2::LedgerPage back;
  back <<= wire;
  ASSERT_TRUE(orb::add_hops(back, report));
  for (LedgerHop& hop : hops) ++hop.owner;
  EXPECT_EQ(report.hops, hops);
  EXPECT_EQ(report.owners.at(1), owners[0]);
  EXPECT_EQ(report.owners.at(2), owners[1]);
  for (LedgerHop& hop : hops) --hop.owner;
  v2::HopPage held;
  orb::to_idl(HeldHops{hops, owners, 0}, hops.size(), held);
  held.next = 77;
  const auto read = orb::to_core(held);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->hops, hops);
  EXPECT_EQ(read->owners, owners);
  EXPECT_EQ(read->next, 77U);
  held.hops[3].hold_left_ms = 0xffff'ffff;
  EXPECT_EQ(orb::to_core(held)->hops.at(3).hold_left, std::chrono::milliseconds{kHoldMsMax});
  page.hops[0].owner = 9;
  EXPECT_EQ(orb::add_hops(page, report).error().text, "owner 9 is meant, of 2 owners");
}

// cmake/idl.cmake corrects what omniidl generates.
TEST(UnionTest, AMessageThatEndsWithinTheMemberLeaksNothing) {
  v2::Refusal why{};
  why.element = std::string(1'000'000, 'x').c_str();
  v2::OutcomeBody body;
  body.why(why);
  cdrMemoryStream whole;
  body >>= whole;
  const auto octets_in_use = [] {
    const auto memory = mallinfo2();
    return memory.uordblks + memory.hblkhd;
  };
  const std::size_t before = octets_in_use();
  for (int i = 0; i < 20; ++i) {
    cdrMemoryStream cut(whole.bufPtr(), whole.bufSize() - 4);
    v2::OutcomeBody back;
    EXPECT_THROW(back <<= cut, CORBA::MARSHAL);
  }
  EXPECT_LT(octets_in_use(), before + 5'000'000);
}

}  // namespace
}  // namespace xbind
