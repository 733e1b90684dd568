// What tests of messages share: the worked messages of tests/golden/gsmp, there and back.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "core/label.hpp"
#include "gsmp/codec.hpp"
#include "gsmp/framing.hpp"
#include "gsmp/print.hpp"
#include "tests/unit/gsmp/hex.hpp"

namespace xbind::gsmp::test {

template <class M>
std::string hex(const M& message) {
  return to_hex(framed(message));
}

inline LabelField atm(std::uint32_t vci, std::uint8_t flags = 0, std::uint32_t vpi = 0) {
  return label_field(atm_label(vpi, vci), flags);
}

// Both directions: `message` encodes to the worked octets, and these decode to `message`.
template <class M>
void expect_worked(const M& message, const char* id) {
  EXPECT_EQ(hex(message), to_hex(golden(id))) << id;
  const auto decoded = decode(golden_message(id));
  ASSERT_TRUE(decoded) << id << ": " << to_string(decoded.error());
  EXPECT_EQ(*decoded, Message(message)) << id << ": " << to_string(*decoded);
}

// What the octets of the message decode to.
template <class M>
M again(const M& message) {
  const wire::Buffer frame = framed(message);
  return std::get<M>(*decode(std::span(frame).subspan(kFrameHeaderOctets)));
}

}  // namespace xbind::gsmp::test
