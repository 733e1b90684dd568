// One function object of several lambdas, for std::visit.
#pragma once

namespace xbind {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
// Deduced without this in C++20; clang 14, which clang-tidy is, needs it.
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace xbind
