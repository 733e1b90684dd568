// xbind-names: lists and clears bindings of the name service.
//   xbind-names list [CONTEXT]     prints paths and whether their objects answer
//   xbind-names wait PATH...       waits until all are bound and answer
//   xbind-names clear [PATH...]    unbinds those given, or all whose objects do not answer
#include <chrono>
#include <cstdio>
#include <functional>
#include <thread>

#include "core/name.hpp"
#include "core/output.hpp"
#include "core/shortage.hpp"
#include "naming/names.hpp"
#include "naming/timers.hpp"
#include "orb/daemon.hpp"
#include "orb/process.hpp"
#include "orb/remote_error.hpp"

namespace {

using namespace xbind;

constexpr Duration kPollPeriod = naming::kNamingTimers["wait-poll"];

int explain(const Error& error) {
  std::fprintf(stderr, "xbind-names: %s\n", printable(error.text, 4'096).c_str());
  return 1;
}

bool answers(orb::NameClient& names, const std::string& path) {
  const auto object = names.resolve(path);
  if (!object || CORBA::is_nil(*object)) return false;
  const auto gone = orb::remote(path, [&] { return (*object)->_non_existent(); });
  return gone && !*gone;
}

int list(orb::NameClient& names, const std::string& context) {
  const auto paths = names.list(context);
  if (!paths) return explain(paths.error());
  for (const std::string& path : *paths) {
    // Foreign programs may have bound names with any characters.
    std::printf("%-40s %s\n", printable(path, 256).c_str(),
                answers(names, path) ? "answers" : "does not answer");
  }
  return 0;
}

int wait(orb::NameClient& names, const std::vector<std::string>& paths, double timeout_s) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeout_s);
  for (const std::string& path : paths) {
    while (!answers(names, path)) {
      if (std::chrono::steady_clock::now() >= deadline) {
        const auto found = names.resolve(path);
        return explain({ErrorCode::kTimeout, fmt::format("waited {} s for {}: {}", timeout_s, path,
                                                         found ? "it is bound and does not answer"
                                                               : found.error().text)});
      }
      std::this_thread::sleep_for(kPollPeriod);
    }
  }
  return 0;
}

int clear(orb::NameClient& names, const std::vector<std::string>& given) {
  std::vector<std::string> paths = given;
  if (given.empty()) {
    const auto all = names.list(naming::kRoot);
    if (!all) return explain(all.error());
    for (const std::string& path : *all) {
      if (!answers(names, path)) paths.push_back(path);
    }
  }
  for (const std::string& path : paths) {
    if (const auto found = names.resolve(path); !found) return explain(found.error());
    if (const auto unbound = names.unbind(path); !unbound) return explain(unbound.error());
    std::printf("unbound %s\n", printable(path, 256).c_str());
  }
  return 0;
}

int run(int argc, char** argv) {
  orb::CommonOptions common;
  double timeout_s = 0;
  std::vector<std::string> words;
  config::OptionSet set("xbind-names",
                        "Lists, awaits and clears the bindings in the CORBA name service.");
  set.add_timers(naming::kNamingTimers);
  orb::add_client_options(set, common, log::Level::kWarn);
  set.add_double("timeout", &timeout_s, 10, {0, 86'400}, "Seconds that `wait` waits at most.");
  set.take_arguments("list [CONTEXT] | wait PATH... | clear [PATH...]", &words, 1, 1'000);
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  log::start("xbind-names", common.log);
  orb::Runtime runtime(argc, argv, common.runtime());
  orb::NameClient names(runtime.orb(), common.name_service);
  const std::string verb = words.front();
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  if (verb == "list" && rest.size() <= 1) {
    return list(names, rest.empty() ? naming::kRoot : rest.front());
  }
  if (verb == "wait" && !rest.empty()) return wait(names, rest, timeout_s);
  if (verb == "clear") return clear(names, rest);
  std::fprintf(stderr,
               "xbind-names: '%s' with %zu arguments is none of: list [CONTEXT], wait PATH..., "
               "clear [PATH...]\n",
               verb.c_str(), rest.size());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  name_shortages();
  return end_output("xbind-names", run(argc, argv));
}
