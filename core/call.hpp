// Messages between a client and a ConnectionManager as plain values. idl/connection_manager.idl
// defines the wire form; orb/ converts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/cause.hpp"
#include "core/frame_traffic.hpp"
#include "core/ids.hpp"
#include "core/label.hpp"
#include "core/service_terms.hpp"
#include "core/traffic_contract.hpp"

namespace xbind {

// How a service is specified: in the user's terms or in the network's.
enum class ServiceKind : std::uint8_t {
  kCells = 0,  // cells_per_s and buffer_cells are the demand
  kVideo = 1,  // frames_per_1000_s frames of frame_octets octets; the QOSMapper converts to cells
  kContract = 2,  // the contract itself: category and parameters
  kClass = 3,     // terms: a service of the catalogue by name, or a class with its numbers
};

struct ServiceSpec {
  ServiceKind kind = ServiceKind::kCells;
  std::uint64_t cells_per_s = 0;
  std::uint64_t buffer_cells = 0;
  std::uint64_t frames_per_1000_s = 0;
  std::uint64_t frame_octets = 0;
  TrafficContract contract{};
  std::optional<ServiceTerms> terms{};  // set for kClass only

  friend auto operator<=>(const ServiceSpec&, const ServiceSpec&) = default;
};

inline constexpr std::uint8_t kPriorityMax = 7;
inline constexpr std::uint32_t kHoldMsMax = 3'600'000;

struct ConnectRequest {
  RequestId request;  // chosen by the client, unique per client name; a repeat is harmless
  std::string from;   // endpoint names of the topology
  std::string to;
  ServiceSpec service;
  // Service of the reverse direction. It uses a label chain of its own over the same ports and is
  // committed or undone together with the forward direction. nullopt: one direction only.
  std::optional<ServiceSpec> reverse{};
  std::uint8_t priority = 0;  // 0..kPriorityMax; under load the higher is served first
  // Above 0: a hold. Every hop is reserved and no switch is programmed. The hold ends with a
  // CommitRequest or after this many milliseconds, at most kHoldMsMax.
  std::uint32_t hold_ms = 0;
  // A rule of the contract that the request broke in conversion; the request is refused with this
  // reason. Empty: no rule was broken.
  std::string broken_rule{};
  // The frames that are the call's at `from` and at `to`, in both directions. nullopt: cells with
  // the label that the SwitchServer allots. Otherwise the end has the label of these frames, or the
  // request is refused.
  std::optional<FrameTraffic> from_frames{};
  std::optional<FrameTraffic> to_frames{};

  friend bool operator==(const ConnectRequest&, const ConnectRequest&) = default;
};

// Why a connection or hold ends.
enum class EndWhy : std::uint8_t {
  kAsked,        // a client has released it
  kHoldExpired,  // nobody committed the hold in time
  kByForce,      // an operator has ended it
  kAbandoned,    // its two-way caller was gone before it learned the id
  kIncomplete,   // of an earlier epoch: its ledgers do not have all of it
};

struct ReleaseRequest {
  RequestId request;
  ConnectionId connection;
  EndWhy why = EndWhy::kAsked;  // not on the wire: clients ask

  friend bool operator==(const ReleaseRequest&, const ReleaseRequest&) = default;
};

// Changes the contract of a connection that is up, without an interruption.
struct ModifyRequest {
  RequestId request;
  ConnectionId connection;
  ServiceSpec service;
  std::optional<ServiceSpec> reverse{};  // of a bidirectional connection; else nullopt

  friend bool operator==(const ModifyRequest&, const ModifyRequest&) = default;
};

// Adds a destination to a connection, or drops one.
struct LeafRequest {
  RequestId request;
  ConnectionId connection;
  std::string end;    // endpoint name
  bool drop = false;  // false: add

  friend bool operator==(const LeafRequest&, const LeafRequest&) = default;
};

// Turns a hold into a connection.
struct CommitRequest {
  RequestId request;
  ConnectionId connection;

