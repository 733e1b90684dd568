#include "smds/l3_pdu.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/smds/pdus.hpp"

namespace xbind::smds {
namespace {

using ::testing::HasSubstr;

PduFault fault_of(const wire::Buffer& octets, const PduLimits& limits = {}) {
  Pdu pdu;
  return read_pdu(octets, limits, pdu);
}

TEST(AddressTest, IsReadAndWrittenWithItsFillers) {
  const auto individual = Address::parse("C14089991000");
  ASSERT_TRUE(individual);
  EXPECT_EQ(individual->wire(), 0xC14089991000FFFFU);
  EXPECT_EQ(to_string(*individual), "C14089991000FFFF");
  EXPECT_EQ(Address::parse("C14089991000FFFF"), *individual);
  EXPECT_TRUE(individual->individual());
  EXPECT_TRUE(address("E1").group());
  EXPECT_EQ(address("E1").digits(), 1U);
  EXPECT_EQ(individual->first(3), address("C140"));
  EXPECT_EQ(address("C123456789012345").first(15), address("C123456789012345"));
}

TEST(AddressTest, RefusesWhatIsNone) {
  for (const char* text :
       {"", "C", "D1", "c1", "C1F2", "C1234567890123456", "C12A", "14089991000"}) {
    const auto read = Address::parse(text);
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().text, HasSubstr("is no address"));
  }
  EXPECT_FALSE(Address(0xC1F2FFFFFFFFFFFF).valid());
  EXPECT_FALSE(Address(0xCFFFFFFFFFFFFFFF).valid());
  EXPECT_FALSE(Address(0x1234FFFFFFFFFFFF).valid());
}

// The octets by hand from the picture in l3_pdu.hpp.
TEST(L3PduTest, HasItsFieldsWhereThePictureHasThem) {
  wire::Buffer pdu;
  const std::byte information[] = {std::byte{0xaa}, std::byte{0xbb}};
  ASSERT_TRUE(write_pdu({.destination = address("C14089991000"),
                         .source = address("C14089992000"),
                         .be_tag = 7,
                         .crc = false},
                        information, {}, pdu));
  const std::uint8_t expected[] = {0,    7,    0,    36,  // reserved, BEtag, BAsize: 44 - 8
                                   0xC1, 0x40, 0x89, 0x99, 0x10, 0x00, 0xFF, 0xFF,  // destination
                                   0xC1, 0x40, 0x89, 0x99, 0x20, 0x00, 0xFF, 0xFF,  // source
                                   0x06,                                            // HLPI 1, pad 2
                                   0x03,     // QoS 0, CIB 0, HEL 3
                                   0,    0,  // bridging
                                   3,    0,    1,    0,    0,    0,    0,    0,
                                   0,    0,    0,    0,    // version element
                                   0xaa, 0xbb, 0,    0,    // information, pad
                                   0,    7,    0,    36};  // reserved, BEtag, length
  ASSERT_EQ(pdu.size(), sizeof expected);
  for (std::size_t at = 0; at < pdu.size(); ++at) {
    EXPECT_EQ(std::to_integer<int>(pdu[at]), expected[at]) << at;
  }
}

TEST(L3PduTest, IsAViewIntoTheOctets) {
  for (const std::size_t octets : {0U, 1U, 2U, 3U, 4U, 44U, 9188U}) {
    const wire::Buffer buffer = pdu_of("C11", "E5", octets, 200);
    Pdu pdu;
    ASSERT_EQ(read_pdu(buffer, {}, pdu), PduFault::kNone) << octets;
    EXPECT_EQ(pdu.octets.data(), buffer.data());
    EXPECT_EQ(pdu.information.data(), buffer.data() + kHeaderOctets);
    EXPECT_EQ(pdu.information.size(), octets);
    EXPECT_EQ(pdu.destination, address("E5"));
    EXPECT_EQ(pdu.source, address("C11"));
    EXPECT_EQ(pdu.be_tag, 200);
    EXPECT_EQ(pdu.hlpi, 1);
    EXPECT_EQ(buffer.size() % 4, 0U);
    EXPECT_TRUE(crc_good(pdu));
  }
}

TEST(L3PduTest, TheCrcCoversDestinationToPad) {
  for (const std::size_t at : {4U, 20U, 36U, 40U}) {
    wire::Buffer buffer = pdu_of("C11", "C22", 6);
    Pdu pdu;
    buffer[at] ^= at == 20 ? std::byte{0x04} : std::byte{0x10};
    if (read_pdu(buffer, {}, pdu) != PduFault::kNone) continue;  // the address is none any more
    EXPECT_FALSE(crc_good(pdu)) << at;
  }
}

TEST(L3PduTest, NamesEachFault) {
  const wire::Buffer good = pdu_of("C11", "C22", 9);
  const auto with = [&](std::size_t at, std::uint8_t value) {
    wire::Buffer changed = good;
    changed[at] = std::byte{value};
    return fault_of(changed);
  };
  EXPECT_EQ(fault_of(good), PduFault::kNone);
  EXPECT_EQ(with(1, 9), PduFault::kBeTagMismatch);
  EXPECT_EQ(with(good.size() - 3, 9), PduFault::kBeTagMismatch);
  EXPECT_EQ(with(3, 13), PduFault::kInvalidBasizeFieldValue);
  EXPECT_EQ(with(3, 28), PduFault::kInvalidBasizeFieldValue);
  EXPECT_EQ(with(good.size() - 1, 4), PduFault::kBasizeFieldNotEqualToLengthField);
  EXPECT_EQ(with(4, 0xD1), PduFault::kErroredDaFieldFormat);
  EXPECT_EQ(with(4, 0xCA), PduFault::kErroredDaFieldFormat);
  EXPECT_EQ(with(12, 0xE1), PduFault::kErroredSaFieldFormat);
  EXPECT_EQ(with(21, 0x0a), PduFault::kInvalidHdrExtLength);
  EXPECT_EQ(with(24, 13), PduFault::kInvalidHdrExtElementLength);
  EXPECT_EQ(with(24, 1), PduFault::kInvalidHdrExtElementLength);

  // Both ends say the same, and the octets between are others.
  wire::Buffer longer = good;
  longer.insert(longer.begin() + 40, 4, std::byte{});
  EXPECT_EQ(fault_of(longer), PduFault::kIncorrectLength);
  for (std::size_t octets = 0; octets < good.size(); ++octets) {
    EXPECT_NE(fault_of({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(octets)}),
              PduFault::kNone);
  }
}

TEST(L3PduTest, IsAtMostAsLongAsTheLimits) {
  const wire::Buffer longest = pdu_of("C11", "C22", kInformationMax);
  const wire::Buffer longer = pdu_of("C11", "C22", kInformationMax + 1);
  EXPECT_EQ(fault_of(longest), PduFault::kNone);
  EXPECT_EQ(fault_of(longer), PduFault::kInvalidBasizeFieldValue);
  const PduLimits jumbo{.information_max = kJumboInformationMax};
  EXPECT_EQ(fault_of(longer, jumbo), PduFault::kNone);
  EXPECT_EQ(fault_of(pdu_of("C11", "C22", kJumboInformationMax), jumbo), PduFault::kNone);
  wire::Buffer out;
  EXPECT_FALSE(write_pdu({.destination = address("C1"), .source = address("C2")},
                         wire::Buffer(kInformationMax + 1), {}, out));
  EXPECT_TRUE(out.empty());
}

}  // namespace
}  // namespace xbind::smds
