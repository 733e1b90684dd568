#include "routeobject/import/sndlib.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "routeobject/import/link_rate.hpp"

namespace xbind {
namespace {

// A parenthesis or a word; empty at the end of the file.
struct Token {
  std::string_view text;
  std::size_t line = 0;

  bool is(std::string_view other) const { return text == other; }
  bool is_word() const { return !text.empty() && text != "(" && text != ")"; }
};

bool space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}

  Token peek() {
    if (!ahead_) ahead_ = read();
    return *ahead_;
  }
  Token next() {
    const Token token = peek();
    ahead_.reset();
    return token;
  }
  // The rest of the line after the last token, without spaces at its ends; nullopt at the end of
  // the file. peek() must not have been called since that token.
  std::optional<std::string_view> rest_of_line() {
    if (at_ >= text_.size()) return std::nullopt;
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view rest = text_.substr(at_, end - at_);
    at_ = std::min(end + 1, text_.size());
    ++line_;
    return trimmed(rest);
  }
  std::size_t line() const { return line_; }

 private:
  Token read() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (space(c)) {
        if (c == '\n') ++line_;
        ++at_;
      } else {
        break;
      }
    }
    if (at_ == text_.size()) return {{}, line_};
    std::size_t end = at_ + 1;
    if (text_[at_] != '(' && text_[at_] != ')') {
      while (end < text_.size() && !space(text_[end]) && text_[end] != '(' && text_[end] != ')') {
        ++end;
      }
    }
    const Token token{text_.substr(at_, end - at_), line_};
    at_ = end;
    return token;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::optional<Token> ahead_;
};

// The unit of a file's capacities.
struct CapacityUnit {
  std::string_view name;  // as notes and refusals show it
  double bits_per_s;
};
constexpr CapacityUnit kMbits{"Mbit/s", 1e6};

// Of "BITSPERSEC", "MBITPERSEC", "GBITSPERSEC", in any case.
std::optional<CapacityUnit> unit_of(std::string_view word) {
  std::string name;
  for (char c : word) name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  constexpr std::pair<std::string_view, CapacityUnit> kPrefixes[] = {{"", {"bit/s", 1}},
                                                                     {"K", {"kbit/s", 1e3}},
                                                                     {"M", kMbits},
                                                                     {"G", {"Gbit/s", 1e9}},
                                                                     {"T", {"Tbit/s", 1e12}}};
  for (const auto& [prefix, unit] : kPrefixes) {
    for (const char* const bits : {"BITPERSEC", "BITSPERSEC"}) {
      if (name == fmt::format("{}{}", prefix, bits)) return unit;
    }
  }
  return std::nullopt;
}

class SndlibReader {
 public:
  SndlibReader(std::string_view text, const std::string& path) : tokens_(text), builder_(path) {}

  Result<TopologyBuilder::Built> read() {
    Result<void> done = read_head();
    while (done && !tokens_.peek().text.empty()) done = read_section();
    if (!done) return tl::make_unexpected(std::move(done).error());
    for (const char* needed : {"NODES", "LINKS"}) {
      if (sections_.contains(needed)) continue;
      return builder_.refuse(tokens_.line(), "the file ends without the section {}", needed);
    }
    note_units();
    return builder_.finish("SNDlib native format");
  }

