// The questions that CORBA defines for every object: its type, whether it exists, its interface.
// Each ORB and each tool asks them, so a request for one is no fault of its peer, also where
// omniORB has no answer (CORBA 3.3 part 2, 9.4.2: operation names of pseudo-operations).
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace xbind::orb {

// Whether the operation's name is one of these questions.
constexpr bool is_object_question(std::string_view operation) {
  using namespace std::string_view_literals;
  // Some ORBs write "_get_" before the names without a verb, and "_not_existent" in GIOP 1.0.
  constexpr std::array kQuestions{
      "_is_a"sv,
      "_non_existent"sv,
      "_not_existent"sv,
      "_interface"sv,
      "_get_interface"sv,
      "_implementation"sv,
      "_component"sv,
      "_get_component"sv,
      "_get_implementation"sv,
      "_repository_id"sv,
      "_get_repository_id"sv,
      "_domain_managers"sv,
      "_get_domain_managers"sv,
      "_policy"sv,
      "_get_policy"sv,
  };
  return std::ranges::find(kQuestions, operation) != kQuestions.end();
}

}  // namespace xbind::orb