  friend bool operator==(const CommitRequest&, const CommitRequest&) = default;
};

// Requests of one batch are independent: a client learns a connection's id only from an outcome.
struct RequestBatch {
  std::vector<ConnectRequest> connects;
  std::vector<ReleaseRequest> releases;
  std::vector<ModifyRequest> modifies{};
  std::vector<LeafRequest> leaves{};
  std::vector<CommitRequest> commits{};

  friend bool operator==(const RequestBatch&, const RequestBatch&) = default;
};

enum class OutcomeKind : std::uint8_t {
  kConnected = 0,
  kRefused = 1,
  kReleased = 2,
  kBusy = 3,  // a bounded queue is full: nothing was done; retry later
  kHeld = 4,  // everything is reserved; a CommitRequest completes the connection
  kModified = 5,
  kLeafAdded = 6,
  kLeafDropped = 7,
};
inline constexpr OutcomeKind kOutcomeKindLast = OutcomeKind::kLeafDropped;

std::string_view to_string(OutcomeKind kind);

// Removals that could not be delivered in time. They are sent as soon as the switch is reachable
// (docs/invariants.md, 3).
struct Debt {
  std::uint32_t removals = 0;  // hops; 0: no removal is owed
  std::string element{};       // the switches, "switch-1, switch-2 and 3 more"

  friend bool operator==(const Debt&, const Debt&) = default;
};

// The one answer to a request (docs/invariants.md, 4).
struct Outcome {
  RequestId request;
  OutcomeKind kind = OutcomeKind::kConnected;
  ConnectionId connection;     // not for refused connects and busy
  Label ingress;               // connected: the caller's sending label
  Label egress;                // connected, leaf added: the callee's or the leaf's receiving label
  Cause cause = Cause::kNone;  // refused, busy
  std::string element;         // refused: the place, "switch-1 port 2"
  std::uint64_t asked = 0;     // refused: see Cause
  std::uint64_t free = 0;
  Label reverse_ingress{};  // connected, bidirectional: the callee's sending label
  Label reverse_egress{};   // connected, bidirectional: the caller's receiving label
  // Refused: the broken rule, for people. Empty: the cause is sufficient.
  std::string reason{};
  std::uint32_t retry_after_ms = 0;  // busy: a retry may succeed after this time
  Debt owed{};                       // removals that are still owed

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

enum class NoticeKind : std::uint8_t {
  // The connection's path is down and no other one was found; cause, element, asked and free give
  // the reason. It keeps its labels, and the manager retries whenever the network changes.
  kBroken = 0,
  kRerouted = 1,  // on another path with the same labels at its ends; element: the one it has left
  kMended = 2,    // the path of a broken or unknown connection is up again
  kUnknown = 3,   // the state of a switch on the path is unknown; element: the switch
  // The manager has started anew and cannot put the connection together; element: the switch of
  // which a hop is not known. kMended follows if it can later.
  kIncomplete = 4,
};
inline constexpr NoticeKind kNoticeKindLast = NoticeKind::kIncomplete;

std::string_view to_string(NoticeKind kind);

// Reports an unrequested change of a connection that is up.
struct Notice {
  ConnectionId connection;
  NoticeKind kind = NoticeKind::kRerouted;
  Cause cause = Cause::kNone;
  std::string element{};
  std::uint64_t asked = 0;
  std::uint64_t free = 0;

  friend bool operator==(const Notice&, const Notice&) = default;
};

struct OutcomeBatch {
  std::vector<Outcome> outcomes;
  // For the client that set the connection up; the latest notice of each connection.
  std::vector<Notice> notices{};

  friend bool operator==(const OutcomeBatch&, const OutcomeBatch&) = default;
};

// One sentence for people: "no bandwidth at switch-1 port 2: asked 12000, free 9700".
std::string explain(const Outcome& outcome);

}  // namespace xbind
