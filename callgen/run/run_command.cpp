#include "callgen/run/run_command.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "callgen/load/words.hpp"
#include "core/duration_numbers.hpp"
#include "core/name.hpp"

namespace xbind::callgen {
namespace {

using What = RunCommand::What;

constexpr double kBigSteps = 10;

struct Word {
  std::string_view word;
  What what;
  enum class Number : std::uint8_t { kNone, kOptional, kNeeded } number;
};
constexpr std::array kWords{
    Word{"rate", What::kRate, Word::Number::kNeeded},
    Word{"faster", What::kFaster, Word::Number::kOptional},
    Word{"slower", What::kFaster, Word::Number::kOptional},
    Word{"pause", What::kPause, Word::Number::kNone},
    Word{"resume", What::kResume, Word::Number::kNone},
    Word{"quit", What::kQuit, Word::Number::kNone},
    Word{"status", What::kStatus, Word::Number::kNone},
};

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  each_line(line, [&words](std::size_t, const std::vector<std::string_view>& of_line) {
    words = of_line;
    return false;
  });
  return words;
}

std::string rate_text(std::optional<double> rate) {
  return rate ? fmt::format("{:.6g} calls/s", *rate) : "calls as planned";
}

}  // namespace

std::optional<RunCommand> command_of_key(char key, double step) {
  switch (key) {
    case '+': return RunCommand{What::kFaster, step};
    case '-': return RunCommand{What::kFaster, -step};
    case '*': return RunCommand{What::kFaster, kBigSteps * step};
    case '/': return RunCommand{What::kFaster, -kBigSteps * step};
    case 'p': return RunCommand{What::kPauseOrResume};
    case 'q': return RunCommand{What::kQuit};
    default: return std::nullopt;
  }
}

Result<RunCommand> parse_command(std::string_view line, double step) {
  if (line.size() > kCommandOctetsMax)
    return fail(ErrorCode::kBadInput, "a command of {} octets, at most {} are taken", line.size(),
                kCommandOctetsMax);
  const std::vector<std::string_view> words = words_of(line);
  if (words.empty()) return fail(ErrorCode::kBadInput, "'': no command");
  if (words.front().size() == 1 && words.size() == 1) {
    if (const auto key = command_of_key(words.front().front(), step)) return *key;
  }
  for (const Word& known : kWords) {
    if (known.word != words.front()) continue;
    const std::size_t most = known.number == Word::Number::kNone ? 1 : 2;
    if (words.size() > most)
      return fail(ErrorCode::kBadInput, "{}: '{}' is too much", known.word, printable(words[most]));
    if (words.size() == 1 && known.number == Word::Number::kNeeded)
      return fail(ErrorCode::kBadInput, "{} needs a number of calls a second", known.word);
    double value = step;
    if (words.size() == 2) {
      const auto number = number_of(words[1]);
      if (!number || *number < 0)
        return fail(ErrorCode::kBadInput, "{}: '{}' is no number of calls a second", known.word,
                    printable(words[1]));
      value = *number;
    }
    if (known.word == "slower") value = -value;
    const bool has_value = known.number != Word::Number::kNone;
    return RunCommand{known.what, has_value ? value : 0};
  }
  return fail(ErrorCode::kBadInput,
              "'{}' is no command; there are: rate N, faster [N], slower [N], pause, resume, quit, "
              "status",
              printable(words.front()));
}

std::string sentence_of(const OfferView& view) {
  const double at_s = in_seconds(view.elapsed);
  if (view.over)
    return fmt::format("all calls are offered, {} of them, at {:.1f} s", view.offered, at_s);
  if (view.paused)
    return fmt::format("paused at {:.1f} s, {} when resumed", at_s, rate_text(view.rate));
  return fmt::format("{} at {:.1f} s", rate_text(view.rate), at_s);
}

}  // namespace xbind::callgen
