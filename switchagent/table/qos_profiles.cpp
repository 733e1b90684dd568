#include "switchagent/table/qos_profiles.hpp"

#include <variant>

namespace xbind::switchagent {
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
  if (last_ == kNone || profiles_[last_] != profile) {
    last_ = profiles_.take(profile, hash_of(profile)).number;
  } else {
    profiles_.take_again(last_);
  }
  if (last_ == idle_) {
    profiles_.release(idle_);
    idle_ = kNone;
  }
  return last_;
}

void QosProfiles::release(Number number) {
  if (profiles_.users(number) != 1) {
    profiles_.release(number);
    return;
  }
  drop_idle();
  idle_ = number;
}

void QosProfiles::drop_idle() {
  if (idle_ == kNone) return;
  profiles_.release(idle_);
  if (last_ == idle_) last_ = kNone;
  idle_ = kNone;
}

}  // namespace xbind::switchagent
