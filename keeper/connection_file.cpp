#include "keeper/connection_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "client/demand_options.hpp"
#include "core/config/option_tables.hpp"
#include "core/name.hpp"

namespace xbind::keeper {
namespace {

using Refusal = std::optional<std::string>;

std::vector<std::string> known_keys() {
  std::vector<std::string> keys = client::demand_option_names();
  for (const char* key : {"name", "from", "to", "count", "both", "reverse-cells-per-s", "priority",
                          "from-traffic", "to-traffic"}) {
    keys.emplace_back(key);
  }
  return keys;
}

// The options of one table as they are loaded.
struct TableOptions {
  Wanted wanted;
  ServiceOptions named;
  std::string category;
  bool both = false;
  std::uint64_t reverse_cells_per_s = 0;
  std::string from_traffic;
  std::string to_traffic;
};

void declare(config::OptionSet& set, TableOptions& options) {
  ConnectRequest& request = options.wanted.request;
  set.add_string("name", &options.wanted.name, "", "Name of the connection in logs and status.");
  set.add_string("from", &request.from, "", "Endpoint of the caller.");
  set.add_string("to", &request.to, "", "Endpoint of the callee.");
  set.add_uint("count", &options.wanted.count, 1, {1, kCallsMax}, "Number of calls alike.");
  client::declare_demand(set, request.service, options.named, options.category);
  set.add_flag("both", &options.both, "Both directions.");
  set.add_uint("reverse-cells-per-s", &options.reverse_cells_per_s, 0, contract_field_from(0),
               "With both, cells a second of the reverse one.");
  set.add_uint("priority", &request.priority, 0, {0, kPriorityMax},
               "Under pressure the higher is served first.");
  set.add_string("from-traffic", &options.from_traffic, "", "Frames at `from` of the call.");
  set.add_string("to-traffic", &options.to_traffic, "", "Frames at `to` of the call.");
}

Refusal take_frames(const char* key, const std::string& text, std::optional<FrameTraffic>& frames) {
  if (text.empty()) return std::nullopt;
  const auto parsed = FrameTraffic::parse(text);
  if (!parsed) return fmt::format("--{}: {}", key, parsed.error().text);
  frames = *parsed;
  return std::nullopt;
}

// Completes the request. A refusal begins with the option that it concerns.
Refusal settle(const config::OptionSet& set, TableOptions& options) {
  ConnectRequest& request = options.wanted.request;
  for (const auto& [key, value] :
       {std::pair{"name", &options.wanted.name}, std::pair{"from", &request.from},
        std::pair{"to", &request.to}}) {
    if (const auto good = check_name(key, *value); !good) {
      return fmt::format("--{}: {}", key, good.error().text);
    }
  }
  if (auto refused = client::settle_demand(set, request.service, options.named, options.category)) {
    return "--" + *refused;
  }
  if (options.reverse_cells_per_s != 0 && !options.both) {
    return "--reverse-cells-per-s goes with both";
  }
  if (options.both && options.reverse_cells_per_s == 0) request.reverse = request.service;
  if (options.both && options.reverse_cells_per_s != 0) {
    request.reverse =
        ServiceSpec{ServiceKind::kCells, options.reverse_cells_per_s, request.service.buffer_cells};
  }
  if (auto refused = take_frames("from-traffic", options.from_traffic, request.from_frames)) {
    return refused;
  }
  return take_frames("to-traffic", options.to_traffic, request.to_frames);
}

Result<Wanted> wanted_of(const config::OptionTable& table) {
  TableOptions options;
  config::OptionSet set("[[connection]]", "One permanent connection.");
  declare(set, options);
  set.add_check([&] { return settle(set, options); });
  if (const auto good = table.load(set); !good) return tl::make_unexpected(good.error());
  return std::move(options.wanted);
}

Result<std::vector<Wanted>> all_of(const Result<std::vector<config::OptionTable>>& tables) {
  if (!tables) return tl::make_unexpected(tables.error());
  std::vector<Wanted> all;
  std::unordered_set<std::string> names;
  std::uint64_t calls = 0;
  for (const config::OptionTable& table : *tables) {
    auto wanted = wanted_of(table);
    if (!wanted) return tl::make_unexpected(wanted.error());
    if (!names.insert(wanted->name).second) {
      return tl::make_unexpected(
          table.refusal("name", fmt::format("another connection is called '{}'", wanted->name)));
    }
    calls += wanted->count;
    if (calls > kCallsMax) {
      return tl::make_unexpected(
          table.refusal("name", fmt::format("with '{}' the file has {} calls, more than {}",
                                            wanted->name, calls, kCallsMax)));
    }
    all.push_back(std::move(*wanted));
  }
  return all;
}

config::OptionTableKind kind() {
  return {"connection", known_keys(), {"name", "from", "to"}, kTablesMax};
}

}  // namespace

Result<std::vector<Wanted>> parse_connections(std::string_view text, const std::string& path) {
  return all_of(config::read_option_tables(text, path, kind()));
}

Result<std::vector<Wanted>> load_connections(const std::string& path) {
  return all_of(config::load_option_tables(path, kind()));
}

}  // namespace xbind::keeper
