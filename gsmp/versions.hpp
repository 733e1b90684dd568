// Selects the wire format of a message by the version in its header.
//
// Only types that exist in version 1.1 have a choice; Verify Tree exists in version 1.1 only. A
// message type that does not exist in the header's version is a bug of the caller: check
// exists_in() (header.hpp) and v1::lacks() first.
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
    encode(message, out);  // adjacency, or the variant of all messages: they select by themselves
  }
}

}  // namespace xbind::gsmp
