// Between what a user asks of a service (frames of so many octets, so often, so few lost, so soon) and
// what an ATM network promises: service category, traffic contract (PCR, SCR, MCR, MBS, CDVT) and quality of
// service (CLR, CTD, CDV). docs/qos.md derives each formula and works one example per class.
//
//   class     with                      category
//   video     a delay                   rt-VBR
//   video     no delay                  nrt-VBR
//   voice     always a delay            CBR
//   constant  always a delay            CBR
//   data      a guaranteed rate         GFR
//   data      none                      UBR
//
// Whole numbers all the way, rounded to the safe side: a service that is mapped to the network and back is
// never worse than was asked. Frame rates count frames in 1000 s, delays microseconds, loss ratios parts of
// kLossWhole. Frames travel by AAL5 (aal5.hpp). Every refusal is kBadInput and names the number. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "core/traffic_contract.hpp"

namespace xbind {

// A loss ratio of 1. The smallest that can be said is 10^-12; times the cells of a contract's largest
// burst it still fits in 64 bits.
inline constexpr std::uint64_t kLossWhole = 1'000'000'000'000;

inline constexpr std::uint64_t kFramesPer1000sMax = 1'000'000'000;  // a million a second
inline constexpr std::uint64_t kFrameOctetsMax = 1'000'000'000;
inline constexpr std::uint64_t kBitsPerSMax = 100'000'000'000;
inline constexpr std::uint64_t kPeakToMeanMax = 1'000'000;   // thousandths: 1000 times the mean
inline constexpr std::uint64_t kDelayUsMax = 3'600'000'000;  // an hour
inline constexpr std::uint64_t kHopsMax = 255;

enum class ServiceClass : std::uint8_t { kVideo, kVoice, kData, kConstant };

std::string_view to_string(ServiceClass service);  // "video", "voice", "data", "constant"

// What the user sees of the network; nothing where nothing is asked or promised.
struct UserQos {
  std::optional<std::uint64_t> frame_loss;  // ratio, parts of kLossWhole, from 1
  std::optional<std::uint64_t>
      delay_us;  // from a whole frame at the sender to the same at the receiver

  friend bool operator==(const UserQos&, const UserQos&) = default;
};

// A service in the user's words. What does not belong to the class is 0, or its default.
struct UserService {
  ServiceClass service = ServiceClass::kVideo;
  std::uint64_t frames_per_1000_s = 0;  // video, voice: 1 to kFramesPer1000sMax
  std::uint64_t frame_octets = 0;       // video: the mean; voice, constant: each; data: the largest
  std::uint64_t peak_to_mean = 1000;    // video: largest frame over the mean, thousandths
  std::uint64_t burst_frames = 1;       // video, data: see docs/qos.md; from 1
  std::uint64_t bits_per_s = 0;  // constant: of the frames' octets; data: guaranteed, 0: none
  std::optional<std::uint64_t> peak_bits_per_s;  // data: nothing: the reference line's rate
  // video: a frame may come all at once, at the rate of the reference line; else its sender spreads the
  // largest over a frame's interval.
  bool at_once = false;
  UserQos asked{};

  friend bool operator==(const UserService&, const UserService&) = default;
};

// What the network sees of a service's frames.
struct FrameShape {
  std::uint64_t frames_per_1000_s = 0;  // 0: data without a guaranteed rate
  std::uint64_t largest_cells = 0;      // of the largest frame
  std::uint64_t mean_cells = 0;         // thousandths; not less than the mean over all frames
  std::uint64_t burst_frames = 1;       // of the largest size that may be sent one after the other

  // Cells a second of frames of mean and of largest size, rounded up.
  std::uint64_t mean_cells_per_s() const;
  std::uint64_t largest_cells_per_s() const;
  friend bool operator==(const FrameShape&, const FrameShape&) = default;
};

// What the network promises for the cells that keep to a contract; nothing where it promises nothing.
struct NetworkQos {
  std::optional<std::uint64_t> clr;     // cell loss ratio, parts of kLossWhole
  std::optional<std::uint64_t> ctd_us;  // maximum cell transfer delay; a later cell counts as lost
  std::optional<std::uint64_t> cdv_us;  // peak-to-peak cell delay variation; part of the CTD

  friend bool operator==(const NetworkQos&, const NetworkQos&) = default;
};

struct AtmService {
  TrafficContract contract;  // check() accepts it
  NetworkQos qos;

  friend bool operator==(const AtmService&, const AtmService&) = default;
};

Result<FrameShape> frame_shape(const UserService& service);

// The contract of to_atm(), which does not look at what is asked but for the delay.
Result<TrafficContract> contract_for(const UserService& service);

// To the network.
Result<AtmService> to_atm(const UserService& service);

// And back: what frame loss and frame delay `given` means for the frames of `service`, whatever the service
// asked. Refused: a contract that cannot be or does not carry the service in the mean, a loss ratio above 1.
Result<UserQos> to_user(const UserService& service, const AtmService& given);

// How long a frame of the shape takes at most to leave a sender that shapes its cells to the contract, whose
// sustained rate (PCR of CBR and UBR) is at least the mean; microseconds, rounded up.
std::uint64_t sending_delay_us(const FrameShape& shape, const TrafficContract& contract);

// What each of `hops` hops, 1 to kHopsMax, may use up of `whole`. Refused: nothing is left for a hop.
Result<NetworkQos> share_of_hop(const NetworkQos& whole, std::uint64_t hops);

// What hops one after the other promise together; of no hop: no loss and no delay. A part that one of them
// does not promise is not promised.
NetworkQos over_hops(std::span<const NetworkQos> hops);

// "1.3e-07": of a ratio in parts of kLossWhole.
std::string loss_text(std::uint64_t loss);

}  // namespace xbind
