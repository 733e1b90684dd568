#include "callgen/load/workload.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_set>
#include <utility>

#include "core/check.hpp"

namespace xbind::callgen {

Result<Workload> Workload::weighted(std::vector<Demand> demands, std::uint64_t seed) {
  if (demands.empty()) return fail(ErrorCode::kBadInput, "no demand says who calls whom");
  if (demands.size() > kMostDemands)
    return fail(ErrorCode::kBadInput, "{} demands, at most {} are taken", demands.size(),
                kMostDemands);
  Workload workload(seed);
  double sum = 0;
  for (const Demand& demand : demands) {
    if (demand.from.empty() || demand.to.empty())
      return fail(ErrorCode::kBadInput, "demand from \"{}\" to \"{}\" lacks the name of an end",
                  demand.from, demand.to);
    if (demand.from == demand.to)
      return fail(ErrorCode::kBadInput, "endpoint {} would call itself", demand.from);
    if (!(demand.weight > 0) || !std::isfinite(demand.weight))
      return fail(ErrorCode::kBadInput, "demand from {} to {} has weight {}, not a positive number",
                  demand.from, demand.to, demand.weight);
    sum += demand.weight;
    workload.weight_up_to_.push_back(sum);
  }
  if (!std::isfinite(sum))
    return fail(ErrorCode::kBadInput, "the weights of {} demands add up to {}", demands.size(),
                sum);
  workload.demands_ = std::move(demands);
  return workload;
}

namespace {

Result<void> check_endpoints(const std::vector<std::string>& endpoints) {
  if (endpoints.size() > Workload::kMostEndpoints)
    return fail(ErrorCode::kBadInput, "{} endpoints, at most {} are taken", endpoints.size(),
                Workload::kMostEndpoints);
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : endpoints) {
    if (name.empty()) return fail(ErrorCode::kBadInput, "an endpoint has the empty name \"\"");
    if (!seen.insert(name).second)
      return fail(ErrorCode::kBadInput, "endpoint {} is named twice", name);
  }
  return {};
}

}  // namespace

Result<Workload> Workload::uniform(std::vector<std::string> endpoints, std::uint64_t seed) {
  if (endpoints.size() < 2)
    return fail(ErrorCode::kBadInput, "a call needs two endpoints, {} known", endpoints.size());
  if (const auto right = check_endpoints(endpoints); !right)
    return tl::make_unexpected(right.error());
  Workload workload(seed);
  workload.endpoints_ = std::move(endpoints);
  return workload;
}

void Workload::repeat_pairs(double chance) {
  XB_CHECK(chance >= 0 && chance <= 1, chance);
  repeat_chance_ = chance;
}

Result<void> Workload::take_leaves(std::vector<std::string> endpoints) {
  if (endpoints.size() < 3)
    return fail(ErrorCode::kBadInput, "a call with a leaf needs three endpoints, {} known",
                endpoints.size());
  if (const auto right = check_endpoints(endpoints); !right) return right;
  leaves_ = std::move(endpoints);
  return {};
}

Ends Workload::next() {
  const Drawn drawn = draw();
  if (repeat_chance_ <= 0) return ends_of(drawn);
  const bool repeat = unit_interval(repeat_bits_) <= repeat_chance_;
  if (!repeat || !former_) former_ = drawn;
  return ends_of(*former_);
}

std::string_view Workload::next_leaf(Ends ends) {
  XB_CHECK(has_leaves());
  // Among three or more endpoints at most two are ends, so a few draws are enough.
  for (;;) {
    const std::string& leaf = leaves_[below(leaf_bits_, leaves_.size())];
    if (leaf != ends.from && leaf != ends.to) return leaf;
  }
}

Workload::Drawn Workload::draw() {
  if (!endpoints_.empty()) {
    const std::size_t from = below(bits_, endpoints_.size());
    // Drawn among the other endpoints, which are numbered without `from`.
    const std::size_t other = below(bits_, endpoints_.size() - 1);
    const std::size_t to = other < from ? other : other + 1;
    return {from, to};
  }
  const double drawn = unit_interval(bits_) * weight_up_to_.back();
  const auto found = std::lower_bound(weight_up_to_.begin(), weight_up_to_.end(), drawn);
  return {static_cast<std::size_t>(found - weight_up_to_.begin()), 0};
}

Ends Workload::ends_of(Drawn drawn) const {
  if (!endpoints_.empty()) return {endpoints_[drawn.from], endpoints_[drawn.to]};
  const Demand& demand = demands_[drawn.from];
  return {demand.from, demand.to};
}

void Workload::add_phase(std::size_t phase, Workload workload) {
  phases_.insert_or_assign(phase, std::move(workload));
}

Workload& Workload::of_phase(std::size_t phase) {
  const auto found = phases_.find(phase);
  return found == phases_.end() ? *this : found->second;
}

void Workload::add_class(std::size_t call_class, Workload workload) {
  classes_.insert_or_assign(call_class, std::move(workload));
}

Workload* Workload::of_class(std::size_t call_class) {
  const auto found = classes_.find(call_class);
  return found == classes_.end() ? nullptr : &found->second;
}

void Workload::restart(std::uint64_t seed) {
  bits_ = bits_for(seed, Stream::kWorkload);
  repeat_bits_ = bits_for(seed, Stream::kRepeat);
  leaf_bits_ = bits_for(seed, Stream::kLeaves);
  former_.reset();
}

std::vector<std::string> Workload::every_end() const {
  std::set<std::string> ends(endpoints_.begin(), endpoints_.end());
  for (const auto* const parts : {&phases_, &classes_}) {
    for (const auto& [number, workload] : *parts) {
      const std::vector<std::string> of_part = workload.every_end();
      ends.insert(of_part.begin(), of_part.end());
    }
  }
  for (const Demand& demand : demands_) {
    ends.insert(demand.from);
    ends.insert(demand.to);
  }
  return {ends.begin(), ends.end()};
}

}  // namespace xbind::callgen
