#include "cmgr/pool_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <sstream>

#include "cmgr/parts/prepared_pools.hpp"
#include "core/config/toml_reader.hpp"
#include "core/name.hpp"
#include "core/state_file.hpp"

namespace xbind::cmgr {
namespace {

constexpr StateFormat kPoolsFormat{
    .what = "xbind-cmgr pools",
    .version = 1,
    .octets_max = std::size_t{1} << 20,
    .without = "there are the pools of --prepare alone",
};

class PoolReader : config::TomlReader {
 public:
  PoolReader(const toml::table& root, const std::string& path) : TomlReader(root, path) {}

  Result<KeptPools> read() const {
    if (auto known = only_keys(root_, {"pool"}, "the file"); !known) {
      return tl::make_unexpected(known.error());
    }
    const auto found = tables("pool");
    if (!found) return tl::make_unexpected(found.error());
    KeptPools pools;
    for (const toml::table* const table : *found) {
      auto pool = pool_of(*table);
      if (!pool) return tl::make_unexpected(pool.error());
      pools.push_back(std::move(*pool));
    }
    return pools;
  }

 private:
  Result<KeptPool> pool_of(const toml::table& table) const {
    KeptPool pool;
    const auto known = only_keys(table,
                                 {"from", "to", "cells_per_s", "buffer_cells", "category", "pcr",
                                  "cdvt_us", "guaranteed", "mbs", "mfs", "count", "before"},
                                 "a pool");
    if (!known) return tl::make_unexpected(known.error());
    for (const auto& [key, into] : {std::pair{"from", &pool.from}, {"to", &pool.to}}) {
      auto text = needed_string(table, key, "a pool");
      if (!text) return tl::make_unexpected(text.error());
      if (!is_name(*text)) return refuse(line_of(table), "'{}' is no name of an endpoint", *text);
      *into = std::move(*text);
    }
    TrafficContract& contract = pool.service.contract;
    constexpr auto kWantedMax = static_cast<std::int64_t>(PreparedPools::kWantedMax);
    constexpr std::int64_t kField = TrafficContract::kFieldMax;
    constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
    std::uint32_t category = 0;
    for (const auto& [key, max, take] : std::initializer_list<Number>{
             {"cells_per_s", kAny, [&](auto n) { pool.service.resources.cells_per_s = n; }},
             {"buffer_cells", kAny, [&](auto n) { pool.service.resources.buffer_cells = n; }},
             {"category", static_cast<std::int64_t>(kServiceCategoryLast),
              [&](auto n) { category = static_cast<std::uint32_t>(n); }},
             {"pcr", kField, into(contract.pcr_cells_per_s)},
             {"cdvt_us", kField, into(contract.cdvt_us)},
             {"guaranteed", kField, into(contract.guaranteed_cells_per_s)},
             {"mbs", kField, into(contract.mbs_cells)},
             {"mfs", kField, into(contract.mfs_cells)},
             {"count", kWantedMax, into(pool.count)},
             {"before", kWantedMax, into(pool.before)}}) {
      const auto number = needed_number(table, key, max);
      if (!number) return tl::make_unexpected(number.error());
      take(*number);
    }
    contract.category = static_cast<ServiceCategory>(category);
    if (contract.present() && check(contract)) {
      return refuse(line_of(table), "the contract of a pool is invalid: {} {}",
                    check(contract)->field, check(contract)->value);
    }
    return pool;
  }

