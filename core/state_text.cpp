// The text of a state file. The simulator compiles it with planted mistakes.
#include <fmt/format.h>

#include <boost/crc.hpp>

#include "core/planted.hpp"
#include "core/state_file.hpp"

namespace xbind {
namespace {

constexpr std::string_view kEndWords = "# end: ";

std::string first_line_of(const StateFormat& format) {
  return fmt::format("# {} {}\n", format.what, format.version);
}

std::string end_mark_of(std::string_view text) {
  boost::crc_32_type crc;
  crc.process_bytes(text.data(), text.size());
  return fmt::format("{}{} octets, CRC-32 {:08x}\n", kEndWords, text.size(), crc.checksum());
}

// The text without its end mark; nullopt: the mark is missing or differs from the text.
std::optional<std::string_view> without_end_mark(std::string_view text) {
  const std::size_t at = text.rfind(kEndWords);
  const std::string_view before = text.substr(0, at);
  if (planted(Bug::kTornFileTaken)) return before;
  const bool begins_a_line = before.ends_with('\n');
  if (at == std::string_view::npos || !begins_a_line || text.substr(at) != end_mark_of(before)) {
    return std::nullopt;
  }
  return before;
}

}  // namespace

std::string with_end_mark(std::string text) {
  text += end_mark_of(text);
  return text;
}

std::string state_as_text(const StateFormat& format, std::string_view content) {
  return with_end_mark(first_line_of(format).append(content));
}

Result<StateText> state_from_text(const StateFormat& format, std::string_view text,
                                  const std::string& path) {
  if (text.empty()) return fail(ErrorCode::kBadInput, "{} is empty", path);
  if (!format.earlier.empty() && text.starts_with(format.earlier) &&
      text.substr(format.earlier.size()).starts_with('\n')) {
    return StateText{std::string(text), format.earlier.size() + 1, true};
  }
  const std::string first = first_line_of(format);
  if (!text.starts_with(first) && !std::string_view(first).starts_with(text)) {
    return fail(ErrorCode::kBadInput, "{} line 1: it is not '{}'", path,
                std::string_view(first).substr(0, first.size() - 1));
  }
  const auto whole = text.size() < first.size() ? std::nullopt : without_end_mark(text);
  if (!whole) {
    return fail(ErrorCode::kBadInput,
                "{} is not whole: its {} octets do not end with their own length and CRC-32", path,
                text.size());
  }
  return StateText{std::string(*whole), first.size(), false};
}

Error with_way_out(const StateFormat& format, Error error) {
  error.text += fmt::format("; remove the file and start again: without it {}", format.without);
  return error;
}

}  // namespace xbind
