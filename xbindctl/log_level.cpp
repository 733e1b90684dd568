// The command that shows and changes what running daemons log.
#include <fmt/ranges.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/log_levels.hpp"
#include "core/name.hpp"
#include "xbindctl/answers.hpp"
#include "xbindctl/commands.hpp"
#include "xbindctl/documents.hpp"
#include "xbindctl/operated.hpp"

namespace xbind::ctl {
namespace {

using Words = std::vector<std::string>;

// What the words after `log-level` ask.
struct Wish {
  std::string daemon;  // one of daemon_words()
  std::string name;    // of a switchserver
  std::string levels;  // as Logged::set_log_level() takes them; empty: they are shown
};

Wish wish_of(const Words& words) {
  Wish wish{words[1], {}, {}};
  std::size_t next = 2;
  if (wish.daemon == "switchserver" && next < words.size()) wish.name = words[next++];
  if (next < words.size()) wish.levels = words[next++];
  if (next < words.size()) wish.levels += '=' + words[next];  // SUBSYSTEM LEVEL
  return wish;
}

// Changes the levels if that is wished, and returns those of then.
OrFailure<v2::LogLevelSeq_var> levels_at(orb::NameClient& names, const Daemon& daemon,
                                         const std::string& wished) {
  return call_operations(names, daemon, [&](v2::Logged_ptr logged) {
    if (!wished.empty()) logged->set_log_level(wished.c_str());
    return OrFailure<v2::LogLevelSeq_var>(v2::LogLevelSeq_var(logged->log_levels()));
  });
}

// "info", or "info, calls debug": the subsystems with another level.
std::string words_of(const v2::LogLevelSeq& levels) {
  std::string words;
  std::string all;
  for (CORBA::ULong i = 0; i < levels.length(); ++i) {
    const std::string level = printable(levels[i].level.in());
    if (i == 0) {
      words = all = level;
    } else if (level != all) {
      words += fmt::format(", {} {}", printable(levels[i].subsystem.in()), level);
    }
  }
  return words;
}

Json json_of(const std::string& path, const v2::LogLevelSeq& levels) {
  Json subsystems = Json::object();
  for (CORBA::ULong i = 1; i < levels.length(); ++i) {
    subsystems[printable(levels[i].subsystem.in())] = printable(levels[i].level.in());
  }
  return {{"daemon", path},
          {"level", levels.length() == 0 ? "" : printable(levels[0].level.in())},
          {"subsystems", std::move(subsystems)}};
}

// Calls said(path, levels) for each daemon that answers, and failed(failure) for the others.
template <class Said, class Failed>
std::optional<Failure> each_daemon(orb::NameClient& names, const Words& words,
                                   const DaemonNames& of, const Said& said, const Failed& failed) {
  const Wish wish = wish_of(words);
  const auto daemons = operated_daemons(names, wish.daemon, wish.name, of);
  if (!daemons) return daemons.error();
  for (const Daemon& daemon : *daemons) {
    const auto levels = levels_at(names, daemon, wish.levels);
    if (levels) {
      said(daemon.path, levels->in());
    } else {
      failed(levels.error());
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> fault_of_log_level(const Words& words) {
  if (words.front() != "log-level") return std::nullopt;
  if (auto fault = fault_of_daemon(words)) return fault;
  const bool named = words[1] == "switchserver";
  if (named && (words.size() == 2 || (words.size() == 3 && log::level_of(words[2]))))
    return "log-level switchserver needs a NAME";
  if (words.size() > (named ? 5U : 4U)) {
    return fmt::format(
        "log-level {} takes a LEVEL, or a SUBSYSTEM and a LEVEL{}", words[1],
        named ? ", behind its NAME" : fmt::format(": option --{} names it", words[1]));
  }
  const Wish wish = wish_of(words);
  if (wish.levels.empty()) return std::nullopt;
  const log::Levels any = log::Level::kInfo;
  const auto levels = any.changed(wish.levels, any);
  if (levels) return std::nullopt;
  return fmt::format("log-level: {}", levels.error().text);
}

DocumentOrFailure log_level_document(orb::NameClient& names, const Words& words,
                                     const DaemonNames& of) {
  Document document{Json::object()};
  Json daemons = Json::array();
  std::optional<Failure> trouble;
  const auto failure = each_daemon(
      names, words, of,
      [&](const std::string& path, const v2::LogLevelSeq& levels) {
        daemons.push_back(json_of(path, levels));
      },
      [&](const Failure& one) {
        trouble = one;
        daemons.push_back(json_of(one));
        document.exit_code = 1;
      });
  if (failure) return tl::make_unexpected(*failure);
  const bool all = wish_of(words).daemon == "all";
  if (!all && trouble) return tl::make_unexpected(*trouble);
  if (!all) return Document{std::move(daemons[0])};
  document.body["daemons"] = std::move(daemons);
  return document;
}

int log_level(orb::NameClient& names, const Words& words, const DaemonNames& of) {
  int exit_code = 0;
  const auto failure = each_daemon(
      names, words, of,
      [](const std::string& path, const v2::LogLevelSeq& levels) {
        say(fmt::format("{}: the log level is {}", path, words_of(levels)));
      },
      [&](const Failure& one) { exit_code = explain(one); });
  return failure ? explain(*failure) : exit_code;
}

}  // namespace xbind::ctl
