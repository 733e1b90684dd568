// World: files under --state-dir. A file of a dead process may be torn, and the disk may be full.
#include <fmt/format.h>

#include <algorithm>

#include "cmgr/epoch_file.hpp"
#include "cmgr/pool_file.hpp"
#include "switchserver/manager_file.hpp"
#include "tests/sim/world.hpp"

namespace xbind::sim {
namespace {

// A restarted manager's epoch must exceed that of every other manager, as its connections' ids
// must.
constexpr std::uint64_t kEpochsApart = 10;
constexpr double kTorn = 30;      // percent of a dead manager's epoch files
constexpr double kDiskFull = 30;  // percent of the epochs that are to be stored

// No part of the file may be believed, wherever it was cut.
template <class Read>
void check_torn(Surroundings& world, const std::string& text, const std::string& path, Read read) {
  for (std::size_t octets = 0; octets < text.size(); ++octets) {
    ++world.tally["torn files"];
    if (!read(text.substr(0, octets), path)) continue;
    world.violated(
        fmt::format("{} cut after {} of {} octets is believed", path, octets, text.size()));
  }
  if (!read(text, path)) world.violated(path + " is refused, and is whole");
}

}  // namespace

void World::store_epoch(std::size_t manager) {
  ManagerPlace& place = managers_[manager];
  if (disk_.percent(kDiskFull)) {
    ++world_.tally["epochs that were not written"];
    return;  // the manager goes on: the SwitchServers know its epoch once it attaches
  }
  place.epoch_file = cmgr::epoch_as_text({Epoch{place.config.epoch}});
}

std::uint64_t World::next_epoch(std::size_t manager) {
  ManagerPlace& place = managers_[manager];
  const std::string& name = place.site->name();
  Epoch newest;
  if (!place.epoch_file.empty()) {
    const std::string path = "the epoch file of " + name;
    check_torn(world_, place.epoch_file, path, cmgr::epoch_from_text);
    std::string text = place.epoch_file;
    if (disk_.percent(kTorn)) text.resize(disk_.below(text.size()));
    const auto read = cmgr::epoch_from_text(text, path);
    if (read) {
      newest = read->epoch;
    } else {
      ++world_.tally["epoch files removed"];  // as the refusal advises
      place.epoch_file.clear();
    }
  }
  Epoch had;
  for (const SwitchSite& site : switches_) {
    newest = std::max(newest, site.server->controller().epochs_of(name).newest);
    const auto attached = site.epochs.find(manager);
    if (attached != site.epochs.end()) had = std::max(had, attached->second);
  }
  std::uint64_t next = manager + 1;
  while (next <= newest.value()) next += kEpochsApart;
  if (next <= had.value()) {
    world_.violated(
        fmt::format("{} begins with epoch {}, it has attached with {}", name, next, had.value()));
  }
  return next;
}

void World::check_torn_files(std::size_t manager) {
  const ManagerPlace& place = managers_[manager];
  if (place.pools.empty()) return;
  check_torn(world_, place.pools, "the pool file of " + place.site->name(), cmgr::pools_from_text);
}

std::vector<KnownManager> World::through_its_file(const SwitchSite& site,
                                                  const std::vector<KnownManager>& known) {
  const std::string path = "the file of managers of " + site.name;
  const std::string text = managers_as_text(known);
  check_torn(world_, text, path, managers_from_text);
  auto read = managers_from_text(text, path);
  if (read) return std::move(*read);
  world_.violated(read.error().text);
  return known;
}

}  // namespace xbind::sim
