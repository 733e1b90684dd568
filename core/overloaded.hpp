// Combines several lambdas into one function object, for std::visit.
#pragma once

namespace xbind {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
// C++20 deduces this without a guide; clang 14, on which clang-tidy is based, needs it.
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace xbind
