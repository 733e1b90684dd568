// Encoding, sending and decoding an Add Branch allocates heap memory only while its buffers grow.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "gsmp/session.hpp"
#include "tests/unit/gsmp/hex.hpp"

namespace {
thread_local std::size_t allocations = 0;
}

void* operator new(std::size_t octets) {
  ++allocations;
  if (void* memory = std::malloc(octets == 0 ? 1 : octets)) return memory;
  throw std::bad_alloc();
}
// Not inlined: otherwise the compiler warns that free() does not match operator new.
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace xbind::gsmp {
namespace {

TEST(Allocation, NoneToEncodeAndDecodeAnAddBranch) {
  const AddBranch request = std::get<AddBranch>(*decode(test::golden_message("B4")));
  wire::Buffer out;
  out.reserve(100);
  const std::size_t before = allocations;
  append_frame(out, request);
  const auto decoded = decode(std::span(out).subspan(kFrameHeaderOctets));
  const std::size_t after = allocations;
  EXPECT_EQ(after, before);
  EXPECT_EQ(std::get<AddBranch>(*decoded), request);
}

TEST(Allocation, NoneForARequestAndItsAnswerThroughASession) {
  SessionOptions options;
  options.adjacency.name = 0x0200000a0001;
  options.adjacency.port = 1;
  Session session(options, [] { return 0x0a1b2cU; });
  session.connected({});
  session.receive(test::golden("A3"), {});
  const AddBranch request = std::get<AddBranch>(*decode(test::golden_message("B1")));
  wire::Buffer out;
  wire::Buffer success = test::golden("B2");
  std::vector<SessionEvent> events;
  std::size_t before = 0;
  for (int i = 0; i < 10; ++i) {
    if (i == 4) before = allocations;  // both buffers of each swapped pair have grown by now
    const bool taken = session.add_branch(request, 1, {}).has_value();
    session.take_output(out);
    // Without SYN and ACK, which were sent before it.
    if (i == 0) out.erase(out.begin(), out.end() - 60);
    std::copy_n(out.begin() + 9, 3, success.begin() + 9);  // the transaction
    session.receive(success, {});
    session.take_events(events);
    if (!taken || events.size() != (i == 0 ? 2U : 1U)) FAIL() << "round " << i;
  }
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace xbind::gsmp
