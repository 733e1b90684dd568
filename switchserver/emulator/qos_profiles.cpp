#include "switchserver/emulator/qos_profiles.hpp"

#include "core/wire/writer.hpp"

namespace xbind::emulator {
namespace {

// The profile in octets: short for one without parameters.
std::string key_of(const QosProfile& profile) {
  wire::Buffer octets;
  wire::Writer out(octets);
  out.u8(static_cast<std::uint8_t>(profile.input.model));
  out.u8(static_cast<std::uint8_t>(profile.output.model));
  out.u32(profile.input.selector);
  out.u32(profile.output.selector);
  for (const auto* block : {&profile.input_traffic, &profile.output_traffic}) {
    if (!*block) continue;
    // Both may be there: the number tells where the first ends.
    out.u8(block == &profile.input_traffic ? 1 : 2);
    encode(**block, (*block)->tc_flags, out);
  }
  return {reinterpret_cast<const char*>(octets.data()), octets.size()};
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
  const auto [found, fresh] = by_key_.try_emplace(key_of(profile), 0);
  if (fresh) {
    if (free_.empty()) {
      found->second = static_cast<Number>(entries_.size());
      entries_.emplace_back();
    } else {
      found->second = free_.back();
      free_.pop_back();
    }
    entries_[found->second].profile = profile;
  }
  ++entries_[found->second].users;
  return found->second;
}

void QosProfiles::release(Number number) {
  Entry& entry = entries_[number];
  if (--entry.users != 0) return;
  by_key_.erase(key_of(entry.profile));
  entry.profile = {};
  free_.push_back(number);
}

}  // namespace xbind::emulator
