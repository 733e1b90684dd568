#include "keeper/call_key.hpp"

#include <optional>
#include <utility>

#include "core/name_hash.hpp"

namespace xbind::keeper {
namespace {

// The numbers of calls that are up outlive the program. If a digest changes, the next version of
// the keeper replaces every call (call_key_test.cpp holds some).
class Digest {
 public:
  void add(std::uint64_t value) { sum_ = mix_hash(sum_ ^ value); }
  void add(const ServiceSpec& service) {
    const TrafficContract& contract = service.contract;
    for (const std::uint64_t number :
         {std::uint64_t{static_cast<std::uint8_t>(service.kind)}, service.cells_per_s,
          service.buffer_cells, service.frames_per_1000_s, service.frame_octets,
          std::uint64_t{static_cast<std::uint8_t>(contract.category)},
          std::uint64_t{contract.pcr_cells_per_s}, std::uint64_t{contract.cdvt_us},
          std::uint64_t{contract.guaranteed_cells_per_s}, std::uint64_t{contract.mbs_cells},
          std::uint64_t{contract.mfs_cells}}) {
      add(number);
    }
    if (service.terms) add(*service.terms);
  }
  void add(const std::optional<ServiceSpec>& service) {
    add(std::uint64_t{service.has_value()});
    if (service) add(*service);
  }
  void add(const std::optional<FrameTraffic>& frames) {
    add(frames ? std::uint64_t{frames->label().value} : 0);
  }
  std::uint32_t value() const {
    const auto high = static_cast<std::uint32_t>(sum_ >> 32);
    return high == 0 ? 1 : high;
  }

 private:
  void add(const ServiceTerms& terms) {
    add(name_hash(terms.name));
    for (const std::uint64_t number :
         {terms.frames_per_1000_s, terms.frame_octets, terms.peak_to_mean, terms.burst_frames,
          terms.bits_per_s, terms.peak_bits_per_s, terms.frame_loss, terms.delay_us}) {
      add(number);
    }
  }

  std::uint64_t sum_ = 0x7865'6570'6572'3031;
};

}  // namespace

CallKey key_of(const ConnectRequest& request) {
  Digest digest;
  digest.add(request.service);
  digest.add(request.reverse);
  digest.add(request.from_frames);
  digest.add(request.to_frames);
  return {request.from, request.to, digest.value()};
}

CallKey key_of(std::string from, std::string to, RequestId number) {
  return {std::move(from), std::move(to), static_cast<std::uint32_t>(number.value() >> 32)};
}

RequestId setup_number(const CallKey& key, std::uint32_t attempt) {
  return RequestId{std::uint64_t{key.service} << 32 | attempt};
}

RequestId release_number(std::uint32_t attempt) { return RequestId{attempt}; }

}  // namespace xbind::keeper
