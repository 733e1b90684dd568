// Text orders to a running WAN, over its control socket. Each order is one line, each answer is one
// line.
//
//   path FROM TO KEY=VALUE ...   changes these values of the rules from FROM to TO; each is a site,
//                                which means all its addresses, or an address. Keys are those of a
//                                [[path]] (network_file.hpp)
//   statistics FROM TO           shows their packets, and the rule if they have the same
//   status                       shows packets of all sites, drops by reason, and what is held
//   tune OPTION=VALUE            sets an option of the process that it takes while it runs
//   tune OPTION                  the option has its configured value again
//
//   answers: ok [NAME=VALUE ...]       error NAME: the reason
//
// An order changes all the rules that it names, or none. A line that is no order is answered, and
// ends the connection. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/config/options.hpp"
#include "core/result.hpp"
#include "wan/wan.hpp"

namespace xbind::wan {

inline constexpr std::size_t kOrderOctetsMax = 1024;  // without the end of line

// The NAME of an answer "error NAME: text".
enum class OrderFault : std::uint8_t {
  kUnknownCommand,
  kArguments,  // too few or too many
  kBadValue,
  kNotText,  // a control character
  kNoSuchPath,
  kLineTooLong,
};
std::string_view to_string(OrderFault fault);  // "unknown-command", ...

// "error bad-value: TEXT"; the text is made printable.
std::string error_answer(OrderFault fault, std::string_view text);

// Whether the line could be an order, right or wrong: it begins with the word of one, and has no
// control character.
bool is_order(std::string_view line);

// As config::Reloadable::tune(); a value of nullopt: no longer tuned.
using TuneOrder = std::function<Result<std::vector<config::OptionChange>>(
    const std::string& option, const std::optional<std::string>& value)>;

// Carries out a line. Returns the answer without an end of line.
std::string answer_order(std::string_view line, Wan& wan, const TuneOrder& tune, TimePoint now);

}  // namespace xbind::wan
