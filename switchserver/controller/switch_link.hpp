// The way to the switch: whether it is there, the requests that a step sends, and the cookies that
// tell their answers apart.
//
//            Up (kept)            its table has been read
//     down ───────────▶ reading ─────────────────────────▶ up
//      ▲ │                 │                               ▲ │
//      │ └─────────────────┼────── Up (not kept) ──────────┘ │
//      └───────────────────┴───────────── Down ──────────────┘
//
// Hops are set up, and labels and quotas granted, only while the switch is up (SwitchLife). A step
// ends in at most one flush, however many requests it has sent. A cookie names the kind of request
// and, of a hop's, the hop and its ticket, which changes with every life of the switch.
//
// `driver` must outlive this object. One thread; no errors.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/cause.hpp"
#include "switchserver/drivers/switch_driver.hpp"
#include "switchserver/ledger/hop_record.hpp"

namespace xbind::controller {

class SwitchLink {
 public:
  using Cookie = driver::Cookie;
  enum class State : std::uint8_t { kDown, kReading, kUp };
  // The low bits of a cookie: the kind of request. kTable: also the removal of a stray.
  enum class Request : std::uint8_t { kStatistics = 0, kAdd = 1, kRemove = 2, kTable = 3 };

  explicit SwitchLink(SwitchDriver& driver) : driver_(driver) {}

  State state() const { return state_; }
  bool up() const { return state_ == State::kUp; }
  void set_state(State state) { state_ = state; }
  // After an answer kSwitchUnreachable, Down will follow: nothing is sent any more.
  void answered(Cause cause) { lost_ = cause == Cause::kSwitchUnreachable; }
  bool reachable() const { return up() && !lost_; }

  static HopRef hop_of(Cookie cookie) { return HopRef{static_cast<std::uint32_t>(cookie >> 2)}; }
  static Request request_of(Cookie cookie) { return static_cast<Request>(cookie & 3); }
  static Cookie cookie(HopRef ref, const HopRecord& record, Request request) {
    return std::uint64_t{record.ticket} << 34 | std::uint64_t{ref.value()} << 2 |
           static_cast<Cookie>(request);
  }

  void add(const CrossConnect& wanted, const TrafficContract& contract, Cookie cookie) {
    driver_.add(wanted, contract, cookie);
    queued_ = true;
  }
  // Moves the existing cross-connect to the output of `to`.
  void move(const CrossConnect& from, const CrossConnect& to, const TrafficContract& contract,
            Cookie cookie) {
    driver_.move(from, to.output_port, to.output_label, contract, cookie);
    queued_ = true;
  }
  void remove(const CrossConnect& entry, Cookie cookie) {
    driver_.remove(entry, cookie);
    queued_ = true;
  }

  // Requests that belong to no hop. Each returns the cookie of its answer.
  Cookie remove_stray(const CrossConnect& entry) {
    return ask(Request::kTable, [&](Cookie cookie) { driver_.remove(entry, cookie); });
  }
  Cookie add_stray(const CrossConnect& entry) {
    return ask(Request::kTable, [&](Cookie cookie) { driver_.add(entry, {}, cookie); });
  }
  Cookie read_table() {
    return ask(Request::kTable, [&](Cookie cookie) { driver_.read_table(cookie); });
  }
  Cookie read_port(PortId port) {
    return ask(Request::kTable, [&](Cookie cookie) { driver_.read_port(port, cookie); });
  }
  Cookie read_inputs(const std::vector<driver::Input>& inputs) {
    return ask(Request::kTable, [&](Cookie cookie) { driver_.read_inputs(inputs, cookie); });
  }
  Cookie read_statistics(PortId port, Label label) {
    return ask(Request::kStatistics,
               [&](Cookie cookie) { driver_.read_statistics(port, label, cookie); });
  }

  // Sends what this step has requested.
  void flush() {
    if (std::exchange(queued_, false)) driver_.flush();
  }

 private:
  template <class Send>
  Cookie ask(Request request, Send send) {
    const Cookie cookie = ++asked_ << 2 | static_cast<Cookie>(request);
    send(cookie);
    queued_ = true;
    return cookie;
  }

  SwitchDriver& driver_;
  State state_ = State::kDown;
  bool lost_ = false;    // the last answer was kSwitchUnreachable
  bool queued_ = false;  // something waits for flush()
  std::uint64_t asked_ = 0;
};

}  // namespace xbind::controller
