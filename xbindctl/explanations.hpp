// The causes of refusals (core/cause_table.hpp) on a command line and in docs/operating.md. Pure;
// any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/cause_table.hpp"

namespace xbind::ctl {

// "no-bandwidth": the cause's words as one word of a command line.
std::string word_of(Cause cause);
std::optional<Cause> cause_from_word(std::string_view word);
// Of every cause but kNone, in their order.
std::vector<std::string> cause_words();

// The table as the rows of docs/operating.md, with a line end after each.
std::string explanations_markdown();

}  // namespace xbind::ctl
