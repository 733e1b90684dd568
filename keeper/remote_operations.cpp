#include "keeper/remote_operations.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "keeper.hh"
#include "naming/names.hpp"
#include "orb/peer_faults.hpp"
#include "orb/remote_error.hpp"
#include "orb/supervised.hpp"
#include "orb/timers.hpp"

namespace xbind::keeper {
namespace {

class KeeperServant : public orb::Supervised<POA_xbind::v2::KeeperOperations> {
 public:
  KeeperServant(orb::Dispatch& dispatch, orb::Supervision& supervision, config::Reloadable& options)
      : Supervised(dispatch, supervision, options) {}
};

bool same(CORBA::Object_ptr one, CORBA::Object_ptr other) {
  const auto equivalent = orb::remote("", [&] { return bool{one->_is_equivalent(other)}; });
  return equivalent && *equivalent;
}

using Changes = Result<std::vector<config::OptionChange>>;

}  // namespace

// ===== options =====

Changes RemoteOperations::Options::reload() {
  const std::lock_guard lock(mutex_);
  if (!read_file_) return fail(ErrorCode::kBadInput, "this keeper is ending");
  const auto read = read_file_();
  if (!read) return tl::make_unexpected(read.error());
  if (!read->any()) return std::vector<config::OptionChange>{};
  return std::vector<config::OptionChange>{
      {"connections", fmt::format("{} as before", read->kept),
       fmt::format("{} added, {} removed, {} changed", read->added.size(), read->removed.size(),
                   read->changed.size()),
       "its content", true}};
}

Changes RemoteOperations::Options::tune_all(const Wishes& wishes) {
  for (const auto& [name, value] : wishes) {
    if (value) {
      if (const auto may = config::check_tunable(set_.values(), name, *value); !may) {
        return tl::make_unexpected(may.error());
      }
    }
    return fail(ErrorCode::kBadInput, "a keeper has no option {} that is live", name);
  }
  return std::vector<config::OptionChange>{};
}

void RemoteOperations::Options::stop() {
  const std::lock_guard lock(mutex_);
  read_file_ = nullptr;
}

// ===== the object and its name =====

RemoteOperations::RemoteOperations(orb::Runtime& runtime, const orb::CommonOptions& options,
                                   const config::OptionSet& set, orb::Supervision::Look look,
                                   ReadFile read_file)
    : path_(naming::path_of(naming::kKeepers, options.name)),
      names_(runtime.orb(), options.name_service),
      dispatch_("xbind-keeper " + options.name),
      supervision_(timers_, "keeper " + options.name, true, std::move(look)),
      options_(set, std::move(read_file)) {
  const PortableServer::Servant_var<KeeperServant> servant =
      new KeeperServant(dispatch_, supervision_, options_);
  object_ = runtime.activate(servant.in());
  supervision_.start();
  thread_ = std::thread([this] { run(); });
}

void RemoteOperations::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (stop_) return;
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
  const auto bound = names_.resolve(path_);
  // Where the name service is away there is nothing to unbind.
  if (bound && same(*bound, object_)) (void)names_.unbind(path_);
  supervision_.stop();
  options_.stop();
}

void RemoteOperations::append_metrics(Metrics& metrics) {
  orb::append_peer_faults(metrics);
  dispatch_.append_metrics(metrics);
  supervision_.append_metrics(metrics);
}

std::vector<MetricTable> RemoteOperations::metric_tables() {
  return {orb::upcall_metrics(), orb::alarm_metrics()};
}

void RemoteOperations::run() {
  std::unique_lock lock(mutex_);
  do {
    lock.unlock();
    keep_bound();
    lock.lock();
  } while (!wake_.wait_for(lock, orb::kOrbTimers["name-watch"], [this] { return stop_; }));
}

void RemoteOperations::keep_bound() {
  const std::string peer = "the name service at " + names_.service();
  const auto bound = names_.resolve(path_);
  if (bound && same(*bound, object_)) return log_.well(peer);
  if (!bound && bound.error().code != ErrorCode::kNotFound) {
    log_.failed(peer, bound.error().text);
    return;
  }
  if (const auto over = names_.rebind(path_, object_); !over) {
    log_.failed(peer, over.error().text);
    return;
  }
  log_.well(peer);
  log::info("bound as {}", path_);
}

}  // namespace xbind::keeper
