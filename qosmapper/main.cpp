// xbind-qosmapper: maps services between the user's terms and the network's.
#include <functional>
#include <utility>

#include "core/config/reload.hpp"
#include "core/impairments/impairments.hpp"
#include "exporter/exporter.hpp"
#include "naming/names.hpp"
#include "orb/configured.hpp"
#include "orb/daemon.hpp"
#include "orb/dispatch.hpp"
#include "orb/kept_state.hpp"
#include "orb/process.hpp"
#include "orb/shared_timers.hpp"
#include "orb/supervision.hpp"
#include "qosmapper/servant.hpp"

namespace {

using namespace xbind;

struct Options {
  Options();
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  config::OptionSet set{"xbind-qosmapper", "Maps frame rate and size to cells a second, and back."};
  orb::CommonOptions common;
  std::string catalogue_file;
  std::shared_ptr<const Catalogue> catalogue;  // read by the check
  std::string state_dir;

  std::string settings_file() const {
    return config::settings_file_path(state_dir, "qosmapper", common.name);
  }
  ImpairmentOptions impairments;
};

Options::Options() {
  for (MetricTable& table : qos_mapper_metrics()) set.add_metrics(std::move(table));
  orb::add_daemon_options(set, common, "default");
  exporter::add_option(set, common.metrics);
  set.add_string("catalogue", &catalogue_file, "",
                 "File of named services; empty: the catalogue shipped with the program.");
  set.add_check([this]() -> std::optional<std::string> {
    const auto read = catalogue_of_option(catalogue_file);
    if (!read) return "catalogue: " + read.error().text;
    catalogue = *read;
    return std::nullopt;
  });
  orb::add_state_option(set, &state_dir,
                        "Directory in which options that operators have set at run time are "
                        "stored across restarts");
  set.add_check(
      [this]() -> std::optional<std::string> { return orb::refusal_of_settings(settings_file()); });
  declare_pace(set, impairments);
  orb::set_live_options(set);
  set.set_live({"catalogue"});
}

// Puts live options into effect.
void apply(const Options& before, const Options& wanted, QosMapperServant& servant,
           std::vector<config::OptionChange>& changes) {
  orb::apply_live_options(before.common, wanted.common);
  servant.set_catalogue(wanted.catalogue);
  if (auto content = catalogue_change(*before.catalogue, *wanted.catalogue)) {
    changes.push_back(std::move(*content));
  }
}

}  // namespace

int main(int argc, char** argv) {
  orb::take_signals();  // first: from here on SIGTERM ends the process in order
  Options options;
  if (const auto exit_code = config::load_or_explain(options.set, argc, argv)) return *exit_code;
  const orb::CommonOptions& common = options.common;
  log::start("xbind-qosmapper " + common.name, common.log);
  log::info("options: {}", options.set.given_text());
  if (!orb::begin_state(options.state_dir, "options that operators set at run time")) return 1;

  Impairments impairments(options.impairments, "xbind-qosmapper " + common.name);
  orb::Runtime runtime(argc, argv, common.runtime());
  orb::Dispatch dispatch("xbind-qosmapper " + common.name);
  PortableServer::Servant_var<QosMapperServant> servant;
  config::Reload<Options> reload(
      options, argc, argv,
      [&](const Options& before, const Options& wanted, auto& changes) -> Result<void> {
        apply(before, wanted, *servant.in(), changes);
        return {};
      },
      options.settings_file(), {"catalogue"});
  // It has no state of its own that could raise an alarm; the process has.
  orb::SharedTimers timers;
  orb::Supervision supervision(
      timers, "qosmapper " + common.name, true,
      [](const std::function<void(orb::Supervision::Conditions)>& done) { done({}); });
  const PortableServer::Servant_var<QosOperationsServant> operations =
      new QosOperationsServant(dispatch, supervision, reload);
  const CORBA::Object_var operations_object = runtime.activate(operations.in());
  const v2::QosOperations_var operations_reference =
      v2::QosOperations::_unchecked_narrow(operations_object);
  servant = new QosMapperServant(dispatch, options.catalogue, operations_reference, &impairments);
  const CORBA::Object_var object = runtime.activate(servant.in());
  exporter::Part part = servant->exposed_part();
  part.append = [append = std::move(part.append), &supervision](Metrics& counted) {
    append(counted);
    supervision.append_metrics(counted);
  };
  auto exported = exporter::Exporter::open_or_log(common.metrics, "xbind-qosmapper",
                                                  {std::move(part)}, qos_mapper_metrics());
  if (exported == nullptr) return 1;
  const orb::ReloadOnHangUp on_hang_up(reload);
  const orb::Ending end = orb::serve_until_signal(
      runtime.orb(), "xbind-qosmapper", common,
      {{common.name, {naming::path_of(naming::kQosMappers, common.name), object}}},
      {[&] {
         if (orb::or_end_process(reload.begin())) supervision.start();
       },
       {},
       [&] { exported->serving(); },
       naming::watching(supervision)});
  exported.reset();
  supervision.stop();
  runtime.shutdown();
  return orb::log_ending(end);
}
