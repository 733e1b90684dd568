// What each cause of a refusal means and what an operator can do about it: one table for
// `xbindctl explain`, for the advice of a refusal, and for docs/operating.md. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/cause.hpp"

namespace xbind::ctl {

struct Explanation {
  Cause cause = Cause::kNone;
  std::string_view meaning;  // one or two sentences
  std::string_view numbers;  // what `asked` and `free` are; empty: they are not used
  std::string_view remedy;   // what to do
};

// One row for each cause but kNone, in the order of the contract's numbers.
std::span<const Explanation> explanations();

// The row of the cause; for kNone a row with empty texts.
const Explanation& explanation_of(Cause cause);

// "no-bandwidth": the cause's words as one word of a command line.
std::string word_of(Cause cause);
std::optional<Cause> cause_from_word(std::string_view word);
// Of every cause but kNone, in their order.
std::vector<std::string> cause_words();

// The table as the rows of docs/operating.md, with a line end after each.
std::string explanations_markdown();

}  // namespace xbind::ctl
