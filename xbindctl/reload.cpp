// The commands about the options of running daemons: `options`, `reload` and `tune`.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/name.hpp"
#include "xbindctl/answers.hpp"
#include "xbindctl/commands.hpp"
#include "xbindctl/documents.hpp"
#include "xbindctl/operated.hpp"

namespace xbind::ctl {
namespace {

using Words = std::vector<std::string>;

std::string switch_server_of(const Words& words) {
  return words[1] == "switchserver" ? words[2] : "";
}

// All these interfaces have both (operated.hpp).
v2::Configured_ptr configured(v2::Logged_ptr operations) {
  return v2::Configured::_unchecked_narrow(operations);
}

OrFailure<Json> options_of(orb::NameClient& names, const Daemon& daemon) {
  return call_operations(names, daemon, [&](v2::Logged_ptr operations) -> OrFailure<Json> {
    const v2::Configured_var options_interface = configured(operations);
    v2::OptionValueSeq_var values = options_interface->options();
    Json options = Json::array();
    for (CORBA::ULong i = 0; i < values->length(); ++i) {
      options.push_back({{"option", text(values[i].name.in())},
                         {"value", text(values[i].value.in())},
                         {"source", text(values[i].source.in())},
                         {"live", static_cast<bool>(values[i].live)}});
    }
    return Json{{"daemon", daemon.path}, {"options", std::move(options)}};
  });
}

// What `reload` and `tune` do. `tuned`: "hop-timer-ms=500", "hop-timer-ms"; empty: reload.
v2::OptionChangeSeq* change(v2::Configured_ptr options, const std::string& tuned) {
  if (tuned.empty()) return options->reload();
  const std::size_t sign = tuned.find('=');
  const std::string name = tuned.substr(0, sign);
  if (sign == std::string::npos) return options->untune(name.c_str());
  return options->tune(name.c_str(), tuned.c_str() + sign + 1);
}

OrFailure<Json> changed(orb::NameClient& names, const Daemon& daemon, const std::string& tuned) {
  return call_operations(names, daemon, [&](v2::Logged_ptr operations) -> OrFailure<Json> {
    const v2::Configured_var options_interface = configured(operations);
    v2::OptionChangeSeq_var done = change(options_interface.in(), tuned);
    Json changes = Json::array();
    for (CORBA::ULong i = 0; i < done->length(); ++i) {
      changes.push_back({{"option", text(done[i].name.in())},
                         {"before", text(done[i].before.in())},
                         {"after", text(done[i].after.in())},
                         {"source", text(done[i].source.in())}});
    }
    return Json{{"daemon", daemon.path}, {"changes", std::move(changes)}};
  });
}

// The answer of each daemon, in order.
OrFailure<std::vector<OrFailure<Json>>> call_each(orb::NameClient& names, const Words& words,
                                                  const DaemonNames& of) {
  const std::string tuned = words[0] == "tune" ? words.back() : "";
  const auto daemons = operated_daemons(names, words[1], switch_server_of(words), of);
  if (!daemons) return tl::make_unexpected(daemons.error());
  std::vector<OrFailure<Json>> answers;
  for (const Daemon& daemon : *daemons) {
    answers.push_back(words[0] == "options" ? options_of(names, daemon)
                                            : changed(names, daemon, tuned));
  }
  return answers;
}

std::string word(const Json& row, const char* key) {
  const std::string value = row.at(key).get<std::string>();
  return value.empty() ? "(empty)" : value;
}

std::string source_of(const Json& row) {
  const std::string source = row.at("source").get<std::string>();
  return source.empty() ? "default" : source;
}

void say_options(const Json& document) {
  say(fmt::format("{}", document.at("daemon").get<std::string>()));
  for (const Json& row : document.at("options")) {
    say(fmt::format("  {:<24} {:<20} {:<5} {}", word(row, "option"), word(row, "value"),
                    row.at("live").get<bool>() ? "live" : "", source_of(row)));
  }
}

void say_changes(const Json& document) {
  const std::string daemon = document.at("daemon").get<std::string>();
  if (document.at("changes").empty()) return say(daemon + ": all options are as they were");
  for (const Json& row : document.at("changes")) {
    say(fmt::format("{}: {} {} -> {} ({})", daemon, word(row, "option"), word(row, "before"),
                    word(row, "after"), source_of(row)));
  }
}

}  // namespace

bool concerns_options(std::string_view verb) {
  return verb == "reload" || verb == "options" || verb == "tune";
}

std::optional<std::string> fault_of_reload(const Words& words) {
  if (!concerns_options(words[0])) return std::nullopt;
  if (auto fault = fault_of_daemon(words)) return fault;
  const bool named = words[1] == "switchserver";
  const bool tuned = words[0] == "tune";
  if (words.size() == (named ? 3U : 2U) + (tuned ? 1U : 0U)) return std::nullopt;
  if (tuned) {
    return fmt::format("tune {} takes {}OPTION=VALUE, or OPTION alone for its own value again",
                       words[1], named ? "a NAME and " : "");
  }
  if (named) return fmt::format("{} switchserver needs a NAME", words[0]);
  return fmt::format("{} {} takes no NAME: option --{} names it", words[0], words[1], words[1]);
}

DocumentOrFailure reload_document(orb::NameClient& names, const Words& words,
                                  const DaemonNames& of) {
  auto answers = call_each(names, words, of);
  if (!answers) return tl::make_unexpected(answers.error());
  if (words[1] != "all") {
    if (!answers->front()) return tl::make_unexpected(answers->front().error());
    return Document{*std::move(answers->front())};
  }
  Document document{Json::object()};
  Json daemons = Json::array();
  for (OrFailure<Json>& one : *answers) {
    if (!one) document.exit_code = 1;
    daemons.push_back(one ? *std::move(one) : json_of(one.error()));
  }
  document.body["daemons"] = std::move(daemons);
  return document;
}

int reload(orb::NameClient& names, const Words& words, const DaemonNames& of) {
  const auto answers = call_each(names, words, of);
  if (!answers) return explain(answers.error());
  int exit_code = 0;
  for (const OrFailure<Json>& one : *answers) {
    if (!one) {
      exit_code = explain(one.error());
    } else if (words[0] == "options") {
      say_options(*one);
    } else {
      say_changes(*one);
    }
  }
  return exit_code;
}

}  // namespace xbind::ctl
