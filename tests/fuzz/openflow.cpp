// The OpenFlow decoder under libFuzzer: each input is tried as a message, as a message with a
// corrected header, and as a stream.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>

#include "tests/fuzz/openflow_properties.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span octets(reinterpret_cast<const std::byte*>(data), size);
  for (const auto& broken : {xbind::fuzz::broken_by_openflow_message(octets),
                             xbind::fuzz::broken_by_openflow_body(octets),
                             xbind::fuzz::broken_by_openflow_stream(octets)}) {
    if (!broken) continue;
    std::fprintf(stderr, "%s\n", broken->c_str());
    std::abort();
  }
  return 0;
}
