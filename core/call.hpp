// What a client and a ConnectionManager say to each other, as plain values (idl/connection_manager.idl
// is the same on the wire; orb/ converts).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/cause.hpp"
#include "core/ids.hpp"
#include "core/label.hpp"
#include "core/service_terms.hpp"
#include "core/traffic_contract.hpp"

namespace xbind {

// What the user asks for, in the user's terms or in the network's.
enum class ServiceKind : std::uint8_t {
  kCells = 0,  // cells_per_s and buffer_cells are the demand
  kVideo = 1,  // frames_per_1000_s frames of frame_octets octets: the QOSMapper makes cells of it
  kContract = 2,  // the user names the contract itself, category and parameters
  kClass = 3,     // terms: a service of the catalogue by its name, or a class and its numbers
};

struct ServiceSpec {
  ServiceKind kind = ServiceKind::kCells;
  std::uint64_t cells_per_s = 0;
  std::uint64_t buffer_cells = 0;
  std::uint64_t frames_per_1000_s = 0;
  std::uint64_t frame_octets = 0;
  TrafficContract contract{};
  std::optional<ServiceTerms> terms{};  // kClass alone has some

  friend auto operator<=>(const ServiceSpec&, const ServiceSpec&) = default;
};

inline constexpr std::uint8_t kPriorityMax = 7;
inline constexpr std::uint32_t kHoldMsMax = 3'600'000;

struct ConnectRequest {
  RequestId request;  // the client's own, unique per client name; repeating it is harmless
  std::string from;   // endpoint names of the topology
  std::string to;
  ServiceSpec service;
  // What goes the other way, on a label chain of its own over the same ports; committed or undone
  // together with the first. Nothing: one direction only.
  std::optional<ServiceSpec> reverse{};
  std::uint8_t priority = 0;  // 0..kPriorityMax; under pressure the higher is served first
  // Above 0: a hold. Every hop is reserved, no switch programmed, until a CommitRequest comes or so
  // many milliseconds have passed; at most kHoldMsMax.
  std::uint32_t hold_ms = 0;
  // A rule of the contract that it broke before it got here; it is refused with this reason. Empty: none.
  std::string broken_rule{};

  friend bool operator==(const ConnectRequest&, const ConnectRequest&) = default;
};

struct ReleaseRequest {
  RequestId request;
  ConnectionId connection;

  friend bool operator==(const ReleaseRequest&, const ReleaseRequest&) = default;
};

// Another contract for a connection that is up, without dropping it.
struct ModifyRequest {
  RequestId request;
  ConnectionId connection;
  ServiceSpec service;
  std::optional<ServiceSpec> reverse{};  // of a bidirectional connection; else nothing

  friend bool operator==(const ModifyRequest&, const ModifyRequest&) = default;
};

// One more destination of a connection, or one less.
struct LeafRequest {
  RequestId request;
  ConnectionId connection;
  std::string end;    // endpoint name
  bool drop = false;  // false: add

  friend bool operator==(const LeafRequest&, const LeafRequest&) = default;
};

// Makes a connection of a hold.
struct CommitRequest {
  RequestId request;
  ConnectionId connection;

  friend bool operator==(const CommitRequest&, const CommitRequest&) = default;
};

// Requests of one batch are independent of each other: a connection's id is known only from an outcome.
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
  kBusy = 3,  // a bounded queue is full: nothing was done, try again later
  kHeld = 4,  // everything is reserved, a CommitRequest makes a connection of it
  kModified = 5,
  kLeafAdded = 6,
  kLeafDropped = 7,
};
inline constexpr OutcomeKind kOutcomeKindLast = OutcomeKind::kLeafDropped;

std::string_view to_string(OutcomeKind kind);

// Removals that could not be delivered in time and are made as soon as the switch can be reached
// (docs/invariants.md, 3).
struct Debt {
  std::uint32_t removals = 0;  // hops; 0: nothing is owed
  std::string element{};       // the switches, "switch-1, switch-2 and 3 more"

  friend bool operator==(const Debt&, const Debt&) = default;
};

// The one answer to a request (docs/invariants.md, 4).
struct Outcome {
  RequestId request;
  OutcomeKind kind = OutcomeKind::kConnected;
  ConnectionId connection;     // but for refused connects and busy
  Label ingress;               // connected: what the caller puts on its cells
  Label egress;                // connected, leaf added: what the callee or the leaf finds on them
  Cause cause = Cause::kNone;  // refused, busy
  std::string element;         // refused: where, "switch-1 port 2"
  std::uint64_t asked = 0;     // refused: see Cause
  std::uint64_t free = 0;
  Label reverse_ingress{};  // connected, bidirectional: what the callee puts on its cells
  Label reverse_egress{};   // ... and what the caller finds on them
  std::string
      reason{};  // refused: the rule that was broken, for people; empty: the cause says it all
  std::uint32_t retry_after_ms = 0;  // busy: another try may succeed then
  Debt owed{};                       // what is left to be removed

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

enum class NoticeKind : std::uint8_t {
  kBroken =
      0,  // its path is down and no other could be had: cause, element, asked, free say why. It
          // keeps its labels, and is tried again whenever the network changes
  kRerouted = 1,  // it has another path; the labels at its ends are the same; element: what it left
  kMended = 2,    // it was broken or in doubt, and its path is up again
  kUnknown = 3,   // nobody knows how a switch of its path is; element: the switch
};
inline constexpr NoticeKind kNoticeKindLast = NoticeKind::kUnknown;

std::string_view to_string(NoticeKind kind);

// What happened to a connection that is up and that nobody asked for.
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
  std::vector<Notice> notices{};  // to whoever set the connection up; the latest of a connection

  friend bool operator==(const OutcomeBatch&, const OutcomeBatch&) = default;
};

// One sentence for people: "no bandwidth at switch-1 port 2: asked 12000, free 9700".
std::string explain(const Outcome& outcome);

}  // namespace xbind
