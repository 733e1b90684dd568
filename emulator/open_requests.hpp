// Requests of controllers that the table has not completed yet: what each part was answered so far,
// and whom the answer is for.
//
// Bounded by the agent: at most AgentOptions::window a controller and open_requests_max in all.
// A request whose adjacency has ended keeps its place, without its octets, until the table completes
// it: the table still works on it. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/ids.hpp"
#include "core/wire/writer.hpp"
#include "emulator/switch_table.hpp"

namespace xbind::emulator {

using ControllerId = Id<struct ControllerIdTag, std::uint64_t>;  // one connection; never reused

// For each part of a request the code that the table gave, and what the table read for it.
class TableOutcome {
 public:
  // `reads`: the parts tell readings.
  void begin(std::uint32_t parts, bool reads) {
    waiting_ = parts;
    code_ = kWaiting;
    codes_.clear();
    readings_.clear();
    if (parts > 1) codes_.assign(parts, kWaiting);
    if (reads) readings_.resize(parts);
  }
  // False: there is no such part, or it has been answered.
  bool note(std::uint32_t part, gsmp::FailureCode code) {
    if (part >= (codes_.empty() ? 1U : codes_.size())) return false;
    gsmp::FailureCode& place = codes_.empty() ? code_ : codes_[part];
    if (place != kWaiting) return false;
    place = code;
    --waiting_;
    return true;
  }
  bool note(std::uint32_t part, gsmp::FailureCode code, TableReading reading) {
    if (!note(part, code)) return false;
    if (part < readings_.size()) readings_[part] = std::move(reading);
    return true;
  }
  bool complete() const { return waiting_ == 0; }

  // Once it is complete; of the parts there are.
  gsmp::FailureCode code(std::size_t part = 0) const {
    return codes_.empty() ? code_ : codes_[part];
  }
  // What the table read for the part; R{} if it gave no reading, or one of another type.
  template <class R>
  R reading(std::size_t part = 0) {
    R* const told = part < readings_.size() ? std::get_if<R>(&readings_[part]) : nullptr;
    return told == nullptr ? R{} : std::move(*told);
  }

 private:
  // No code of RFC 3292: 255 lies in the range of the optional QoS model, which we do not have.
  static constexpr gsmp::FailureCode kWaiting{255};

  std::uint32_t waiting_ = 0;
  gsmp::FailureCode code_ = kWaiting;     // of the only part
  std::vector<gsmp::FailureCode> codes_;  // of several
  std::vector<TableReading> readings_;
};

class OpenRequests {
 public:
  struct Request {
    std::optional<ControllerId> from;  // nothing: its adjacency has ended
    wire::Buffer octets;               // the message, to be answered from
    TableOutcome outcome;
  };

  std::size_t size() const { return open_.size(); }
  // `id` is not open.
  void keep(std::uint64_t id, Request request) { open_.emplace(id, std::move(request)); }
  // Null: it is not open.
  Request* find(std::uint64_t id) {
    const auto found = open_.find(id);
    return found == open_.end() ? nullptr : &found->second;
  }
  // `id` is open.
  Request take(std::uint64_t id) { return std::move(open_.extract(id).mapped()); }
  // Nobody waits for the answers of `from` any longer. Returns how many requests those were.
  std::size_t abandon(ControllerId from) {
    std::size_t count = 0;
    for (auto& [id, request] : open_) {
      if (request.from != from) continue;
      request.from.reset();
      request.octets = {};
      ++count;
    }
    return count;
  }

 private:
  std::map<std::uint64_t, Request> open_;
};

}  // namespace xbind::emulator
