#include "emulator/qos_profiles.hpp"

#include <utility>

namespace xbind::emulator {
namespace {

class Hash {
 public:
  void add(std::uint64_t value) {
    state_ = (state_ ^ value) * 0x9e3779b97f4a7c15U;
    state_ ^= state_ >> 29;
  }
  void add(const gsmp::CellRate& rate) { add(pair(rate.pcr_cells_per_s, rate.cdvt_us)); }
  void add(const gsmp::VariableRate& rate) {
    add(pair(rate.pcr_cells_per_s, rate.cdvt_us));
    add(pair(rate.scr_cells_per_s, rate.mbs_cells));
  }
  void add(const gsmp::GuaranteedFrameRate& rate) {
    add(pair(rate.pcr_cells_per_s, rate.cdvt_us));
    add(pair(rate.mcr_cells_per_s, rate.mbs_cells));
    add(std::uint64_t{rate.mfs_cells});
  }
  void add(const gsmp::OtherParameters& other) {
    for (std::size_t i = 0; i < other.count; ++i) add(std::uint64_t{other.words[i]});
  }
  void add(const std::optional<gsmp::TrafficBlock>& block) {
    if (!block) return add(std::uint64_t{0});
    add(pair(static_cast<std::uint32_t>(block->parameters.index()) + 1, block->tc_flags));
    std::visit([this](const auto& parameters) { add(parameters); }, block->parameters);
  }
  void add(Qos qos) { add(pair(static_cast<std::uint32_t>(qos.model), qos.selector)); }

  std::uint64_t value() const { return state_; }

 private:
  static std::uint64_t pair(std::uint32_t high, std::uint32_t low) {
    return std::uint64_t{high} << 32 | low;
  }

  std::uint64_t state_ = 0;
};

std::uint64_t hash_of(const QosProfile& profile) {
  Hash hash;
  hash.add(profile.input);
  hash.add(profile.output);
  hash.add(profile.input_traffic);
  hash.add(profile.output_traffic);
  return hash.value();
}

}  // namespace

QosProfile profile_of(const gsmp::QosFields& fields) {
  QosProfile profile{{fields.input_qos, fields.input_selector},
                     {fields.output_qos, fields.output_selector},
                     fields.input_traffic,
                     std::nullopt};
  if (const gsmp::TrafficBlock* block = fields.traffic_out()) profile.output_traffic = *block;
  return profile;
}

QosProfiles::Number QosProfiles::take(const QosProfile& profile) {
  if (last_ == kNone || entries_[last_].profile != profile) {
    const std::uint64_t hash = hash_of(profile);
    const Number found = find(profile, hash);
    last_ = found == kNone ? enter(profile, hash) : found;
  }
  if (last_ == idle_) idle_ = kNone;
  ++entries_[last_].users;
  return last_;
}

void QosProfiles::release(Number number) {
  if (--entries_[number].users != 0) return;
  if (idle_ != kNone) forget(idle_);
  idle_ = number;
}

// Linear hashing: those below base_ are split one after another, and then base_ doubles.
std::size_t QosProfiles::bucket_of(std::uint64_t hash) const {
  const std::size_t bucket = hash & (2 * base_ - 1);
  return bucket < buckets_.size() ? bucket : bucket - base_;
}

QosProfiles::Number QosProfiles::find(const QosProfile& profile, std::uint64_t hash) const {
  Number number = buckets_[bucket_of(hash)];
  while (number != kNone &&
         (entries_[number].hash != hash || entries_[number].profile != profile)) {
    number = entries_[number].next;
  }
  return number;
}

QosProfiles::Number QosProfiles::enter(const QosProfile& profile, std::uint64_t hash) {
  if (known_ >= buckets_.size()) split_a_bucket();
  Number number = free_;
  if (number == kNone) {
    number = static_cast<Number>(entries_.size());
    entries_.emplace_back();
  } else {
    free_ = entries_[number].next;
  }
  Number& first = buckets_[bucket_of(hash)];
  entries_[number] = {profile, 0, first, hash};
  first = number;
  ++known_;
  return number;
}

void QosProfiles::split_a_bucket() {
  const std::size_t from = buckets_.size() - base_;
  Number number = std::exchange(buckets_[from], kNone);
  buckets_.push_back(kNone);
  if (buckets_.size() == 2 * base_) base_ *= 2;
  while (number != kNone) {
    Entry& entry = entries_[number];
    Number& first = buckets_[bucket_of(entry.hash)];
    number = std::exchange(entry.next, std::exchange(first, number));
  }
}

void QosProfiles::forget(Number number) {
  Entry& entry = entries_[number];
  Number* at = &buckets_[bucket_of(entry.hash)];
  while (*at != number) at = &entries_[*at].next;
  *at = entry.next;
  entry.next = std::exchange(free_, number);
  if (last_ == number) last_ = kNone;
  --known_;
}

}  // namespace xbind::emulator
