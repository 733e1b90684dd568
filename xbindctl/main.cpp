// xbindctl: the operator's command.
#include <charconv>
#include <cstdio>

#include "naming/names.hpp"
#include "orb/daemon.hpp"
#include "orb/name_client.hpp"
#include "xbindctl/commands.hpp"

namespace {

using namespace xbind;

struct Options {
  orb::CommonOptions common;
  std::string manager;
  ServiceSpec service;
  std::uint64_t frames_per_1000_s = 0;
  std::vector<std::string> words;
};

void declare(config::OptionSet& set, Options& options) {
  orb::add_client_options(set, options.common, log::Level::kWarn);
  set.add_string("manager", &options.manager, "default",
                 "Name of the ConnectionManager under xbind/cmgr/.");
  set.add_uint("cells-per-s", &options.service.cells_per_s, 100, {1, 4'294'967'295},
               "connect: what the connection takes of every link, in cells a second.");
  set.add_uint("buffer-cells", &options.service.buffer_cells, 0, {0, 1'000'000'000},
               "connect: what it takes of every output port's buffer, in cells.");
  set.add_uint("frames-per-1000-s", &options.service.frames_per_1000_s, 0, {0, 1'000'000'000},
               "connect: frame rate in thousandths of a frame a second, instead of --cells-per-s.");
  set.add_uint("frame-octets", &options.service.frame_octets, 0, {0, 1'000'000'000},
               "connect: size of a frame in octets, with --frames-per-1000-s.");
  set.take_arguments("connect FROM TO | release ID | describe ID | list | status | audit",
                     &options.words, 1, 3);
  set.add_check([&options, &set]() -> std::optional<std::string> {
    const bool frames = options.service.frames_per_1000_s != 0 || options.service.frame_octets != 0;
    if (!frames) return std::nullopt;
    if (options.service.frames_per_1000_s == 0 || options.service.frame_octets == 0) {
      return "frames-per-1000-s and frame-octets go together";
    }
    if (set.given("cells-per-s")) return "cells-per-s and frames-per-1000-s exclude each other";
    options.service.kind = ServiceKind::kVideo;
    return std::nullopt;
  });
}

std::optional<std::uint64_t> number(const std::string& word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

int wrong_words(const std::vector<std::string>& words) {
  std::fprintf(stderr,
               "xbindctl: '%s' with %zu arguments is none of: connect FROM TO, release ID, "
               "describe ID, list, status, audit (ID is a number)\n",
               words.front().c_str(), words.size() - 1);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  config::OptionSet set("xbindctl", "Asks and steers a ConnectionManager.");
  declare(set, options);
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  const std::vector<std::string>& words = options.words;
  const std::string& verb = words.front();
  const std::optional<std::uint64_t> given_id = number(words.back());
  const std::uint64_t id = given_id.value_or(0);
  const bool right = (verb == "connect" && words.size() == 3) ||
                     ((verb == "release" || verb == "describe") && words.size() == 2 && given_id) ||
                     ((verb == "list" || verb == "status" || verb == "audit") && words.size() == 1);
  if (!right) return wrong_words(words);

  log::start("xbindctl", options.common.log_level);
  orb::Runtime runtime(argc, argv, options.common.runtime());
  orb::NameClient names(runtime.orb(), options.common.name_service);
  const auto object = names.resolve(naming::path_of(naming::kConnectionManagers, options.manager));
  if (!object) {
    std::fprintf(stderr, "xbindctl: %s\n", object.error().text.c_str());
    return 1;
  }
  const v1::ConnectionManager_var manager = v1::ConnectionManager::_unchecked_narrow(*object);
  if (verb == "connect") return ctl::connect(manager, words[1], words[2], options.service);
  if (verb == "release") return ctl::release(manager, id);
  if (verb == "describe") return ctl::describe(manager, id);
  if (verb == "list") return ctl::list(manager);
  if (verb == "status") return ctl::status(manager);
  return ctl::audit(manager);
}
