// Requests that the table has not completed yet, with the results of their parts so far and the
// controller to answer.
//
// Bounded by the agent: at most AgentOptions::window per controller and open_requests_max in total.
// A request whose adjacency has ended keeps its entry, without its octets, until the table
// completes it. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/ids.hpp"
#include "core/wire/writer.hpp"
#include "switchagent/switch_table.hpp"

namespace xbind::switchagent {

using ControllerId = Id<struct ControllerIdTag, std::uint64_t>;  // one connection; never reused

// The table's code and reading for each part of a request.
class TableOutcome {
 public:
  // `reads`: the parts return readings.
  void begin(std::uint32_t parts, bool reads) {
    waiting_ = parts;
    code_ = kWaiting;
    codes_.clear();
    readings_.clear();
    if (parts > 1) codes_.assign(parts, kWaiting);
    if (reads) readings_.resize(parts);
  }
  // Returns false if the part does not exist or has been answered.
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

  // Requires completeness and an existing part.
  gsmp::FailureCode code(std::size_t part = 0) const {
    return codes_.empty() ? code_ : codes_[part];
  }
  // The table's reading for the part; R{} if there is none or if it has another type.
  template <class R>
  R reading(std::size_t part = 0) {
    R* const stored = part < readings_.size() ? std::get_if<R>(&readings_[part]) : nullptr;
    return stored == nullptr ? R{} : std::move(*stored);
  }

 private:
  // Marks a pending part. No code of RFC 3292: 255 belongs to the optional QoS model, which is not
  // supported.
  static constexpr gsmp::FailureCode kWaiting{255};

  std::uint32_t waiting_ = 0;
  gsmp::FailureCode code_ = kWaiting;     // the code of a single part
  std::vector<gsmp::FailureCode> codes_;  // the codes of several parts
  std::vector<TableReading> readings_;
};

class OpenRequests {
 public:
  struct Request {
    std::optional<ControllerId> from;  // nullopt: its adjacency has ended
    wire::Buffer octets;               // the request message, source of the answer
    TableOutcome outcome;
  };

  std::size_t size() const { return open_.size(); }
  // `id` must not be open.
  void keep(std::uint64_t id, Request request) { open_.emplace(id, std::move(request)); }
  // Null: not open.
  Request* find(std::uint64_t id) {
    const auto found = open_.find(id);
    return found == open_.end() ? nullptr : &found->second;
  }
  // `id` must be open.
  Request take(std::uint64_t id) { return std::move(open_.extract(id).mapped()); }
  // Marks the requests of `from` as abandoned: their answers will be dropped. Returns their number.
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

}  // namespace xbind::switchagent
