// Encoding allocates heap memory only while its buffer grows.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "tests/unit/ovs/openflow/golden.hpp"

namespace {
std::size_t allocations = 0;
}

void* operator new(std::size_t octets) {
  ++allocations;
  if (void* memory = std::malloc(octets == 0 ? 1 : octets)) return memory;
  throw std::bad_alloc();
}
// Not inlined: otherwise the compiler warns that free() does not match operator new.
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace xbind::ovs::openflow {
namespace {

TEST(Allocation, NoneToEncodeAFlowAGroupAndAMeter) {
  const auto flow = std::get<FlowMod>(decode(test::golden("flow-add-swap"))->body);
  const auto group = std::get<GroupMod>(decode(test::golden("group-modify"))->body);
  const auto meter = std::get<MeterMod>(decode(test::golden("meter-add"))->body);
  wire::Buffer out;
  out.reserve(1000);
  const std::size_t before = allocations;
  encode(flow, 1, out);
  encode(group, 2, out);
  encode(meter, 3, out);
  encode_in_bundle(4, kBundleAtomic, flow, 5, out);
  const std::size_t after = allocations;
  EXPECT_EQ(after, before);
  EXPECT_LE(out.size(), 1000U);
}

}  // namespace
}  // namespace xbind::ovs::openflow
