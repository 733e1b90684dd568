// Distinguishes two requests with the same number: a digest of everything in a request except its
// number.
//
// A client may repeat a request under its number. Different content under a remembered number is
// another request (client_desk.hpp). With the digest a remembered request takes 8 octets and stores
// no names. Two different contents have the same digest with probability 2^-64.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include "core/call.hpp"
#include "core/name_hash.hpp"

namespace xbind::cmgr {

class RequestDigest {
 public:
  void add(std::uint64_t value) { sum_ = mix_hash(sum_ ^ value); }
  void add(const std::string& name) { add(name_hash(name)); }
  void add(const ServiceSpec& service) {
    add(static_cast<std::uint64_t>(service.kind) | std::uint64_t{service.terms.has_value()} << 8);
    add(service.cells_per_s);
    add(service.buffer_cells);
    add(service.frames_per_1000_s);
    add(service.frame_octets);
    const TrafficContract& contract = service.contract;
    add(static_cast<std::uint64_t>(contract.category) << 32 | contract.pcr_cells_per_s);
    add(std::uint64_t{contract.cdvt_us} << 32 | contract.guaranteed_cells_per_s);
    add(std::uint64_t{contract.mbs_cells} << 32 | contract.mfs_cells);
    if (service.terms) add(*service.terms);
  }
  void add(const std::optional<ServiceSpec>& service) {
    if (service) add(*service);
  }
  std::uint64_t value() const { return sum_; }

 private:
  void add(const ServiceTerms& terms) {
    add(terms.name);
    for (const std::uint64_t number :
         {terms.frames_per_1000_s, terms.frame_octets, terms.peak_to_mean, terms.burst_frames,
          terms.bits_per_s, terms.peak_bits_per_s, terms.frame_loss, terms.delay_us}) {
      add(number);
    }
  }

  std::uint64_t sum_ = 0x9e37'79b9'7f4a'7c15;
};

// The digest of one alternative of RequestBody.
template <class Body>
std::uint64_t digest_of(const Body& body) {
  RequestDigest digest;
  if constexpr (std::is_same_v<Body, ConnectRequest>) {
    digest.add(1);
    digest.add(body.from);
    digest.add(body.to);
    digest.add(body.service);
    digest.add(std::uint64_t{body.hold_ms} << 16 | std::uint64_t{body.priority} << 8 |
               std::uint64_t{body.reverse.has_value()});
    digest.add(body.reverse);
    if (body.from_frames || body.to_frames) {
      digest.add(body.from_frames ? body.from_frames->label().value : 0);
      digest.add(body.to_frames ? body.to_frames->label().value : 0);
    }
  } else if constexpr (std::is_same_v<Body, ReleaseRequest>) {
    digest.add(2);
    digest.add(body.connection.value());
  } else if constexpr (std::is_same_v<Body, ModifyRequest>) {
    digest.add(3);
    digest.add(body.connection.value());
    digest.add(body.service);
    digest.add(std::uint64_t{body.reverse.has_value()});
    digest.add(body.reverse);
  } else if constexpr (std::is_same_v<Body, LeafRequest>) {
    digest.add(body.drop ? 5 : 4);
    digest.add(body.connection.value());
    digest.add(body.end);
  } else {
    static_assert(std::is_same_v<Body, CommitRequest>);
    digest.add(6);
    digest.add(body.connection.value());
  }
  return digest.value();
}

}  // namespace xbind::cmgr