 private:
  Result<void> read_head() {
    const std::string_view head = tokens_.rest_of_line().value_or("");
    std::map<std::string, std::string, std::less<>> said;
    std::string_view rest = head.substr(std::min(kSndlibMark.size(), head.size()));
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(';'), rest.size());
      std::string part(rest.substr(0, end));
      std::erase_if(part, space);
      const std::size_t colon = part.find(':');
      if (colon != std::string::npos) said[part.substr(0, colon)] = part.substr(colon + 1);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    const std::string& type = said["type"];
    if (type != "network") {
      return builder_.refuse(1, "type '{}' of SNDlib is not read, only 'network'", shown(type));
    }
    const std::string& version = said["version"];
    if (version != "1.0") {
      return builder_.refuse(1, "version '{}' of SNDlib's native format is not read, only 1.0",
                             shown(version));
    }
    return {};
  }

  Result<void> read_section() {
    const Token name = tokens_.next();
    const std::string key(name.text);
    using Reader = Result<void> (SndlibReader::*)();
    static const std::map<std::string_view, Reader> kReaders{
        {"META", &SndlibReader::read_meta},
        {"NODES", &SndlibReader::read_nodes},
        {"LINKS", &SndlibReader::read_links},
        {"DEMANDS", &SndlibReader::read_demands},
        {"ADMISSIBLE_PATHS", &SndlibReader::skip_section}};
    const auto reader = kReaders.find(name.text);
    if (reader == kReaders.end()) {
      return builder_.refuse(name.line,
                             "'{}' is no section; known are META, NODES, LINKS, DEMANDS and "
                             "ADMISSIBLE_PATHS",
                             shown(name.text));
    }
    const auto [first, is_new] = sections_.emplace(key, name.line);
    if (!is_new) {
      return builder_.refuse(name.line, "the section {} is already in line {}", key, first->second);
    }
    if ((key == "LINKS" || key == "DEMANDS") && !sections_.contains("NODES")) {
      return builder_.refuse(name.line, "{} is before NODES", key);
    }
    section_ = key;
    section_line_ = name.line;
    if (const auto open = expect("("); !open) return open;
    return (this->*reader->second)();
  }

  tl::unexpected<Error> unexpected(const Token& token, std::string_view wanted) const {
    if (token.text.empty()) {
      return builder_.refuse(token.line, "the file ends within {}, which begins in line {}",
                             section_, section_line_);
    }
    return builder_.refuse(token.line, "'{}' in {} where {} is to be", shown(token.text), section_,
                           wanted);
  }

  Result<void> expect(std::string_view parenthesis) {
    const Token token = tokens_.next();
    if (token.is(parenthesis)) return {};
    return unexpected(token, fmt::format("'{}'", parenthesis));
  }

  Result<Token> word(std::string_view wanted) {
    const Token token = tokens_.next();
    if (!token.is_word()) return unexpected(token, wanted);
    return token;
  }

  Result<double> number(std::string_view wanted) {
    const Token token = tokens_.next();
    if (!token.is_word()) return unexpected(token, wanted);
    std::string_view text = token.text;
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto value = number_of(text);
    if (!value) return unexpected(token, wanted);
    return *value;
  }

  // A number that is not negative.
  Result<double> amount(std::string_view wanted) {
    const Token token = tokens_.peek();
    const auto value = number(wanted);
    if (value && *value < 0) {
      return builder_.refuse(token.line, "{} {} in {} is below zero", wanted, token.text, section_);
    }
    return value;
  }

  Result<void> read_meta() {
    for (std::size_t line = tokens_.line();; line = tokens_.line()) {
      const std::optional<std::string_view> read = tokens_.rest_of_line();
      if (!read) return unexpected({{}, line}, "");
      std::string_view text = trimmed(read->substr(0, read->find('#')));
      // The closing parenthesis may stand behind the last value. Those within a value are paired.
      const bool last =
          text.ends_with(')') && std::ranges::count(text, ')') > std::ranges::count(text, '(');
      if (last) text = trimmed(text.substr(0, text.size() - 1));
      if (const auto taken = read_attribute(text, line); !taken) return taken;
      if (last) return {};
    }
  }

  // "unit = MBITPERSEC"; every other name is ignored.
  Result<void> read_attribute(std::string_view text, std::size_t line) {
    const std::size_t equals = std::min(text.find('='), text.size());
    if (trimmed(text.substr(0, equals)) != "unit") return {};
    const std::string_view word = trimmed(text.substr(std::min(equals + 1, text.size())));
    const auto unit = unit_of(word);
    if (!unit) {
      return builder_.refuse(line,
                             "META's unit '{}' is not known; known are BITPERSEC, KBITPERSEC, "
                             "MBITPERSEC, GBITPERSEC and TBITPERSEC, also with BITS",
                             shown(word));
    }
    if (unit_line_) {
      return builder_.refuse(line, "META's unit is already in line {}", *unit_line_);
    }
    if (const auto links = sections_.find("LINKS"); links != sections_.end()) {
      return builder_.refuse(line, "META's unit is after LINKS, whose capacities it is of");
    }
    unit_ = *unit;
    unit_line_ = line;
    return {};
  }

  Result<void> skip_section() {
    for (std::size_t depth = 1; depth > 0;) {
      const Token token = tokens_.next();
      if (token.text.empty()) return unexpected(token, "");
      if (token.is("(")) ++depth;
      if (token.is(")")) --depth;
    }
    return {};
  }

  Result<void> read_nodes() {
    while (!tokens_.peek().is(")")) {
      const auto id = word("a node's id");
      if (!id) return tl::make_unexpected(id.error());
      std::optional<Position> position;
      if (tokens_.peek().is("(")) {
        tokens_.next();
        const auto longitude = number("a longitude");
        if (!longitude) return tl::make_unexpected(longitude.error());
        const auto latitude = number("a latitude");
        if (!latitude) return tl::make_unexpected(latitude.error());
        position = Position{*longitude, *latitude};
        if (const auto close = expect(")"); !close) return close;
        for (const char* const what : {"designs", "options"}) {
          if (const auto empty = read_empty(what, *id); !empty) return empty;
        }
      }
      if (const auto added = builder_.add_node(std::string(id->text), id->text, id->line, position);
          !added) {
        return added;
      }
    }
    tokens_.next();
    return {};
  }

  // A node's designs and options are lists that version 1.0 leaves away or empty.
  Result<void> read_empty(std::string_view what, const Token& id) {
    if (!tokens_.peek().is("(")) return {};
    tokens_.next();
    const Token token = tokens_.peek();
    if (token.is_word()) {
      return builder_.refuse(token.line, "node '{}' has {} '{}': they are not read", shown(id.text),
                             what, shown(token.text));
    }
    return expect(")");
  }

  struct Ends {
    Token id;
    std::string from;
    std::string to;
  };

  // Reads "id ( from to )", with which links and demands begin.
  Result<Ends> read_ends(std::string_view wanted,
                         std::unordered_map<std::string_view, std::size_t>& seen) {
    const auto id = word(wanted);
    if (!id) return tl::make_unexpected(id.error());
    if (const auto [first, is_new] = seen.emplace(id->text, id->line); !is_new) {
      return builder_.refuse(id->line, "'{}' is already in line {} of {}", shown(id->text),
                             first->second, section_);
    }
    if (const auto open = expect("("); !open) return tl::make_unexpected(open.error());
    const auto from = word("a node");
    if (!from) return tl::make_unexpected(from.error());
    const auto to = word("a node");
    if (!to) return tl::make_unexpected(to.error());
    if (const auto close = expect(")"); !close) return tl::make_unexpected(close.error());
    return Ends{*id, std::string(from->text), std::string(to->text)};
  }

  // Calls `read_rest` behind the ends of each link or demand, to the end of the section.
  Result<void> read_each(std::string_view wanted,
                         Result<void> (SndlibReader::*read_rest)(const Ends&)) {
    std::unordered_map<std::string_view, std::size_t> seen;
    while (!tokens_.peek().is(")")) {
      const auto ends = read_ends(wanted, seen);
      if (!ends) return tl::make_unexpected(ends.error());
      if (const auto done = (this->*read_rest)(*ends); !done) return done;
    }
    tokens_.next();
    return {};
  }

  Result<void> read_links() { return read_each("a link's id", &SndlibReader::read_link); }

  Result<void> read_link(const Ends& ends) {
    const auto installed = amount("a pre-installed capacity");
    if (!installed) return tl::make_unexpected(installed.error());
    for (const char* cost : {"the capacity's cost", "a routing cost", "a setup cost"}) {
      if (const auto read = number(cost); !read) return tl::make_unexpected(read.error());
    }
    if (const auto open = expect("("); !open) return open;
    double module = 0;
    while (!tokens_.peek().is(")")) {
      const auto capacity = amount("a module's capacity");
      if (!capacity) return tl::make_unexpected(capacity.error());
      if (const auto cost = number("a module's cost"); !cost) {
        return tl::make_unexpected(cost.error());
      }
      module = std::max(module, *capacity);
    }
    tokens_.next();
    return add_link(ends, *installed, module);
  }

  Result<void> add_link(const Ends& ends, double installed, double module) {
    const std::string what = fmt::format("link '{}'", shown(ends.id.text));
    if (installed == 0 && module == 0) {
      return builder_.refuse(ends.id.line,
                             "{} has no capacity: neither a pre-installed one nor a module", what);
    }
    const double capacity = installed > 0 ? installed : module;
    const std::string why =
        fmt::format("{} {} {}", installed > 0 ? "pre-installed capacity" : "largest module",
                    capacity, unit_.name);
    const auto cells = cells_per_s_of_bits(capacity * unit_.bits_per_s);
    if (!cells) {
      return builder_.refuse(ends.id.line, "{}: {} is above {} cells/s", what, why,
                             kLinkCellsPerSMax);
    }
    return builder_.add_link(what, ends.from, ends.to, *cells, why, ends.id.line);
  }

  Result<void> read_demands() { return read_each("a demand's id", &SndlibReader::read_demand); }

  Result<void> read_demand(const Ends& ends) {
    const auto unit = amount("a routing unit");
    if (!unit) return tl::make_unexpected(unit.error());
    if (*unit != 1) ++other_units_;
    const auto value = amount("a demand's value");
    if (!value) return tl::make_unexpected(value.error());
    if (const auto length = read_length(); !length) return length;
    return builder_.add_demand(fmt::format("demand '{}'", shown(ends.id.text)), ends.from, ends.to,
                               *unit * *value, ends.id.line);
  }

  // The most links of a demand's path, or UNLIMITED.
  Result<void> read_length() {
    if (tokens_.peek().is("UNLIMITED")) {
      tokens_.next();
      return {};
    }
    const auto length = amount("a path length or UNLIMITED");
    if (!length) return tl::make_unexpected(length.error());
    ++limited_;
    return {};
  }

  void note_units() {
    if (!unit_line_) builder_.note("META states no unit: capacities are in Mbit/s");
    if (other_units_ > 0) {
      builder_.note(
          fmt::format("{} demand{} a routing unit other than 1: a weight is the value "
                      "times this unit",
                      other_units_, other_units_ == 1 ? " has" : "s have"));
    }
    if (limited_ > 0) {
      builder_.note(fmt::format("{} demand{} the length of its path, which is not observed",
                                limited_, limited_ == 1 ? " limits" : "s limit"));
    }
    if (!sections_.contains("DEMANDS"))
      builder_.note("no section DEMANDS: every pair is equally likely");
  }

  Tokens tokens_;
  TopologyBuilder builder_;
  std::map<std::string, std::size_t> sections_;  // with the lines in which they begin
  std::string section_;
  std::size_t section_line_ = 0;
  CapacityUnit unit_ = kMbits;
  std::optional<std::size_t> unit_line_;
  std::size_t other_units_ = 0;
  std::size_t limited_ = 0;
};

}  // namespace

bool is_sndlib(std::string_view text) { return text.starts_with(kSndlibMark); }

Result<TopologyBuilder::Built> parse_sndlib(std::string_view text, const std::string& path) {
  return SndlibReader(text, path).read();
}

}  // namespace xbind
