// Result<T>: a value, or the Error that stood in its way.
//
// tl::expected (Debian: libexpected-dev) because it is std::expected for compilers that do not have
// it yet: the day we move to C++23 this file becomes a using-declaration.
#pragma once

#include <fmt/format.h>

#include <tl/expected.hpp>
#include <utility>

#include "core/error.hpp"

namespace xbind {

template <class T>
using Result = tl::expected<T, Error>;

// return fail(ErrorCode::kBadInput, "port {} is not below {}", port, ports);
template <class... Args>
tl::unexpected<Error> fail(ErrorCode code, fmt::format_string<Args...> text, Args&&... args) {
  return tl::make_unexpected(Error{code, fmt::format(text, std::forward<Args>(args)...)});
}

}  // namespace xbind
