// The keeper as operators see it: an object in the name service with alarms, events, log levels and
// options (idl/keeper.idl). Other daemons see by its name whether the keeper lives (decision 0089).
//
// A newer keeper of the name binds its own object; the manager then ends the older keeper. So the
// name is not claimed, as those of daemons are, but kept bound.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/config/options.hpp"
#include "core/config/reload.hpp"
#include "core/metrics/metric_table.hpp"
#include "keeper/wanted_calls.hpp"
#include "orb/daemon.hpp"
#include "orb/dispatch.hpp"
#include "orb/name_client.hpp"
#include "orb/peer_log.hpp"
#include "orb/runtime.hpp"
#include "orb/shared_timers.hpp"
#include "orb/supervision.hpp"

namespace xbind::keeper {

class RemoteOperations {
 public:
  // Reads the file of --connections again; on an error everything stays. Any thread.
  using ReadFile = std::function<Result<FileChange>()>;

  // Activates and binds the object. `look` as in orb::Supervision. The runtime and `set` must
  // outlive this object, which must outlive the runtime's last upcall.
  RemoteOperations(orb::Runtime& runtime, const orb::CommonOptions& options,
                   const config::OptionSet& set, orb::Supervision::Look look, ReadFile read_file);
  ~RemoteOperations() { stop(); }
  RemoteOperations(const RemoteOperations&) = delete;
  RemoteOperations& operator=(const RemoteOperations&) = delete;

  // Unbinds the name if it is still ours. Afterwards neither `look` nor `read_file` is called.
  void stop();
  // Appends the metrics of metric_tables(). Any thread.
  void append_metrics(Metrics& metrics);
  static std::vector<MetricTable> metric_tables();

 private:
  // What an operator may do with the options of a running keeper.
  class Options : public config::Reloadable {
   public:
    Options(const config::OptionSet& set, ReadFile read_file)
        : set_(set), read_file_(std::move(read_file)) {}
    Result<std::vector<config::OptionChange>> reload() override;
    Result<std::vector<config::OptionChange>> tune_all(const Wishes& wishes) override;
    void note(const std::string&, std::string) override {}  // it keeps no settings to remark on
    std::vector<config::OptionValue> values() override { return set_.values(); }
    void stop();

   private:
    const config::OptionSet& set_;
    std::mutex mutex_;
    ReadFile read_file_;  // empty: stopped
  };

  void run();
  void keep_bound();

  const std::string path_;
  orb::NameClient names_;
  orb::Dispatch dispatch_;
  orb::SharedTimers timers_;
  orb::Supervision supervision_;
  Options options_;
  CORBA::Object_var object_;
  orb::PeerLog log_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace xbind::keeper
