#include "emulator/switch_set.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/config/option_tables.hpp"

namespace xbind::emulator {
namespace {

config::OptionTableKind kind() {
  return {"switch", switch_option_names(), {"name", "listen"}, kSwitchesMax};
}

Result<std::vector<SwitchOptions>> switches_of(
    const Result<std::vector<config::OptionTable>>& tables) {
  if (!tables) return tl::make_unexpected(tables.error());
  std::vector<SwitchOptions> switches;
  for (const config::OptionTable& table : *tables) {
    SwitchOptions options;
    config::OptionSet set("[[switch]]", "One switch of several in a process.");
    declare(set, options);
    if (const auto good = table.load(set); !good) return tl::make_unexpected(good.error());
    for (const SwitchOptions& other : switches) {
      if (other.name == options.name) {
        return tl::make_unexpected(
            table.refusal("name", fmt::format("another switch is called '{}'", options.name)));
      }
      if (other.listen == options.listen && !options.listen.ends_with(":0")) {
        return tl::make_unexpected(table.refusal(
            "listen", fmt::format("{} listens on {} already", other.name, options.listen)));
      }
    }
    options.values = set.values();
    for (config::OptionValue& value : options.values) {
      if (!value.source.empty()) value.source = table.place(value.name);
    }
    switches.push_back(std::move(options));
  }
  return switches;
}

}  // namespace

Result<std::vector<SwitchOptions>> parse_switches(std::string_view text, const std::string& path) {
  return switches_of(config::read_option_tables(text, path, kind()));
}

Result<std::vector<SwitchOptions>> load_switches(const std::string& path) {
  return switches_of(config::load_option_tables(path, kind()));
}

Result<std::vector<config::OptionChange>> changes_of(const std::vector<SwitchOptions>& before,
                                                     const std::vector<SwitchOptions>& wanted) {
  if (!std::ranges::equal(before, wanted, {}, &SwitchOptions::name, &SwitchOptions::name)) {
    return fail(ErrorCode::kBadInput,
                "the names of the switches, or their order, need a restart: there were {} "
                "switches, and the file has {}; nothing has changed",
                before.size(), wanted.size());
  }
  std::vector<config::OptionChange> changes;
  for (std::size_t index = 0; index < before.size(); ++index) {
    const std::vector<config::OptionValue>& old = before[index].values;
    const std::vector<config::OptionValue>& now = wanted[index].values;
    for (std::size_t at = 0; at < old.size() && at < now.size(); ++at) {
      if (old[at].text == now[at].text) continue;
      changes.push_back({fmt::format("{} {}", before[index].name, now[at].name), old[at].text,
                         now[at].text, now[at].source, now[at].live});
    }
  }
  return changes;
}

std::vector<dataplane::LinkPlace> link_places(const std::vector<SwitchOptions>& switches) {
  std::vector<dataplane::LinkPlace> places;
  for (const SwitchOptions& one : switches) {
    for (dataplane::PortLink& link : links_of(one)) {
      places.push_back({.node = one.name,
                        .port = link.port,
                        .link = std::move(link.link),
                        .classes = *parse_frame_classes(one.classes),
                        .delay = delay_of(one, link.port)});
    }
  }
  return places;
}

}  // namespace xbind::emulator
