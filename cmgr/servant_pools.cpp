#include "cmgr/servant_pools.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cmgr/parts/prepared_pools.hpp"
#include "cmgr/parts/service.hpp"
#include "core/config/text_form.hpp"
#include "core/log.hpp"
#include "core/name.hpp"
#include "core/steady_now.hpp"

namespace xbind::cmgr {

Result<KeptPools> pools_of_option(const std::vector<std::string>& prepared) {
  KeptPools all;
  for (const std::string& text : prepared) {
    const auto parts = config::parts_of(text, "([^>:]+)>([^>:]+):([0-9]{1,10}):([0-9]{1,4})");
    if (!parts) {
      return fail(ErrorCode::kBadInput, "--prepare {} is not FROM>TO:CELLS:COUNT", text);
    }
    for (const std::string& end : {(*parts)[0], (*parts)[1]}) {
      if (const auto named = check_name("endpoint", end); !named) {
        return fail(ErrorCode::kBadInput, "--prepare {}: {}", text, named.error().text);
      }
    }
    const auto count = static_cast<std::uint32_t>(std::stoul((*parts)[3]));
    if (count > PreparedPools::kWantedMax) {
      return fail(ErrorCode::kBadInput, "--prepare {}: {} connections, at most {}", text, count,
                  PreparedPools::kWantedMax);
    }
    ServiceSpec service;
    service.cells_per_s = std::stoull((*parts)[2]);
    const auto mapped = network_of(service);  // of cells: no catalogue has a say in it
    if (!mapped) {
      return fail(ErrorCode::kBadInput, "--prepare {}: {}: {}", text,
                  to_string(mapped.error().cause), mapped.error().reason);
    }
    all.push_back({(*parts)[0], (*parts)[1], *mapped, count, 0});
  }
  return all;
}

void warn_of_ends(ManagerDaemon& daemon, const KeptPools& prepared) {
  for (const KeptPool& it : prepared) {
    const auto joined = daemon.peers().check_path(it.from, it.to);
    if (joined) continue;
    log::warn("--prepare {}>{}: none is ready until there is a path: {}", it.from, it.to,
              joined.error().text);
  }
}

void begin_pools(ManagerDaemon& daemon, const PoolKeeper& pools) {
  const auto begin = [&](const KeptPool& pool) {
    const auto begun = daemon.ask([&](ConnectionManager& manager) {
      return manager.prepare_mapped(pool.from, pool.to, pool.service, pool.count, steady_now());
    });
    if (!begun) log::error("the pool {}: {}", to_string(pool), begun.error().text);
  };
  for (const KeptPool& pool : pools.start().valid) begin(pool);
  for (const KeptPool& pool : pools.options()) {
    const bool by_operator = std::ranges::any_of(
        pools.start().valid, [&](const auto& it) { return it.same_pool(pool); });
    if (!by_operator) begin(pool);
  }
}

Result<void> restore_pools(PoolKeeper& pools, config::Reloadable& options) {
  if (auto restored = pools.restore(); !restored) return restored;
  const PoolsAtStart& start = pools.start();
  for (const KeptPool& pool : start.valid) {
    log::info("the pool {}: up to {} are kept ready, as an operator has set it before this process",
              to_string(pool), pool.count);
  }
  for (const KeptPool& pool : start.superseded) {
    log::warn("the pool {}: the {} that an operator has set are superseded: --prepare was {} then",
              to_string(pool), pool.count, pool.before);
  }
  std::vector<std::string> words;
  for (const KeptPool& pool : start.valid) {
    words.push_back(fmt::format("an operator's {} of {}", pool.count, to_string(pool)));
  }
  for (const KeptPool& pool : start.superseded) {
    words.push_back(fmt::format("an operator's {} of {} is superseded: it was set when this was {}",
                                pool.count, to_string(pool), pool.before));
  }
  if (!words.empty()) options.note("prepare", fmt::format("{}", fmt::join(words, "; ")));
  return {};
}

}  // namespace xbind::cmgr