  struct Number {
    const char* key;
    std::int64_t max;
    std::function<void(std::uint64_t)> take;
  };
  static std::function<void(std::uint64_t)> into(std::uint32_t& number) {
    return [&number](std::uint64_t read) { number = static_cast<std::uint32_t>(read); };
  }
  Result<std::uint64_t> needed_number(const toml::table& table, std::string_view key,
                                      std::int64_t max) const {
    const auto node = needed(table, key, "a pool");
    if (!node) return tl::make_unexpected(node.error());
    const auto number = (*node)->value_exact<std::int64_t>();
    if (!number || *number < 0 || *number > max) {
      return refuse(line_of(**node), "'{}' of a pool is no number from 0 to {}", key, max);
    }
    return static_cast<std::uint64_t>(*number);
  }
};

Result<KeptPools> pools_of(const StateText& state, const std::string& path) {
  const auto root = config::parse_toml(state.text, path, kPoolsFormat.octets_max);
  if (!root) return tl::make_unexpected(root.error());
  return PoolReader(*root, path).read();
}

std::string content_of(const KeptPools& pools) {
  const auto number = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  toml::array tables;
  for (const KeptPool& pool : pools) {
    const TrafficContract& contract = pool.service.contract;
    tables.push_back(toml::table{{"from", pool.from},
                                 {"to", pool.to},
                                 {"cells_per_s", number(pool.service.resources.cells_per_s)},
                                 {"buffer_cells", number(pool.service.resources.buffer_cells)},
                                 {"category", number(static_cast<unsigned>(contract.category))},
                                 {"pcr", number(contract.pcr_cells_per_s)},
                                 {"cdvt_us", number(contract.cdvt_us)},
                                 {"guaranteed", number(contract.guaranteed_cells_per_s)},
                                 {"mbs", number(contract.mbs_cells)},
                                 {"mfs", number(contract.mfs_cells)},
                                 {"count", number(pool.count)},
                                 {"before", number(pool.before)}});
  }
  std::ostringstream text;
  text << toml::table{{"pool", std::move(tables)}} << '\n';
  return text.str();
}

const KeptPool* find_in(const KeptPools& pools, const KeptPool& pool) {
  const auto found =
      std::ranges::find_if(pools, [&](const KeptPool& it) { return it.same_pool(pool); });
  return found == pools.end() ? nullptr : &*found;
}

}  // namespace

std::string to_string(const KeptPool& pool) {
  return fmt::format("{} -> {}, {} cells/s", pool.from, pool.to,
                     pool.service.resources.cells_per_s);
}

std::uint32_t count_in(const KeptPools& pools, const KeptPool& pool) {
  const KeptPool* const found = find_in(pools, pool);
  return found == nullptr ? 0 : found->count;
}

std::string pool_file_path(const std::string& directory, const std::string& name) {
  if (directory.empty()) return "";
  return fmt::format("{}/cmgr-{}.pools", directory, name);
}

std::string pools_as_text(const KeptPools& pools) {
  return state_as_text(kPoolsFormat, content_of(pools));
}

Result<KeptPools> pools_from_text(std::string_view text, const std::string& path) {
  const auto state = state_from_text(kPoolsFormat, text, path);
  if (!state) return tl::make_unexpected(state.error());
  return pools_of(*state, path);
}

Result<KeptPools> read_pools(const std::string& path) {
  auto read = read_state_as<KeptPools>(
      kPoolsFormat, path, [&](const StateText& state) { return pools_of(state, path); });
  if (!read) return tl::make_unexpected(read.error());
  return std::move(*read).value_or(KeptPools{});
}

Result<void> write_pools(const std::string& path, const KeptPools& pools) {
  if (path.empty()) return {};
  // A number that no file can hold would keep the next process from starting.
  if (const auto read = pools_from_text(pools_as_text(pools), path); !read || *read != pools) {
    return fail(ErrorCode::kBadInput, "{} cannot hold that pool", path);
  }
  return write_state(kPoolsFormat, path, content_of(pools), Unwritten::kUndone);
}

PoolsAtStart pools_at_start(const KeptPools& kept, const KeptPools& options) {
  PoolsAtStart start;
  for (const KeptPool& pool : kept) {
    const bool same = count_in(options, pool) == pool.before;
    (same ? start.valid : start.superseded).push_back(pool);
  }
  return start;
}

}  // namespace xbind::cmgr
