// `ping`: whether cells pass through a connection, and where they stop (decision 0059).
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/steady_now.hpp"
#include "dataplane/host/open_host_lines.hpp"
#include "dataplane/oam/ping.hpp"
#include "orb/convert.hpp"
#include "xbindctl/answers.hpp"
#include "xbindctl/commands.hpp"

namespace xbind::ctl {
namespace {

using dataplane::Direction;
using dataplane::NamedLink;
using dataplane::PingPlan;
using dataplane::PingPoint;
using dataplane::PingResult;

// The points of the caller's direction. An error: this connection cannot be measured.
Result<std::vector<PingPoint>> points_of(const v2::ConnectionState& state) {
  if (state.phase != v2::phase_connected) {
    return fail(ErrorCode::kBadInput, "{} is {}; ping needs a connection that is connected",
                state.connection, words_of_phase(state.phase));
  }
  if (state.leaves.length() > 0) {
    const CORBA::ULong leaves = state.leaves.length();
    return fail(ErrorCode::kBadInput, "{} has {} {}; ping needs a connection with one destination",
                state.connection, leaves, leaves == 1 ? "leaf" : "leaves");
  }
  std::vector<PingPoint> points;
  for (CORBA::ULong i = 0; i < state.hops.length(); ++i) {
    const v2::HopState& hop = state.hops[i];
    if (hop.leg != 0) continue;
    const auto input = orb::to_core(hop.input_label);
    const auto output = orb::to_core(hop.output_label);
    if (!input || !output) {
      return fail(ErrorCode::kBadInput, "{} has a label of an unknown kind at {}", state.connection,
                  hop.switch_name.in());
    }
    points.push_back({hop.switch_name.in(), Direction::kIn, PortId{hop.input_port}, *input});
    points.push_back({hop.switch_name.in(), Direction::kOut, PortId{hop.output_port}, *output});
  }
  if (points.empty()) return fail(ErrorCode::kBadInput, "{} has no hops", state.connection);
  return points;
}

// Bridges have no cells, so that what lies behind one cannot answer.
Result<void> without_bridges(ConnectionId connection, const std::vector<PingPoint>& points,
                             const PingWish& wish) {
  const auto bridges = wish.bridges ? wish.bridges() : std::vector<std::string>{};
  for (const PingPoint& point : points) {
    if (std::ranges::find(bridges, point.node) == bridges.end()) continue;
    return fail(ErrorCode::kBadInput,
                "{} passes {}, a bridge of Open vSwitch, which carries no OAM cells; ping from "
                "host to host instead: deploy/lab host NODE -- ping",
                connection, point.node);
  }
  return {};
}

LabelKind labels_of(const NamedLink& line) {
  return line.link.kind == dataplane::LinkKind::kLsp ? LabelKind::kMpls : LabelKind::kAtm;
}

// The line of `host`, if it can carry cells of the label.
Result<NamedLink> line_of(const std::vector<NamedLink>& lines, const std::string& host,
                          Label label) {
  const auto found = std::ranges::find(lines, host, &NamedLink::name);
  if (found == lines.end()) {
    return fail(ErrorCode::kNotFound,
                "--host-lines has no line of {}, where the cells have to be sent; `deploy/lab env` "
                "sets it for a lab",
                host);
  }
  if (labels_of(*found) != label.kind) {
    return fail(ErrorCode::kBadInput, "the line of {}, {}, does not carry cells with label {}",
                host, dataplane::to_string(found->link), to_string(label));
  }
  return *found;
}

// Waits until the line has cells or `until` has come.
void wait_for(const std::vector<int>& descriptors, TimePoint until) {
  std::vector<pollfd> watched;
  watched.reserve(descriptors.size());
  for (const int descriptor : descriptors) watched.push_back({descriptor, POLLIN, 0});
  const Duration left = std::max(until - steady_now(), Duration::zero());
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
  const timespec wait{.tv_sec = seconds.count(), .tv_nsec = (left - seconds).count()};
  // An error, such as a signal, ends the wait early; the caller looks at the time again.
  ppoll(watched.data(), watched.size(), &wait, nullptr);
}

Result<std::vector<PingResult>> measure(const NamedLink& line, const PingPlan& plan) {
  auto opened = dataplane::open_host_lines(std::span(&line, 1));
  if (!opened) return tl::make_unexpected(opened.error());
  dataplane::HostLine& host = *opened->lines.begin()->second;
  const std::vector<int> descriptors = opened->links.descriptors();
  dataplane::Ping ping(plan, steady_now());
  host.set_callbacks(
      {.on_cell = [&ping](const dataplane::Cell& cell, TimePoint now) { ping.arrived(cell, now); },
       .on_frame = nullptr,
       .on_frame_error = nullptr});
  for (TimePoint now = steady_now(); !ping.over(now); now = steady_now()) {
    // A cell that finds no room in the line is lost, and shows as such.
    if (const auto cell = ping.next_cell(now)) (void)host.send_cells(std::span(&*cell, 1));
    if (host.poll(steady_now()) == 0) wait_for(descriptors, ping.next_deadline());
  }
  return ping.results();
}

std::string us(Duration time) {
  return fmt::format("{:.1f}", std::chrono::duration<double, std::micro>(time).count());
}

// "12.3"; "<12.3": less than the round trips vary; "-": unknown.
std::string words_of(const std::optional<dataplane::PingStep>& step) {
  return step ? (step->measured ? "" : "<") + us(step->time) : "-";
}

Row row_of(const PingPoint& point, const PingResult& result, const PingResult* before) {
  Row row{point.node,
          fmt::format("port {} {}", point.port, point.side == Direction::kIn ? "in" : "out"),
          to_string(point.label), fmt::format("{}", result.sent), fmt::format("{}", result.lost())};
  if (result.answered == 0) {
    row.insert(row.end(), {"-", "-", "-", "-"});
    return row;
  }
  row.insert(row.end(), {us(result.min), us(result.median), us(result.max)});
  row.push_back(before == nullptr ? us(result.median)
                                  : words_of(dataplane::step_between(*before, result)));
  return row;
}

bool same_path(const v2::ConnectionState& one, const v2::ConnectionState& other) {
  return one.phase == other.phase && one.generation == other.generation &&
         one.reroutes == other.reroutes;
}

}  // namespace

OrFailure<PingReport> pinged(const client::TwoWay& manager, ConnectionId connection,
                             const PingWish& wish) {
  const Peer peer{PeerKind::kManager, manager.peer(), manager.address()};
  const auto state = manager.describe(connection);
  if (!state) return failed(state.error(), peer);
  auto points = points_of(state->in());
  if (!points) return failed(points.error(), {});
  if (const auto passable = without_bridges(connection, *points, wish); !passable)
    return failed(passable.error(), {});
  const std::string host = state->in().from_end.in();
  const auto line = line_of(wish.lines, host, points->front().label);
  if (!line) return failed(line.error(), {});
  PingPlan plan{.points = std::move(*points),
                .line_label = {},
                .count = wish.count,
                .interval = wish.interval,
                .timeout = wish.timeout,
                .session = wish.session};
  plan.line_label = plan.points.front().label;

  auto results = measure(*line, plan);
  if (!results) {
    return failed(results.error().code,
                  fmt::format("the line of {} cannot be opened; does another process hold it? {}",
                              host, results.error().text));
  }
  PingReport report;
  report.verdict = verdict_of(plan, *results);
  report.points = std::move(plan.points);
  report.results = std::move(*results);
  if (!report.verdict.whole) {
    const auto after = manager.describe(connection);
    report.path_changed = after && !same_path(state->in(), after->in());
  }
  return report;
}

int ping(const client::TwoWay& manager, ConnectionId connection, const PingWish& wish) {
  const auto report = pinged(manager, connection, wish);
  if (!report) return explain(report.error());
  const std::vector<PingResult>& results = report->results;
  std::vector<Row> rows{
      {"switch", "point", "label", "sent", "lost", "min us", "median us", "max us", "step us"}};
  for (std::size_t i = 0; i < results.size(); ++i) {
    rows.push_back(row_of(report->points[i], results[i], i == 0 ? nullptr : &results[i - 1]));
  }
  print_table(3, std::move(rows));
  say(report->verdict.sentence);
  if (report->path_changed) {
    say(fmt::format("{} has changed meanwhile: ping it again", connection));
  }
  return report->verdict.whole ? 0 : 1;
}

}  // namespace xbind::ctl
