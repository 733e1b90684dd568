// The controller's side of one GSMP connection: the adjacency and the outstanding requests.
//
// receive() takes octets in, take_output() returns octets to send, take_events() returns events;
// the caller supplies the time. Consecutive requests share one output buffer, for one write. Every
// request carries a cookie that the session does not interpret. The cookie returns exactly once
// with the final Response, RequestTimeout or RequestLost; Responses with `more` precede the final
// one.
//
// Life: connected() .. SessionUp .. requests .. SessionDown .. closed(), then connected() again on
// the next TCP connection, with a new instance of the link.
//
// Requests beyond the window wait in a bounded queue; their timeout starts when they leave it.
// Transaction ids run from 1 to 0xffffff and wrap around. They restart with each adjacency and skip
// outstanding ids. Answers are matched by id only: their order does not matter.
//
// Version 1.1 (RFC 1987), if the adjacency has agreed on it, supports a subset of the requests. An
// unsupported type or field is refused with kVersion (exists_in() and v1::lacks() check
// beforehand). A delete has one element. The switch announces no window, so the window of the
// options applies once Switch Configuration is answered: over TCP a slow switch stops reading and
// loses nothing. Parts of All Ports Configuration have `more` until the announced number of records
// is complete.
//
// Costs: a request takes one slot of a flat table, indexed by its id. All timeouts are equal, so
// the slots form a list in deadline order and expiry checks the head only. Add Branch allocates
// nothing once the buffers have grown.
//
// Not thread-safe: the owner holds a lock around every call.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/label.hpp"
#include "core/result.hpp"
#include "core/wire/writer.hpp"
#include "gsmp/adjacency_fsm.hpp"
#include "gsmp/framing.hpp"
#include "gsmp/message.hpp"
#include "gsmp/messages/timers.hpp"
#include "gsmp/session_event.hpp"
#include "gsmp/transactions.hpp"

namespace xbind::gsmp {

struct SessionOptions {
  AdjacencyOptions adjacency;  // `master` is forced to true
  // Limit of outstanding requests, 1..32768. A Window Size announced by the switch lowers it. Until
  // Switch Configuration is answered the limit is `window_unconfigured`.
  std::uint32_t window = 256;
  std::uint32_t window_unconfigured = 1;
  // Limit of the queue beyond the window. When it is full, requests are refused with kExhausted.
  std::size_t queue_max = 65536;
  std::size_t queue_octets_max = 16U << 20;
  Duration transaction_timeout = kGsmpTimers["transaction-timeout"];
  // The first id of an adjacency. A test of the wrap-around need not send 16 million requests.
  std::uint32_t first_transaction = 1;
};

struct SessionCounters {
  std::uint64_t requests_sent = 0;
  std::uint64_t successes = 0;  // parts with `more` included
  std::uint64_t failures = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t events = 0;
  std::uint64_t unmatched = 0;      // answers without an outstanding request
  std::uint64_t too_early = 0;      // messages before the adjacency was up
  std::uint64_t other_version = 0;  // messages not in the agreed version
  std::uint64_t refused = 0;        // messages that did not decode
  std::string last_refusal;
};

class Session {
 public:
  Session(const SessionOptions& options, std::function<std::uint32_t()> random);

  void connected(TimePoint now);
  // Harmless when not connected.
  void closed(TimePoint now);
  void receive(std::span<const std::byte> octets, TimePoint now);
  void tick(TimePoint now);
  TimePoint next_deadline() const;

  // The adjacency is established.
  bool can_send() const;
  // Number of requests that would be accepted now, apart from the queue's limit of octets.
  std::size_t room() const;
  std::size_t outstanding() const { return transactions_.open(); }
  std::size_t queued() const { return queued_.size(); }

  // Properties of the adjacency, valid while it is established.
  std::uint8_t version() const { return adjacency_.version(); }

  // Errors of every request: kUnreachable while the adjacency is not established, kExhausted if the
  // queue is full, kVersion if the agreed version has no such request. Of `message.header` only the
  // type is used; the Result is always AckAll.
  Result<void> add_branch(const AddBranch& message, std::uint64_t cookie, TimePoint now);
  // Limit of elements in one delete: kDeleteElementsMax; 1 in version 1.1.
  std::size_t delete_elements_max() const;
  // One message. kBadInput unless there are 1 to delete_elements_max() elements.
  Result<void> delete_branches(std::span<const DeleteElement> elements, std::uint64_t cookie,
                               TimePoint now);
  // The first request of an adjacency. A success sets the window.
  Result<void> switch_configuration(std::uint8_t model_type, std::uint64_t cookie, TimePoint now);
  Result<void> port_configuration(PortId port, std::uint64_t cookie, TimePoint now);
  Result<void> all_ports_configuration(std::uint64_t cookie, TimePoint now);
  // Reports every connection that enters at `port`. Without connections the answer is failure
  // kGeneral.
  Result<void> report_connections(PortId port, std::uint64_t cookie, TimePoint now);
  Result<void> report_connection(PortId port, Label label, std::uint64_t cookie, TimePoint now);

  // Any other request; its answer has the decoded body. kBadInput: an adjacency message, an event,
  // a message that only a switch sends, or more than kSentOctetsMax octets.
  Result<void> request(const Message& message, std::uint64_t cookie, TimePoint now);

  // Swaps buffers: the session reuses the memory of `into`, whose content is discarded.
  void take_output(wire::Buffer& into);
  wire::Buffer take_output();
  bool has_output() const { return !output_.empty(); }
  void take_events(std::vector<SessionEvent>& into);
  std::vector<SessionEvent> take_events();

  const SessionCounters& counters() const { return counters_; }
  const Adjacency& adjacency() const { return adjacency_; }

 private:
  struct Queued {
    std::uint64_t cookie;
    MessageType type;
    std::uint32_t octets;
  };

  template <class Encode>
  Result<void> submit(MessageType type, std::uint64_t cookie, TimePoint now, Encode&& encode);
  template <class M>
  Result<void> submit_message(const M& message, std::uint64_t cookie, TimePoint now);
  std::uint32_t window() const;
  std::uint32_t begin_transaction(MessageType type, std::uint64_t cookie, TimePoint now);
  void send_queued(TimePoint now);

  bool on_message(std::span<const std::byte> message, TimePoint now);
  void on_adjacency(std::span<const std::byte> message, TimePoint now);
  void on_response(const HeaderAndBody& message, TimePoint now);
  void on_event(const HeaderAndBody& message);
  void refused(DecodeError error);
  std::string why_lost() const;
  void go_down(DownReason reason);
  void give_up(DownReason reason, std::string text);

  SessionOptions options_;
  std::function<std::uint32_t()> random_;
  Adjacency adjacency_;
  FrameReader frames_;
  bool connected_ = false;
  bool up_ = false;
  bool given_up_ = false;           // DropTransport was sent: ignores input until closed()
  std::uint8_t heard_version_ = 0;  // of the last adjacency message in another version than ours

  Transactions transactions_;
  bool configured_ = false;
  std::uint32_t peer_window_ = 0;  // 0: no hint

  wire::Buffer queued_octets_;  // frames without transaction ids, from queued_begin_ on
  std::size_t queued_begin_ = 0;
  std::deque<Queued> queued_;

  wire::Buffer output_;
  std::vector<SessionEvent> events_;
  SessionCounters counters_;
};

}  // namespace xbind::gsmp
