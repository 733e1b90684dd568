#include "ovs/bridge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <utility>

#include "core/check.hpp"

namespace xbind::ovs {

using namespace openflow;

namespace {

constexpr Duration kEcho = kOvsTimers["bridge-echo"];
constexpr Duration kLost = kOvsTimers["bridge-lost"];
constexpr Duration kConnect = kOvsTimers["bridge-connect"];

// Port changes that may arrive while the contents are read.
constexpr std::size_t kEarlyMax = 100'000;

// Whether number `one` comes before `other` in a sequence that wraps.
bool before(std::uint32_t one, std::uint32_t other) {
  return static_cast<std::int32_t>(one - other) < 0;
}

}  // namespace

// ----- the connection ---------------------------------------------------------------------------

void Bridge::connected(TimePoint now) {
  XB_CHECK(state_ == State::kDown);
  state_ = State::kHello;
  framer_.reset();
  out_.clear();
  to_close_.reset();
  heard_ = connected_at_ = now;
  echo_sent_ = false;
  ++counters_.connections;
  send(Hello{});
}

void Bridge::closed() {
  if (state_ == State::kDown) return;
  const bool was_ready = std::exchange(state_, State::kDown) == State::kReady;
  out_.clear();
  unconfirmed_ = false;
  barriers_.clear();
  refused_.clear();
  contents_ = {};
  early_.clear();
  to_close_.reset();
  const auto lost = std::exchange(queries_, {});
  for (const auto& [xid, query] : lost) {
    std::visit(
        [](const auto& one) {
          one.then(fail(ErrorCode::kUnreachable, "the connection to the bridge has ended"));
        },
        query);
  }
  if (was_ready) client_.bridge_lost();
}

void Bridge::receive(std::span<const std::byte> octets, TimePoint now) {
  if (state_ == State::kDown || to_close_) return;
  heard_ = now;
  echo_sent_ = false;
  const auto broken = framer_.feed(octets, [&](std::span<const std::byte> frame) {
    const auto message = decode(frame);
    if (!message) {
      give_up("the bridge sent a message that cannot be read: " + to_string(message.error()));
    } else {
      on(*message, now);
    }
    return !to_close_;
  });
  if (broken) give_up("the bridge sent no OpenFlow 1.4: " + to_string(*broken));
}

void Bridge::tick(TimePoint now) {
  if (state_ == State::kDown || to_close_) return;
  if (now - heard_ >= kLost) return give_up("the bridge has been silent");
  if (state_ != State::kReady && now - connected_at_ >= kConnect)
    return give_up("the bridge did not report its contents in time");
  if (!echo_sent_ && now - heard_ >= kEcho) {
    echo_sent_ = true;
    send(EchoRequest{});
  }
}

TimePoint Bridge::next_deadline() const {
  if (state_ == State::kDown || to_close_) return kNever;
  const TimePoint quiet = heard_ + (echo_sent_ ? kLost : kEcho);
  return state_ == State::kReady ? quiet : std::min(quiet, connected_at_ + kConnect);
}

void Bridge::take_output(wire::Buffer& into) {
  into.clear();
  std::swap(into, out_);
}

// ----- messages ---------------------------------------------------------------------------------

void Bridge::on(const Message& message, TimePoint) {
  const std::uint32_t xid = message.header.xid;
  std::visit(
      [&](const auto& body) {
        using Body = std::decay_t<decltype(body)>;
        if constexpr (std::is_same_v<Body, Hello>) {
          on_hello(body);
        } else if constexpr (std::is_same_v<Body, Error>) {
          on_error(xid, body);
        } else if constexpr (std::is_same_v<Body, EchoRequest>) {
          encode(EchoReply{body.data}, xid, out_);
        } else if constexpr (std::is_same_v<Body, BarrierReply>) {
          on_barrier(xid);
        } else if constexpr (std::is_same_v<Body, PortStatus>) {
          on_port(body);
        } else if constexpr (std::is_same_v<Body, BundleControl>) {
          // A reply: what matters is the barrier behind the bundle, and errors before it.
        } else if constexpr (std::is_same_v<Body, FlowStatsReply>) {
          answer(xid, body.more, body.flows);
        } else if constexpr (std::is_same_v<Body, GroupDescReply>) {
          answer(xid, body.more, body.groups);
        } else if constexpr (std::is_same_v<Body, MeterConfigReply>) {
          answer(xid, body.more, body.meters);
        } else if constexpr (std::is_same_v<Body, PortDescReply> ||
                             std::is_same_v<Body, PortStatsReply>) {
          answer(xid, body.more, body.ports);
        } else if constexpr (!std::is_same_v<Body, EchoReply>) {
          ++counters_.ignored;
        }
      },
      message.body);
}

void Bridge::on_hello(const Hello& hello) {
  if (state_ != State::kHello) return give_up("the bridge sent Hello twice");
  if (!hello.offers_version()) {
    return give_up(
        fmt::format("the bridge offers OpenFlow {} at most; 1.4 must be among its "
                    "protocols",
                    version_name(hello.highest())));
  }
  state_ = State::kReading;
  send(SetConfig{});  // or the bridge would not report changes of its ports
  read_contents();
}

void Bridge::on_port(const PortStatus& status) {
  if (state_ == State::kReady) return client_.bridge_port(status);
  if (early_.size() >= kEarlyMax) return give_up("the bridge's ports change without end");
  early_.push_back(status);
}

void Bridge::on_error(std::uint32_t xid, const Error& error) {
  if (state_ == State::kHello) {
    return give_up(
        fmt::format("the bridge refuses the connection: {}; 1.4 must be among its "
                    "protocols",
                    to_string(error)));
  }
  if (const auto found = queries_.find(xid); found != queries_.end()) {
    const AnyQuery query = std::move(found->second);
    queries_.erase(found);
    return std::visit(
        [&](const auto& one) { one.then(fail(ErrorCode::kSystem, "{}", to_string(error))); },
        query);
  }
  ++counters_.refused;
  if (error.type == static_cast<std::uint16_t>(ErrorType::kBundleFailed))
    ++counters_.bundles_failed;
  if (refused_.size() >= options_.refused_max)
    return give_up(fmt::format("the bridge refused more than {} changes", options_.refused_max));
  refused_.push_back({xid, error});
}

// ----- batches ----------------------------------------------------------------------------------

void Bridge::barrier() {
  if (!unconfirmed_ || state_ != State::kReady) return;
  unconfirmed_ = false;
  barriers_.push_back(send(BarrierRequest{}));
}

void Bridge::post_together(std::span<const BundledChange> changes) {
  constexpr std::uint16_t kFlags = kBundleAtomic | kBundleOrdered;
  const std::uint32_t id = next_bundle_++;
  ++counters_.bundles;
  post(BundleControl{id, BundleType::kOpenRequest, kFlags});
  for (const BundledChange& change : changes) {
    const std::uint32_t xid = take_number();
    ++counters_.changes;
    std::visit([&](const auto& one) { encode_in_bundle(id, kFlags, one, xid, out_); }, change);
  }
  post(BundleControl{id, BundleType::kCommitRequest, kFlags});
}

void Bridge::on_barrier(std::uint32_t xid) {
  if (barriers_.empty() || barriers_.front() != xid) {
    ++counters_.ignored;
    return;
  }
  barriers_.pop_front();
  ++counters_.batches;
  std::vector<Refused> refused;
  if (!refused_.empty()) {  // the bridge sends errors in the order of the changes
    auto end = refused_.begin();
    while (end != refused_.end() && before(end->xid, xid)) ++end;
    refused.assign(std::make_move_iterator(refused_.begin()), std::make_move_iterator(end));
    refused_.erase(refused_.begin(), end);
  }
  client_.batch_done(xid, refused);
}

// ----- queries ----------------------------------------------------------------------------------

template <class Request, class Answer>
void Bridge::ask(const Request& request, Then<Answer> then) {
  queries_.emplace(send(request), Query<Answer>{{}, std::move(then)});
}

template <class Answer>
void Bridge::answer(std::uint32_t xid, bool more, Answer part) {
  const auto found = queries_.find(xid);
  auto* const query =
      found == queries_.end() ? nullptr : std::get_if<Query<Answer>>(&found->second);
  if (query == nullptr) {
    ++counters_.ignored;
    return;
  }
  if (query->found.empty()) {
    query->found = std::move(part);
  } else {
    query->found.insert(query->found.end(), std::make_move_iterator(part.begin()),
                        std::make_move_iterator(part.end()));
  }
  if (query->found.size() > options_.flows_max)
    return give_up(fmt::format("the bridge has more than {} entries", options_.flows_max));
  if (more) return;
  Query<Answer> done = std::move(*query);
  queries_.erase(found);
  done.then(std::move(done.found));
}

void Bridge::read_flows(const FlowStatsRequest& request, Then<Flows> then) {
  ask<FlowStatsRequest, Flows>(request, std::move(then));
}

void Bridge::read_groups(Then<Groups> then) { ask<GroupDescRequest, Groups>({}, std::move(then)); }

void Bridge::read_port(std::uint32_t port, Then<PortCounters> then) {
  ask<PortStatsRequest, PortCounters>({.port = port}, std::move(then));
}

// ----- contents ---------------------------------------------------------------------------------

template <class Answer>
Bridge::Then<Answer> Bridge::content(Answer BridgeContents::*member) {
  ++contents_missing_;
  return [this, member](Result<Answer> found) {
    if (state_ != State::kReading) return;  // the connection has ended
    if (!found) return give_up("the bridge does not report its contents: " + found.error().text);
    contents_.*member = std::move(*found);
    if (--contents_missing_ > 0) return;
    state_ = State::kReady;
    client_.bridge_ready(std::exchange(contents_, {}));
    for (const PortStatus& status : std::exchange(early_, {})) client_.bridge_port(status);
  };
}

void Bridge::read_contents() {
  contents_missing_ = 0;
  FlowStatsRequest flows;
  flows.table = options_.table;
  ask<PortDescRequest, Ports>({}, content(&BridgeContents::ports));
  ask<FlowStatsRequest, Flows>(flows, content(&BridgeContents::flows));
  ask<GroupDescRequest, Groups>({}, content(&BridgeContents::groups));
  ask<MeterConfigRequest, Meters>({}, content(&BridgeContents::meters));
}

}  // namespace xbind::ovs
