#include "routeobject/import/link_rate.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "routeobject/topology/topology.hpp"

namespace xbind {
namespace {

constexpr std::size_t kTextRead = 256;

// All lower case; a longer text precedes its own prefixes.
struct Unit {
  std::string_view text;
  double bits_per_s;
};
constexpr Unit kUnits[] = {
    {"gigabit ethernet", 1e9},
    {"gigabits", 1e9},
    {"megabits", 1e6},
    {"gigabit", 1e9},
    {"megabit", 1e6},
    {"gbits/s", 1e9},
    {"mbits/s", 1e6},
    {"kbits/s", 1e3},
    {"tbits/s", 1e12},
    {"gbit/s", 1e9},
    {"mbit/s", 1e6},
    {"kbit/s", 1e3},
    {"tbit/s", 1e12},
    {"bit/s", 1},
    {"gbps", 1e9},
    {"mbps", 1e6},
    {"kbps", 1e3},
    {"tbps", 1e12},
    {"gige", 1e9},
    {"gbit", 1e9},
    {"mbit", 1e6},
    {"kbit", 1e3},
    {"tbit", 1e12},
    {"gb/s", 1e9},
    {"mb/s", 1e6},
    {"kb/s", 1e3},
    {"tb/s", 1e12},
    {"bps", 1},
    {"b/s", 1},
    {"gbe", 1e9},
    {"ge", 1e9},
    {"gb", 1e9},
    {"mb", 1e6},
    {"kb", 1e3},
    {"tb", 1e12},
};
// A single letter means a rate only in its common spelling: "10 m" may be metres.
constexpr Unit kLetters[] = {{"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}};

struct Frame {
  std::string_view name;  // all lower case, without hyphen
  double bits_per_s;
};
constexpr double kStm1 = 149'760'000;
constexpr Frame kFrames[] = {
    {"oc1", 48'384'000},   {"oc3", kStm1},         {"oc12", 4 * kStm1},     {"oc48", 16 * kStm1},
    {"oc192", 64 * kStm1}, {"oc768", 256 * kStm1}, {"stm1", kStm1},         {"stm4", 4 * kStm1},
    {"stm16", 16 * kStm1}, {"stm64", 64 * kStm1},  {"stm256", 256 * kStm1}, {"ds3", 40'704'000},
    {"t3", 40'704'000},    {"e3", 33'920'000},     {"ds1", 1'536'000},      {"t1", 1'536'000},
    {"e1", 1'920'000},     {"gige", 1e9},
};

bool digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool word(char c) { return digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') || c == '_'; }

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text.substr(0, kTextRead)) {
    for (char c : text_) lower_ += lower(c);
  }

  RateInText scan() {
    RateInText found;
    for (std::size_t at = 0; at < text_.size();) {
      const bool begins = at == 0 || !(word(text_[at - 1]) || text_[at - 1] == '.');
      const auto rate = begins ? rate_at(at) : std::nullopt;
      if (!rate) {
        ++at;
        continue;
      }
      const auto cells = cells_per_s_of_bits(rate->bits_per_s);
      const bool differs =
          found.kind == RateInText::Kind::kStated && cells && *cells != found.cells_per_s;
      if (!cells || differs || after_a_number(at)) return {RateInText::Kind::kSeveral, 0, {}};
      if (found.kind == RateInText::Kind::kNone) {
        found = {RateInText::Kind::kStated, *cells, std::string(text_.substr(at, rate->end - at))};
      }
      at = rate->end;
    }
    return found;
  }

 private:
  struct Found {
    double bits_per_s = 0;
    std::size_t end = 0;
  };

  char at(std::size_t index) const { return index < text_.size() ? text_[index] : '\0'; }
  std::size_t past_spaces(std::size_t index) const {
    while (at(index) == ' ') ++index;
    return index;
  }
  bool ends_word(std::size_t index) const { return !word(at(index)); }

  // "2 x 10 Gbps", "10 Gbps x 2", "10 Gbps".
  std::optional<Found> rate_at(std::size_t begin) const {
    if (const auto simple = simple_at(begin)) {
      const std::size_t times = times_after(simple->end);
      const auto count = times != 0 ? number_at(times) : std::nullopt;
      if (!count || !ends_word(count->end)) return simple;
      return Found{simple->bits_per_s * count->bits_per_s, count->end};
    }
    const auto count = number_at(begin);
    const std::size_t times = count ? times_after(count->end) : 0;
    if (times == 0) return std::nullopt;
    const auto simple = simple_at(times);
    if (!simple) return std::nullopt;
    return Found{simple->bits_per_s * count->bits_per_s, simple->end};
  }

  // The start of the factor after a multiplication sign; 0 if there is no such sign.
  std::size_t times_after(std::size_t index) const {
    index = past_spaces(index);
    if (lower(at(index)) == 'x' || at(index) == '*') return past_spaces(index + 1);
    if (text_.substr(index).starts_with("\u00d7")) return past_spaces(index + 2);
    return 0;
  }

  std::optional<Found> simple_at(std::size_t begin) const {
    if (const auto frame = frame_at(begin)) return frame;
    const auto number = number_at(begin);
    if (!number) return std::nullopt;
    const std::size_t unit = past_spaces(number->end);
    for (const Unit& known : kUnits) {
      if (std::string_view(lower_).substr(unit).starts_with(known.text) &&
          ends_word(unit + known.text.size())) {
        return Found{number->bits_per_s * known.bits_per_s, unit + known.text.size()};
      }
    }
    for (const Unit& known : kLetters) {
      if (at(unit) == known.text[0] && ends_word(unit + 1)) {
        return Found{number->bits_per_s * known.bits_per_s, unit + 1};
      }
    }
    return std::nullopt;
  }

  // "OC-192c", "stm16", "E3"; not the "e1" of a port's name, "e1/0".
  std::optional<Found> frame_at(std::size_t begin) const {
    std::string name;
    std::size_t end = begin;
    while (word(at(end)) || (at(end) == '-' && end > begin && digit(at(end + 1)))) {
      if (at(end) != '-') name += lower_[end];
      ++end;
    }
    if (name.starts_with("oc") && name.ends_with('c')) name.pop_back();
    const auto known = std::ranges::find(kFrames, name, &Frame::name);
    if (known == std::end(kFrames) || at(end) == '/') return std::nullopt;
    return Found{known->bits_per_s, end};
  }

  // Returns the number in Found::bits_per_s.
  std::optional<Found> number_at(std::size_t begin) const {
    if (!digit(at(begin))) return std::nullopt;
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + begin, text_.data() + text_.size(),
                                              value, std::chars_format::fixed);
    if (error != std::errc{}) return std::nullopt;
    return Found{value, static_cast<std::size_t>(end - text_.data())};
  }

  // Whether the text before makes this the end of a range, a choice, or a decimal fraction.
  bool after_a_number(std::size_t begin) const {
    if (begin >= 2 && text_[begin - 1] == ',' && digit(text_[begin - 2])) return true;
    std::size_t index = begin;
    while (index > 0 && text_[index - 1] == ' ') --index;
    if (index == 0 || (text_[index - 1] != '-' && text_[index - 1] != '/')) return false;
    --index;
    while (index > 0 && text_[index - 1] == ' ') --index;
    return index > 0 && digit(text_[index - 1]);
  }

  std::string_view text_;
  std::string lower_;
};

}  // namespace

std::optional<std::uint64_t> cells_per_s_of_bits(double bits_per_s) {
  // The first bound keeps the conversion to whole bits within 64 bits.
  if (!(bits_per_s >= 0 && bits_per_s <= 1e15)) return std::nullopt;
  const std::uint64_t cells = static_cast<std::uint64_t>(std::llround(bits_per_s)) / kBitsPerCell;
  if (cells > kLinkCellsPerSMax) return std::nullopt;
  return cells;
}

RateInText rate_in_text(std::string_view text) { return Scanner(text).scan(); }

}  // namespace xbind
