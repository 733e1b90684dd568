#include "xbindctl/explanations.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace xbind::ctl {

std::string word_of(Cause cause) {
  std::string word{to_string(cause)};
  std::ranges::replace(word, ' ', '-');
  return word;
}

std::optional<Cause> cause_from_word(std::string_view word) {
  for (const CauseRow& row : refusal_causes()) {
    if (word_of(row.cause) == word) return row.cause;
  }
  return std::nullopt;
}

std::vector<std::string> cause_words() {
  std::vector<std::string> words;
  for (const CauseRow& row : refusal_causes()) words.push_back(word_of(row.cause));
  return words;
}

std::string explanations_markdown() {
  std::string text = "| cause | meaning | numbers | what to do |\n| --- | --- | --- | --- |\n";
  for (const CauseRow& row : refusal_causes()) {
    text += fmt::format("| {} | {} | {} | {} |\n", row.name, row.meaning, row.numbers, row.remedy);
  }
  return text;
}

}  // namespace xbind::ctl
