#include "core/name.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace xbind {
namespace {

constexpr bool letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Indexed by octet.
constexpr std::array<bool, 256> kInNames = [] {
  std::array<bool, 256> in_names{};
  for (std::size_t octet = 0; octet < 128; ++octet) {
    in_names[octet] = letter_or_digit(static_cast<char>(octet));
  }
  for (const char c : std::string_view{".-_:@+"}) in_names[static_cast<unsigned char>(c)] = true;
  return in_names;
}();

bool in_names(char c) { return kInNames[static_cast<unsigned char>(c)]; }

// One UTF-8 character, or one octet that begins none.
struct Character {
  std::size_t octets = 1;
  std::optional<char32_t> code;  // nullopt: not UTF-8
};

Character first_of(std::string_view text) {
  const auto octet = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char lead = octet(0);
  if (lead < 0x80) return {1, lead};
  const std::size_t octets = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < octets) return {};
  char32_t code = lead & (0xff >> (octets + 1));
  for (std::size_t at = 1; at < octets; ++at) {
    if ((octet(at) & 0xc0) != 0x80) return {};
    code = code << 6 | (octet(at) & 0x3fU);
  }
  // Overlong forms and UTF-16 surrogates are not valid UTF-8.
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x1'0000};
  if (code < kLeast[octets] || code > 0x10'ffff || (code >= 0xd800 && code <= 0xdfff)) return {};
  return {octets, code};
}

// Invisible characters, and those that change how their neighbours are displayed.
bool unseen(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad || code == 0x61c ||
         code == 0x180e || (code >= 0x200b && code <= 0x200f) ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) ||
         code == 0xfeff || (code >= 0xfff0 && code <= 0xfffb) || (code & 0xfffe) == 0xfffe ||
         (code >= 0xe'0000 && code <= 0xe'0fff);
}

std::string shown(std::string_view character, std::optional<char32_t> code) {
  if (!code) return fmt::format("\\x{:02x}", static_cast<unsigned char>(character.front()));
  if (!unseen(*code)) return std::string{character};
  switch (*code) {
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: break;
  }
  const auto number = static_cast<std::uint32_t>(*code);
  if (number < 0x80) return fmt::format("\\x{:02x}", number);
  return number < 0x1'0000 ? fmt::format("\\u{:04x}", number) : fmt::format("\\U{:08x}", number);
}

}  // namespace

Result<void> check_name(std::string_view what, std::string_view name) {
  if (name.empty()) return fail(ErrorCode::kBadInput, "the {} '' is no name: it is empty", what);
  if (name.size() > kNameOctetsMax) {
    return fail(ErrorCode::kBadInput, "the {} '{}' is no name: {} octets are more than {}", what,
                printable(name), name.size(), kNameOctetsMax);
  }
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (!in_names(name[at])) {
      const Character bad = first_of(name.substr(at));
      return fail(ErrorCode::kBadInput,
                  "the {} '{}' is no name: '{}' at octet {} is none of A-Z a-z 0-9 . - _ : @ +",
                  what, printable(name), shown(name.substr(at, bad.octets), bad.code), at + 1);
    }
  }
  if (letter_or_digit(name.front())) return {};
  return fail(ErrorCode::kBadInput,
              "the {} '{}' is no name: it does not begin with a letter or a digit", what,
              printable(name));
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= kNameOctetsMax && letter_or_digit(name.front()) &&
         std::all_of(name.begin(), name.end(), in_names);
}

std::string printable(std::string_view text, std::size_t octets_max) {
  if (text.size() <= octets_max && plainly_printable(text)) return std::string{text};
  const std::string end = fmt::format("... ({} octets)", text.size());
  const std::size_t cut_max = octets_max - std::min(octets_max, end.size());
  std::string out;
  std::size_t cut = 0;  // length of `out` that leaves room for the end
  for (std::string_view rest = text; !rest.empty();) {
    const Character next = first_of(rest);
    out += shown(rest.substr(0, next.octets), next.code);
    if (out.size() <= cut_max) cut = out.size();
    if (out.size() > octets_max) {
      out.resize(cut);
      return out + end;
    }
    rest.remove_prefix(next.octets);
  }
  return out;
}

bool plainly_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

}  // namespace xbind
