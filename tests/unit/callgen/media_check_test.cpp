#include "callgen/media/media_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "dataplane/aal5.hpp"
#include "tests/unit/callgen/media_rig.hpp"

namespace xbind::callgen {
namespace {

using namespace media_test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// ===== cells ====================================================================================

TEST(MediaCellsTest, EachSaysWhoseItIsAndAllFormFramesOfAal5) {
  for (const bool after : {false, true}) {
    const auto cells = marked_cells({kRun, 12, 0, 1, after}, atm_label(3, 40));
    ASSERT_EQ(cells.size(), after ? kProbeCells : kCheckCells);
    dataplane::Aal5Reassembly frames;
    std::size_t whole = 0;
    for (std::uint32_t i = 0; i < cells.size(); ++i) {
      EXPECT_EQ(mark_of(cells[i]), (CellMark{kRun, 12, i, 1, after}));
      EXPECT_EQ(FakeNetwork::label_of(cells[i]), atm_label(3, 40));
      const auto outcome = frames.push(cells[i]);
      EXPECT_TRUE(outcome == dataplane::Aal5Outcome::kFrame ||
                  outcome == dataplane::Aal5Outcome::kMore);
      if (outcome == dataplane::Aal5Outcome::kFrame) ++whole;
    }
    EXPECT_EQ(frames.pending(), 0U);
    EXPECT_EQ(whole, after ? kProbeCells : kCheckCells - kLongFrameCells + 1);
  }
  EXPECT_EQ(mark_of(Cell{}), std::nullopt);
}

// ===== a network without faults =====

TEST(MediaCheckTest, CellsArriveWhileTheCallIsUpAndNotAfterwards) {
  MediaRig rig;
  EXPECT_TRUE(rig.connect(0, k40, k50));
  EXPECT_THAT(rig.check.take_inspected(), IsEmpty());
  rig.turn(1ms);
  EXPECT_THAT(rig.check.take_inspected(), ElementsAre(0));
  rig.release(0, k40, 100ms);
  EXPECT_FALSE(rig.check.idle(media_at(100ms)));
  rig.turn(100ms);
  EXPECT_FALSE(rig.check.idle(media_at(399ms)));  // the check waits for cells that must not arrive
  EXPECT_TRUE(rig.check.idle(media_at(400ms)));
  const MediaFigures& figures = rig.check.finish();
  EXPECT_EQ(figures.calls_checked, 1U);
  EXPECT_EQ(figures.calls_failed, 0U);
  EXPECT_EQ(figures.cells_sent, kCheckCells);
  EXPECT_EQ(figures.cells_received, kCheckCells);
  EXPECT_EQ(figures.probes_sent, kProbeCells);
  EXPECT_EQ(figures.violations(), 0U);
  EXPECT_THAT(figures.findings, IsEmpty());
}

TEST(MediaCheckTest, BothWaysOfACallAreChecked) {
  MediaRig rig;
  Outcome outcome = connected(k40, k50);
  outcome.reverse_ingress = k51;
  outcome.reverse_egress = k41;
  rig.network.join({"a", k40}, {"b", k50});
  rig.check.offered(0, {"a", "b"}, media_at(0ms));
  EXPECT_TRUE(rig.check.connected(0, outcome, media_at(0ms), true));
  rig.turn(1ms);  // no cell travels back
  EXPECT_THAT(rig.check.take_inspected(), IsEmpty());
  rig.turn(2001ms);
  EXPECT_THAT(rig.check.take_inspected(), ElementsAre(0));
  EXPECT_EQ(rig.figures().lost, kCheckCells);

  outcome.ingress = atm_label(0, 42);
  outcome.reverse_ingress = atm_label(0, 52);
  rig.network.join({"a", outcome.ingress}, {"b", k50});
  rig.network.join({"b", outcome.reverse_ingress}, {"a", k41});
  rig.check.offered(1, {"a", "b"}, media_at(2100ms));
  EXPECT_TRUE(rig.check.connected(1, outcome, media_at(2100ms), true));
  rig.turn(2101ms);
  EXPECT_THAT(rig.check.take_inspected(), ElementsAre(1));
  EXPECT_EQ(rig.figures().cells_sent, 4 * kCheckCells);
  EXPECT_EQ(rig.figures().calls_failed, 1U);
}

TEST(MediaCheckTest, SoManyChecksAtATimeTheOthersWaitTheirTurn) {
  MediaRig rig(100, 1000, 2);
  for (std::uint32_t call = 0; call < 3; ++call)
    rig.connect(call, atm_label(0, 40 + call), atm_label(0, 50 + call));
  EXPECT_LE(rig.check.next_deadline(), media_at(0ms));
  EXPECT_EQ(rig.check.advance(media_at(0ms)).size(), 2U);
  EXPECT_EQ(rig.check.next_deadline(), media_at(2s));
  EXPECT_THAT(rig.check.advance(media_at(1999ms)), IsEmpty());
  EXPECT_EQ(rig.check.advance(media_at(2s)).size(),
            1U);  // the first two are lost, so there is room
  EXPECT_EQ(rig.check.next_deadline(), media_at(4s));
  EXPECT_EQ(rig.figures().lost, 2 * kCheckCells);
}

// ===== which calls ==============================================================================

TEST(MediaCheckTest, TheFirstCallsAndThenSomeOnReusedLabels) {
  MediaRig rig(10, 1000);
  std::uint64_t checked = 0;
  for (std::uint64_t call = 0; call < 1000; ++call) {
    const Label ingress = atm_label(0, static_cast<std::uint32_t>(32 + call % 500));
    const bool kept = rig.connect(call, ingress, ingress);
    if (call < 10) {
      EXPECT_TRUE(kept) << call;
    }
    if (call >= 10 && call < 500) {
      EXPECT_FALSE(kept) << call;  // its label was never used before
    }
    if (call == 500) {
      EXPECT_TRUE(kept);  // the first call on a reused label is always checked
    }
    checked += kept ? 1 : 0;
    rig.turn(1ms);
    rig.release(call, ingress, 1ms);
    rig.turn(1ms);
  }
  EXPECT_EQ(checked, 20U);
  EXPECT_EQ(rig.figures().calls_checked, 20U);
  EXPECT_EQ(rig.figures().reused_checked, 10U);
  EXPECT_EQ(rig.figures().calls_on_reused_labels, 500U);
  EXPECT_EQ(rig.check.finish().violations(), 0U);
}

TEST(MediaCheckTest, ALabelIsReusedOnlyAfterAReleaseAtTheSameEndInTheSameDirection) {
  MediaRig rig(1, 100);
  rig.connect(0, k40, k50);
  rig.connect(1, k41, k51);
  rig.check.over(1, false,
                 media_at(1ms));  // not released: the network may still have the connection
  rig.check.offered(2, {"a", "b"}, media_at(1ms));
  rig.check.connected(2, connected(k41, k51), media_at(1ms), true);
  EXPECT_EQ(rig.figures().calls_on_reused_labels, 0U);
  rig.check.over(0, true, media_at(2ms));
  rig.check.offered(3, {"b", "a"}, media_at(3ms));
  rig.check.connected(3, connected(k40, k50), media_at(3ms), true);  // in the reverse direction
  EXPECT_EQ(rig.figures().calls_on_reused_labels, 0U);
  rig.check.offered(4, {"c", "b"}, media_at(4ms));
  // The egress label is reused.
  EXPECT_TRUE(rig.check.connected(4, connected(k40, k50), media_at(4ms), true));
  EXPECT_EQ(rig.figures().calls_on_reused_labels, 1U);
}

TEST(MediaCheckTest, WhatHasNoCellsCannotBeChecked) {
  MediaRig rig;
  rig.check.offered(0, {"a", "nowhere"}, media_at(0ms));
  EXPECT_FALSE(rig.check.connected(0, connected(k40, k50), media_at(0ms), true));
  rig.check.offered(1, {"a", "b"}, media_at(0ms));
  EXPECT_FALSE(
      rig.check.connected(1, connected(k40, {LabelKind::kMpls, 1000}), media_at(0ms), true));
  rig.check.offered(2, {"a", "b"}, media_at(0ms));
  EXPECT_FALSE(rig.check.connected(2, connected({}, {}), media_at(0ms), true));
  EXPECT_EQ(rig.figures().calls_uncheckable, 3U);
  EXPECT_EQ(rig.figures().calls_checked, 0U);
}

// From ATM to MPLS: the label of the arriving cells has 20 bits; an ATM cell has VPI and VCI there.
TEST(MediaCheckTest, ACallThatChangesItsKindOfLabel) {
  const Label m50{LabelKind::kMpls, 0xf0032};
  MediaRig rig;
  rig.network.join({"a", k40}, {"m", m50});
  rig.check.offered(0, {"a", "m"}, media_at(0ms));
  EXPECT_TRUE(rig.check.connected(0, connected(k40, m50), media_at(0ms), true));
  rig.turn(1ms);
  EXPECT_THAT(rig.check.take_inspected(), ElementsAre(0));
  EXPECT_EQ(rig.figures().violations(), 0U) << rig.figures().findings.front();

  // As an ATM label the same bits mean another label, and that host has no such line.
  rig.check.offered(1, {"a", "m"}, media_at(2ms));
  EXPECT_FALSE(rig.check.connected(1, connected(k41, atm_label(0xf, 0x32)), media_at(2ms), true));
  EXPECT_EQ(rig.figures().calls_uncheckable, 1U);
}

TEST(MediaCheckTest, ACellOnAnotherMplsLabelIsNamedAsSuch) {
  MediaRig rig;
  rig.network.join({"a", k40}, {"m", {LabelKind::kMpls, 17}});
  rig.check.offered(0, {"a", "m"}, media_at(0ms));
  EXPECT_TRUE(rig.check.connected(0, connected(k40, {LabelKind::kMpls, 16}), media_at(0ms), true));
  rig.turn(1ms);
  EXPECT_EQ(rig.figures().wrong_label, kCheckCells);
  EXPECT_THAT(rig.figures().findings,
              ElementsAre("call 0, a 0/40 to m mpls 16: a cell came to m mpls 17"));
}

TEST(MediaCheckTest, RefusedCallsAreForgotten) {
  MediaRig rig;
  rig.check.offered(0, {"a", "b"}, media_at(0ms));
  rig.check.over(0, false, media_at(1ms));
  rig.turn(2ms);
  EXPECT_TRUE(rig.check.idle(media_at(2ms)));
  EXPECT_EQ(rig.figures().cells_sent, 0U);
}

// ===== a network that alters cells =====

// The figures of one call through a network with this lie.
MediaFigures one_call(std::function<void(FakeNetwork::Delivery&)> lie) {
  MediaRig rig;
  rig.network.lie = std::move(lie);
  rig.connect(0, k40, k50);
  rig.turn(1ms);
  rig.turn(2001ms);  // the deadline for cells that have not arrived
  return rig.check.finish();
}

TEST(MediaCheckTest, ALostCell) {
  const auto figures = one_call([](auto& cells) { cells.erase(cells.begin() + 2); });
  EXPECT_EQ(figures.lost, 1U);
  EXPECT_EQ(figures.violations(), 1U);
  EXPECT_EQ(figures.calls_failed, 1U);
  EXPECT_THAT(figures.findings, ElementsAre("call 0, a 0/40 to b 0/50: a cell was lost"));
}

TEST(MediaCheckTest, ACallThatFailsInSeveralWaysIsNamedOnce) {
  const auto figures = one_call([](auto& cells) { cells[1].first = cells[2].first = "c"; });
  EXPECT_EQ(figures.violations(), 4U);
  EXPECT_EQ(figures.calls_failed, 1U);
  EXPECT_THAT(figures.failed_calls, ElementsAre(0));
}

TEST(MediaCheckTest, AnOvertakenCell) {
  const auto figures = one_call([](auto& cells) { std::swap(cells[3], cells[4]); });
  EXPECT_EQ(figures.out_of_order, 1U);
  EXPECT_EQ(figures.violations(), 1U);
}

TEST(MediaCheckTest, ADuplicatedCell) {
  for (const std::size_t which : {std::size_t{0}, std::size_t{kCheckCells - 1}}) {
    const auto figures = one_call([which](auto& cells) { cells.push_back(cells[which]); });
    EXPECT_EQ(figures.duplicated, 1U);
    EXPECT_EQ(figures.violations(), 1U);
    EXPECT_EQ(figures.calls_failed, 1U);
  }
}

TEST(MediaCheckTest, ACellAtAnotherEndpoint) {
  const auto figures = one_call([](auto& cells) { cells[1].first = "c"; });
  EXPECT_EQ(figures.wrong_endpoint, 1U);
  EXPECT_EQ(figures.lost, 1U);
  EXPECT_EQ(figures.violations(), 2U);
  EXPECT_THAT(figures.findings.front(), HasSubstr("a cell came to c 0/50"));
}

TEST(MediaCheckTest, ACopyAtAnotherEndpoint) {
  const auto figures = one_call([](auto& cells) { cells.emplace_back("a", cells[5].second); });
  EXPECT_EQ(figures.wrong_endpoint, 1U);
  EXPECT_EQ(figures.violations(), 1U);
}

TEST(MediaCheckTest, ACellOnAnotherLabel) {
  const auto figures =
      one_call([](auto& cells) { cells[1].second = FakeNetwork::on_label(cells[1].second, k51); });
  EXPECT_EQ(figures.wrong_label, 1U);
  EXPECT_EQ(figures.lost, 1U);
  EXPECT_EQ(figures.violations(), 2U);
}

TEST(MediaCheckTest, ACellThatWasChanged) {
  const auto changed = one_call([](auto& cells) { cells[1].second.payload[40] ^= std::byte{1}; });
  EXPECT_EQ(changed.corrupted, 1U);
  EXPECT_EQ(changed.lost, 1U);
  // A cell that ends a frame, without such a frame.
  const auto merged =
      one_call([](auto& cells) { cells[0].second.header = dataplane::cell_header(0, 50, 0); });
  EXPECT_EQ(merged.corrupted, 1U);
  // Cells of a call that never existed.
  const auto strange = one_call([](auto& cells) {
    cells.emplace_back("b", marked_cells({kRun, 99, 0, 0, false}, k50).front());
    cells.emplace_back("b", marked_cells({kRun, 0, 0, 1, false}, k50).front());
  });
  EXPECT_EQ(strange.corrupted, 2U);
  EXPECT_EQ(strange.lost, 0U);
}

TEST(MediaCheckTest, CellsOfOthersAreNoBusinessOfOurs) {
  const auto figures = one_call([](auto& cells) {
    cells.emplace_back("b", Cell{});
    cells.emplace_back("b", marked_cells({kRun + 1, 0, 0, 0, false}, k50).front());
  });
  EXPECT_EQ(figures.foreign, 2U);
  EXPECT_EQ(figures.violations(), 0U);
}

TEST(MediaCheckTest, WhatComesAfterTheDeadlineHasBeenLost) {
  MediaRig rig;
  rig.connect(0, k40, k50);
  const auto sent = rig.check.advance(media_at(1ms));
  rig.turn(2001ms);
  EXPECT_THAT(rig.check.take_inspected(), ElementsAre(0));
  for (const auto& [endpoint, cell] : rig.network.carry(sent.front()))
    rig.check.arrived(endpoint, cell, media_at(2002ms));
  EXPECT_EQ(rig.figures().lost, kCheckCells);
  EXPECT_EQ(rig.figures().late, kCheckCells);
  EXPECT_EQ(rig.figures().violations(), kCheckCells);
  EXPECT_THAT(rig.check.take_inspected(), IsEmpty());
}

TEST(MediaCheckTest, ManyViolationsHaveFewSentences) {
  const auto figures = one_call([](auto& cells) { cells.clear(); });
  EXPECT_EQ(figures.lost, kCheckCells);
  EXPECT_THAT(figures.findings, ElementsAre("call 0, a 0/40 to b 0/50: 8 cells were lost"));
  const auto doubled = one_call([](auto& cells) {
    const auto once = cells;
    for (int more = 0; more < 3; ++more) cells.insert(cells.end(), once.begin(), once.end());
  });
  EXPECT_EQ(doubled.duplicated, 3 * kCheckCells);
  EXPECT_THAT(doubled.findings, ElementsAre("call 0, a 0/40 to b 0/50: a cell came twice"));

  MediaRig rig;
  for (std::uint32_t call = 0; call < 10; ++call)
    rig.connect(call, atm_label(0, 40 + call), atm_label(0, 50 + call));
  rig.network.lie = [](auto& cells) { cells.erase(cells.begin() + 2, cells.end()); };
  rig.turn(1ms);
  rig.turn(2001ms);
  EXPECT_EQ(rig.figures().lost, 10 * (kCheckCells - 2));
  EXPECT_EQ(rig.figures().findings.size(), MediaCheck::kMostFindings);
}

// ===== after the release ========================================================================

TEST(MediaCheckTest, AConnectionThatOutlivesItsRelease) {
  MediaRig rig;
  rig.connect(0, k40, k50);
  rig.turn(1ms);
  rig.check.over(0, true, media_at(10ms));  // in the outcome only
  rig.turn(11ms);
  const MediaFigures& figures = rig.check.finish();
  EXPECT_EQ(figures.after_release, kProbeCells);
  EXPECT_EQ(figures.calls_failed, 1U);
  EXPECT_EQ(figures.lost, 0U);
  EXPECT_THAT(figures.findings.front(), HasSubstr("after its release a cell came to b 0/50"));
}

// A first call from a on 0/40 to b on 0/50 is checked, and released at 10 ms. Its probe at 11 ms
// arrives on `egress`, where another call between these ends lasted from `offered` to `until`.
MediaFigures probe_meets(Label egress, Duration offered, Duration reported, Duration until) {
  MediaRig rig(1, 100);
  rig.connect(0, k40, k50);
  rig.turn(1ms);
  rig.release(0, k40, 10ms);
  const auto begin = [&] { rig.check.offered(1, {"a", "b"}, media_at(offered)); };
  const auto reported_by = [&] {
    rig.check.connected(1, connected(k40, k51), media_at(reported), true);
  };
  if (offered < 11ms) begin();
  if (reported < 11ms) reported_by();
  rig.network.join({"a", k40}, {"b", egress});
  if (until < 11ms) rig.check.over(1, true, media_at(until));
  rig.turn(11ms, 1ms);
  if (offered >= 11ms) begin();
  if (reported >= 11ms) reported_by();
  if (until >= 11ms) rig.check.over(1, true, media_at(until));
  return rig.check.finish();
}

TEST(MediaCheckTest, AProbeThatTheLabelsNextCallCarriedIsExcused) {
  // The next call is known before the probe, or only long after it.
  for (const Duration reported : {Duration{10500us}, Duration{500ms}}) {
    const auto figures = probe_meets(k51, 5ms, reported, 900ms);
    EXPECT_EQ(figures.probes_excused, kProbeCells);
    EXPECT_EQ(figures.violations(), 0U);
  }
  // The next call is offered between the sending of the probe and its arrival.
  EXPECT_EQ(probe_meets(k51, 11500us, 20ms, 900ms).probes_excused, kProbeCells);
}

TEST(MediaCheckTest, AProbeThatTheNextCallDoesNotExplainIsNotExcused) {
  EXPECT_EQ(probe_meets(k50, 5ms, 6ms, 900ms).after_release, kProbeCells);  // the old egress label
  EXPECT_EQ(probe_meets(k51, 13ms, 14ms, 900ms).after_release, kProbeCells);  // not offered yet
  // The next call has ended by then: no call uses the label, and its own
  // probes should not arrive either.
  EXPECT_EQ(probe_meets(k51, 5ms, 6ms, 10900us).after_release, 2 * kProbeCells);
}

TEST(MediaCheckTest, ACallThatEndedBeforeTheProbeWasSentExcusesNothing) {
  MediaRig rig;
  // Successive calls on a's 0/40; the second goes to b's 0/51.
  Duration when{};
  const auto live = [&](std::uint64_t call, Label egress) {
    rig.connect(call, k40, egress, when);
    rig.turn(when + 1ms);
    rig.release(call, k40, when + 10ms);
  };
  for (const auto& [call, egress] : {std::pair{0U, k50}, {1U, k51}, {2U, k50}}) {
    live(call, egress);
    // The network has kept the second call's connection: the third call's probe arrives there.
    if (call == 2) rig.network.join({"a", k40}, {"b", k51});
    rig.turn(when + 11ms);
    when += 20ms;
  }
  const MediaFigures& figures = rig.check.finish();
  EXPECT_EQ(figures.probes_sent, 3 * kProbeCells);
  EXPECT_EQ(figures.probes_excused, 0U);
  EXPECT_EQ(figures.after_release, kProbeCells);
  EXPECT_THAT(figures.findings, ElementsAre("call 2, a 0/40 to b 0/50: after its release a cell "
                                            "came to b 0/51"));
}

TEST(MediaCheckTest, AFailedReleaseIsNotProbed) {
  MediaRig rig;
  rig.connect(0, k40, k50);
  rig.turn(1ms);
  rig.check.over(0, false, media_at(10ms));
  rig.turn(11ms);
  EXPECT_EQ(rig.figures().probes_sent, 0U);
}

}  // namespace
}  // namespace xbind::callgen
