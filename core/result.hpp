// Result<T>: a value, or the Error that prevented it.
//
// Uses tl::expected (Debian: libexpected-dev), which is std::expected for compilers without it.
// With C++23 this file becomes a using-declaration.
#pragma once

#include <fmt/format.h>

#include <tl/expected.hpp>
#include <utility>

#include "core/error.hpp"

namespace xbind {

template <class T>
using Result = tl::expected<T, Error>;

// return fail(ErrorCode::kBadInput, "port {} is not below {}", port, ports);
//
// A value may come from a peer, a file or an argument: the text is made printable, and cut at
// kRefusalOctetsMax (core/name.hpp).
template <class... Args>
tl::unexpected<Error> fail(ErrorCode code, fmt::format_string<Args...> text, Args&&... args) {
  return tl::make_unexpected(printable_error(code, fmt::format(text, std::forward<Args>(args)...)));
}

}  // namespace xbind
