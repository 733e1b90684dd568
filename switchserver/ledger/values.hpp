// The options of a ledger, and the results that its operations return. Values only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "core/cause.hpp"
#include "core/ids.hpp"
#include "core/port_buffer.hpp"
#include "core/resources.hpp"
#include "switchserver/ledger/label_pool.hpp"
#include "traffic/admission.hpp"

namespace xbind {

enum class LabelSharing : std::uint8_t { kFree, kCooperative };

struct LedgerOptions {
  AdmissionMode admission = AdmissionMode::kDemand;
  double overbooking = 1.0;                     // factor by which the line rate may be promised
  std::map<PortId, double> port_overbooking{};  // the factor of single ports
  std::uint32_t rt_wait_us =
      PortPolicy::kRtWaitUs;                      // the longest wait of a cell of rt-VBR in a port
  std::uint64_t buffer_cells = kPortBufferCells;  // buffer of every output port, in cells
  std::size_t managers_max = 64;                  // stored names, attached or not
  std::size_t hops_max = std::size_t{1} << 22;    // records; more are refused kBusy
  LabelSharing sharing = LabelSharing::kFree;
  // Of a port's labels and bandwidth: what a manager may have granted and not in calls, in percent.
  // As much as its calls have there it may have in any case. What all managers have beyond that is
  // at most twice the percentage. 100: no bound.
  unsigned unused_percent = 100;
};

// Labels and quota of a port without a call.
struct GrantRoom {
  std::uint64_t labels = 0;
  Resources quota;
};

// The answer to set_up() and modify().
struct Admission {
  Cause cause = Cause::kNone;
  PortId port;              // with a refusal: the port that refused, or none
  std::uint64_t asked = 0;  // with a refusal: see Cause
  std::uint64_t free = 0;
  HopRef hop;             // without a refusal
  bool repeated = false;  // a repetition: nothing was reserved, the record stays as it is
  // With kNoLabel, kNoBandwidth, kNoBuffer of the output port: the missing amount, to be recalled
  // from other managers.
  std::uint32_t labels_missing = 0;
  Resources quota_missing;

  bool admitted() const { return cause == Cause::kNone; }
};

// Why a manager got fewer labels than it wanted.
struct LabelsMissing {
  std::size_t free = 0;   // missing because no more labels are free
  std::size_t share = 0;  // missing because the manager's share of the port is used up
};

// What a manager has of a port's output labels and of what the port may promise.
struct PortHolding {
  std::uint64_t labels_in_calls = 0;
  std::uint64_t labels_unused = 0;
  Resources in_calls;
  Resources unused;
};

// Output labels of one port.
struct LabelStock {
  std::uint64_t free = 0;
  std::uint64_t all = 0;
};

// A port's account in numbers.
struct PortUsage {
  Resources capacity;
  Resources taken;                        // by hops and quotas
  Resources hops;                         // the hops' part of it
  std::uint64_t ingress_cells_per_s = 0;  // of first hops that enter here
  std::uint64_t free_output_labels = 0;
  std::uint64_t free_input_labels = 0;

  friend bool operator==(const PortUsage&, const PortUsage&) = default;
};

}  // namespace xbind
