// Which octets a message is written in: those of the version in its header.
//
// Only forms that exist in version 1.1 look at it; Verify Tree has no other. A message whose type does
// not exist in the version of its header is our own bug: exists_in() (header.hpp) and v1::lacks() are
// there to be asked first.
#pragma once

#include <type_traits>

#include "core/check.hpp"
#include "gsmp/v1/codec.hpp"

namespace xbind::gsmp {

template <class M>
void encode_in_its_version(const M& message, wire::Writer& out) {
  if constexpr (std::is_same_v<M, VerifyTree>) {
    v1::encode(message, out);
  } else if constexpr (v1::Exists<M>) {
    if (message.header.version == v1::kVersion) [[unlikely]]
      return v1::encode(message, out);
    encode(message, out);
  } else if constexpr (requires { message.header; }) {
    XB_CHECK(message.header.version != v1::kVersion, to_string(message.header.type));
    encode(message, out);
  } else {
    encode(message, out);  // adjacency, or a variant of messages: they look for themselves
  }
}

}  // namespace xbind::gsmp
