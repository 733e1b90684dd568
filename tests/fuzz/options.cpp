// TOML configuration (core/config) under libFuzzer. The first octet chooses how an operator gives
// the rest to a program: as a file of settings, as a file of tables, as the file of --config, or as
// a command line with one argument a line.
//
// Settings that are accepted are written and read back as the same settings.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/config/option_tables.hpp"
#include "core/config/options.hpp"
#include "core/config/options_file.hpp"
#include "tests/fuzz/property.hpp"

namespace {

using namespace xbind;
using namespace xbind::fuzz;

constexpr std::size_t kOctetsMax = 64 << 10;

// One option of each kind, as the programs have them.
struct Options {
  std::string name;
  bool watch = false;
  std::uint32_t port = 0;
  double rate = 0;
  std::string engine;
  std::vector<std::string> links;
  config::OptionSet set{"xbind-fuzz", "Is never run."};

  Options() {
    set.add_string("name", &name, "n1", "Its name.");
    set.add_flag("watch", &watch, "Whether to watch.");
    set.add_uint("port", &port, 7, {1, 65535}, "A port.");
    set.add_double("rate", &rate, 0.5, {0, 1e9}, "Calls a second.");
    set.add_choice("engine", &engine, "xbind", {"xbind", "sequential"}, "The engine.");
    set.add_strings("links", &links, "The links.");
  }

  void check() const {
    require(port >= 1 && port <= 65535, "a number is out of its bounds");
    require(std::isfinite(rate) && rate >= 0 && rate <= 1e9, "a rate is out of its bounds");
    require(engine == "xbind" || engine == "sequential", "an unknown choice is accepted");
    for (const std::string& link : links) {
      require(!link.empty() && link.find(',') == std::string::npos, "a list has an invalid value");
    }
  }
};

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto octet = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += fmt::format("\\{}", c);
    } else if (octet < 0x20 || octet == 0x7f) {
      out += fmt::format("\\u{:04x}", octet);
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string value_text(const config::FileSetting& setting) {
  switch (setting.kind) {
    case config::ValueKind::kText: return quoted(setting.text);
    case config::ValueKind::kReal:
      return setting.text.find_first_not_of("-0123456789") == std::string::npos
                 ? setting.text + ".0"
                 : setting.text;
    case config::ValueKind::kList: break;
    default: return setting.text;
  }
  std::string out;
  for (std::string_view rest = setting.text;;) {
    const std::size_t comma = rest.find(',');
    out += (out.empty() ? "" : ", ") + quoted(rest.substr(0, comma));
    if (comma == std::string_view::npos) return fmt::format("[{}]", out);
    rest.remove_prefix(comma + 1);
  }
}

void settings(std::string_view text) {
  const auto read = config::parse_settings(text, kFile, kOctetsMax);
  if (!read) return require_refusal(read.error());
  std::string written;
  for (const auto& setting : *read) {
    require(setting.line != 0, "a setting has no line");
    written += fmt::format("{} = {}\n", quoted(setting.name), value_text(setting));
  }
  const auto again = config::parse_settings(written, kFile, kOctetsMax * 8);
  require(again.has_value(), "settings that were read and written are refused", written);
  const auto same = [](const config::FileSetting& a, const config::FileSetting& b) {
    return a.name == b.name && a.kind == b.kind && a.text == b.text;
  };
  require(std::ranges::equal(*read, *again, same), "settings are not read as written", written);
}

void tables(std::string_view text) {
  const config::OptionTableKind kind{
      "switch", {"name", "watch", "port", "rate", "engine", "links"}, {"name"}, 16};
  const auto read = config::read_option_tables(text, kFile, kind);
  if (!read) return require_refusal(read.error());
  require(!read->empty() && read->size() <= kind.tables_max, "there are too few or many tables");
  for (const config::OptionTable& table : *read) {
    Options options;
    const auto loaded = table.load(options.set);
    loaded ? options.check() : require_refusal(loaded.error());
  }
}

void check_exit(const std::optional<config::Exit>& exit, const Options& options) {
  if (!exit) return options.check();
  require(exit->code == 0 || exit->code == 2, "an unknown exit code");
  require(exit->text.ends_with('\n'), "the text of an exit is no whole line", exit->text);
  if (exit->code == 2) require_sentence(exit->text.substr(0, exit->text.find('\n')));
}

void load(const std::vector<std::string>& arguments) {
  std::vector<const char*> words{"xbind-fuzz"};
  for (const std::string& argument : arguments) words.push_back(argument.c_str());
  Options options;
  check_exit(options.set.load(static_cast<int>(words.size()), words.data(),
                              [](const std::string&) { return std::nullopt; }),
             options);
}

// --config reads a path, and this one costs no disk.
void config_file(std::string_view text) {
  static const int memory = memfd_create("input.toml", MFD_CLOEXEC);
  const auto size = static_cast<ssize_t>(text.size());
  require(ftruncate(memory, 0) == 0 && pwrite(memory, text.data(), text.size(), 0) == size,
          "the file in memory cannot be written");
  load({fmt::format("--config=/proc/self/fd/{}", memory)});
}

void command_line(std::string_view text) {
  std::vector<std::string> arguments;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    arguments.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    // Another file than the one in memory would make the result depend on this machine.
    if (arguments.back().find("--config") != std::string::npos) return;
  }
  load(arguments);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = text_of({data + 1, size - 1});
  switch (data[0]) {
    case 't': tables(text); break;
    case 'f': config_file(text); break;
    case 'c': command_line(text); break;
    default: settings(text);
  }
  return 0;
}
