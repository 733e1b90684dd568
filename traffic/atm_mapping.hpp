// Maps the user's view of a service (frame size and rate, frame loss, delay) to the network's, and
// back: service category, traffic contract (PCR, SCR, MCR, MBS, CDVT) and quality of service (CLR,
// CTD, CDV). docs/qos.md derives each formula and works one example per class.
//
//   class     with                      category
//   video     a delay                   rt-VBR
//   video     no delay                  nrt-VBR
//   voice     always a delay            CBR
//   constant  always a delay            CBR
//   data      a guaranteed rate         GFR
//   data      none                      UBR
//
// All numbers are integers, rounded to the safe side: a service that is mapped to the network and
// back is never worse than requested. Frame rates count frames in 1000 s, delays microseconds, loss
// ratios parts of kLossWhole. Frames travel by AAL5 (aal5.hpp). Every refusal is kBadInput and
// names the number. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "core/traffic_contract.hpp"

namespace xbind {

// A loss ratio of 1; the smallest non-zero ratio is thus 10^-12. Multiplied by the cells of a
// contract's largest burst it still fits in 64 bits.
inline constexpr std::uint64_t kLossWhole = 1'000'000'000'000;

inline constexpr std::uint64_t kFramesPer1000sMax = 1'000'000'000;  // a million per second
inline constexpr std::uint64_t kFrameOctetsMax = 1'000'000'000;
inline constexpr std::uint64_t kBitsPerSMax = 100'000'000'000;
inline constexpr std::uint64_t kPeakToMeanMax = 1'000'000;   // thousandths: 1000 times the mean
inline constexpr std::uint64_t kDelayUsMax = 3'600'000'000;  // an hour
inline constexpr std::uint64_t kHopsMax = 255;

enum class ServiceClass : std::uint8_t { kVideo, kVoice, kData, kConstant };

std::string_view to_string(ServiceClass service);  // "video", "voice", "data", "constant"

// The service quality that the user sees; nullopt where none is requested or promised.
struct UserQos {
  std::optional<std::uint64_t> frame_loss;  // ratio in parts of kLossWhole, at least 1
  std::optional<std::uint64_t>
      delay_us;  // from the whole frame at the sender to the whole frame at the receiver

  friend bool operator==(const UserQos&, const UserQos&) = default;
};

// A service in the user's terms. A field that does not apply to the class is 0, or its default.
struct UserService {
  ServiceClass service = ServiceClass::kVideo;
  std::uint64_t frames_per_1000_s = 0;  // video, voice: 1 to kFramesPer1000sMax
  std::uint64_t frame_octets = 0;       // video: the mean; voice, constant: each; data: the largest
  std::uint64_t peak_to_mean = 1000;    // video: largest frame over the mean, thousandths
  std::uint64_t burst_frames = 1;       // video, data: see docs/qos.md; at least 1
  std::uint64_t bits_per_s = 0;  // constant: of the frames' octets; data: guaranteed, 0: none
  std::optional<std::uint64_t> peak_bits_per_s;  // data; nullopt: the reference line's rate
  // video: a frame may arrive all at once, at the rate of the reference line; otherwise the sender
  // spreads the largest frame over a frame interval.
  bool at_once = false;
  UserQos asked{};

  friend bool operator==(const UserService&, const UserService&) = default;
};

// The network's view of a service's frames.
struct FrameShape {
  std::uint64_t frames_per_1000_s = 0;  // 0: data without a guaranteed rate
  std::uint64_t largest_cells = 0;      // of the largest frame
  std::uint64_t mean_cells = 0;         // thousandths; at least the mean over all frames
  std::uint64_t burst_frames = 1;       // largest frames that may be sent back to back

  // Cells/s of frames of mean and of largest size, rounded up.
  std::uint64_t mean_cells_per_s() const;
  std::uint64_t largest_cells_per_s() const;
  friend bool operator==(const FrameShape&, const FrameShape&) = default;
};

// The network's promise for the cells that conform to a contract; nullopt where it promises
// nothing.
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

// The contract that to_atm() chooses; of the requested quality only the delay affects it.
Result<TrafficContract> contract_for(const UserService& service);

// Maps the service to the network.
Result<AtmService> to_atm(const UserService& service);

// Maps back: the frame loss and frame delay that `given` means for the frames of `service`,
// whatever the service requested. Refuses an invalid contract, one that does not carry the mean of
// the service, and a loss ratio above 1.
Result<UserQos> to_user(const UserService& service, const AtmService& given);

// The longest time that a frame of the shape needs to leave a sender that shapes its cells to the
// contract, in microseconds, rounded up. The contract's sustained rate (PCR of CBR and UBR) must be
// at least the mean.
std::uint64_t sending_delay_us(const FrameShape& shape, const TrafficContract& contract);

// Each hop's part of `whole` over `hops` hops, 1 to kHopsMax. Refuses if a hop's part would be
// nothing.
Result<NetworkQos> share_of_hop(const NetworkQos& whole, std::uint64_t hops);

// The promise of consecutive hops together; without hops: no loss and no delay. A component that
// one hop does not promise is not promised.
NetworkQos over_hops(std::span<const NetworkQos> hops);

// "1.3e-07": the text of a ratio in parts of kLossWhole.
std::string loss_text(std::uint64_t loss);

}  // namespace xbind
