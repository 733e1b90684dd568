// The memory that a cross-connect needs in the switch, including tables, and the maximum that one
// Add Branch allocates: while a grown table is rebuilt, the switch serves nothing else.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "switchagent/table/fabric.hpp"

namespace {

std::size_t octets_live = 0;   // including the allocator's overhead
std::size_t octets_taken = 0;  // allocated in total

void* take(std::size_t octets, std::size_t alignment) {
  void* const memory =
      alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__
          ? std::malloc(octets)
          : std::aligned_alloc(alignment, (octets + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  octets_live += malloc_usable_size(memory);
  octets_taken += malloc_usable_size(memory);
  return memory;
}
void give_back(void* memory) {
  if (memory != nullptr) octets_live -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t octets) { return take(octets, __STDCPP_DEFAULT_NEW_ALIGNMENT__); }
void* operator new(std::size_t octets, std::align_val_t alignment) {
  return take(octets, static_cast<std::size_t>(alignment));
}
// For temporary buffers: otherwise memory from a sanitizer's operator would reach this delete.
void* operator new(std::size_t octets, const std::nothrow_t&) noexcept {
  return take(octets, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { give_back(memory); }

namespace xbind::switchagent {
namespace {

constexpr std::uint32_t kConnections = 100'000;

FabricOptions wide() {
  FabricOptions options;
  options.ports = 4;
  options.labels = {0, 3, 32, 65535};
  return options;
}

// One of many that a manager sets up in sequence: adjacent labels, one contract for all.
gsmp::AddBranch add_of(const Fabric& fabric, std::uint32_t number) {
  constexpr std::uint32_t kOfAVpi = 65536 - 32;
  const Label label = atm_label(number / kOfAVpi, 32 + number % kOfAVpi);
  gsmp::AddBranch add;
  add.input_port = PortId(1);
  add.output_port = PortId(4);
  add.port_session = fabric.port_session(PortId(1));
  add.input_label = gsmp::label_field(label);
  add.output_label = gsmp::label_field(label);
  gsmp::set_service(add, gsmp::ServiceId::kCbr1, 1, {gsmp::kTcPolicing, gsmp::CellRate{4528, 250}});
  return add;
}

bool remove(Fabric& fabric, std::uint32_t number) {
  const gsmp::AddBranch add = add_of(fabric, number);
  const Label label = gsmp::label_of(add.input_label);
  return fabric.delete_branch(PortId(1), label, PortId(4), label) == gsmp::FailureCode::kNone;
}

TEST(FabricMemory, ACrossConnectTakesSeventyOctets) {
  Fabric fabric(wide(), [] { return 1U; });
  const std::size_t before = octets_live;
  for (std::uint32_t number = 0; number < kConnections; ++number) {
    ASSERT_EQ(fabric.add_branch(add_of(fabric, number)), gsmp::FailureCode::kNone) << number;
  }
  const std::size_t taken = octets_live - before;
  RecordProperty("octets", std::to_string(taken / kConnections));
  EXPECT_LE(taken, 70 * kConnections);
  EXPECT_GE(taken, 64 * kConnections);  // less would mean that some memory was not counted

  // Later connections reuse the memory of deleted ones: the changes do not increase it.
  for (int round = 0; round < 3; ++round) {
    for (std::uint32_t number = 0; number < kConnections; number += 2) {
      ASSERT_TRUE(remove(fabric, number)) << number;
    }
    for (std::uint32_t number = 0; number < kConnections; number += 2) {
      ASSERT_EQ(fabric.add_branch(add_of(fabric, number)), gsmp::FailureCode::kNone) << number;
    }
  }
  EXPECT_LE(octets_live - before, 70 * kConnections);
}

TEST(FabricMemory, NoSingleAddTakesMuchAtOnce) {
  Fabric fabric(wide(), [] { return 1U; });
  std::size_t most = 0;
  for (std::uint32_t number = 0; number < 2 * kConnections; ++number) {
    gsmp::AddBranch add = add_of(fabric, number);
    // As many contracts as connections, so that the contracts' table grows as well.
    gsmp::set_service(add, gsmp::ServiceId::kCbr1, 1, {0, gsmp::CellRate{number, 250}});
    const std::size_t before = octets_taken;
    ASSERT_EQ(fabric.add_branch(add), gsmp::FailureCode::kNone) << number;
    most = std::max(most, octets_taken - before);
  }
  EXPECT_EQ(fabric.branch_table().profiles().size(), 2 * kConnections);
  // The largest allocation is a list of numbers that doubles: it is copied in
  // one piece, without look-ups.
  EXPECT_LE(most, std::size_t{2} << 20);
}

TEST(FabricMemory, OneThatComesAndGoesTakesNothing) {
  Fabric fabric(wide(), [] { return 1U; });
  for (int round = 0; round < 3; ++round) {
    const std::size_t before = octets_taken;
    ASSERT_EQ(fabric.add_branch(add_of(fabric, 7)), gsmp::FailureCode::kNone);
    ASSERT_TRUE(remove(fabric, 7));
    const std::size_t now = octets_taken;
    if (round > 0) {
      EXPECT_EQ(now, before) << "round " << round;
    }
  }
  EXPECT_EQ(fabric.branch_table().profiles().size(), 0U);
}

}  // namespace
}  // namespace xbind::switchagent
