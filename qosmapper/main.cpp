// xbind-qosmapper: maps services between the user's terms and the network's.
#include <functional>
#include <utility>

#include "core/impairments/impairments.hpp"
#include "exporter/exporter.hpp"
#include "naming/names.hpp"
#include "orb/daemon.hpp"
#include "orb/dispatch.hpp"
#include "orb/process.hpp"
#include "orb/shared_timers.hpp"
#include "orb/supervision.hpp"
#include "qosmapper/servant.hpp"

int main(int argc, char** argv) {
  using namespace xbind;
  orb::take_signals();  // first: from here on SIGTERM ends the process in order
  orb::CommonOptions common;
  std::string catalogue_file;
  std::shared_ptr<const Catalogue> catalogue;
  config::OptionSet set("xbind-qosmapper", "Maps frame rate and size to cells a second, and back.");
  for (MetricTable& table : qos_mapper_metrics()) set.add_metrics(std::move(table));
  orb::add_daemon_options(set, common, "default");
  exporter::add_option(set, common.metrics);
  set.add_string("catalogue", &catalogue_file, "",
                 "File of named services; empty: the catalogue shipped with the program.");
  set.add_check([&]() -> std::optional<std::string> {
    const auto read = catalogue_of_option(catalogue_file);
    if (!read) return "catalogue: " + read.error().text;
    catalogue = *read;
    return std::nullopt;
  });
  ImpairmentOptions impairment_options;
  declare_pace(set, impairment_options);
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  log::start("xbind-qosmapper " + common.name, common.log);
  log::info("options: {}", set.given_text());

  Impairments impairments(impairment_options, "xbind-qosmapper " + common.name);
  orb::Runtime runtime(argc, argv, common.runtime());
  orb::Dispatch dispatch("xbind-qosmapper " + common.name);
  // It has no state of its own that could raise an alarm; the process has.
  orb::SharedTimers timers;
  orb::Supervision supervision(
      timers, "qosmapper " + common.name, true,
      [](const std::function<void(orb::Supervision::Conditions)>& done) { done({}); });
  const PortableServer::Servant_var<QosOperationsServant> operations =
      new QosOperationsServant(dispatch, supervision);
  const CORBA::Object_var operations_object = runtime.activate(operations.in());
  const v2::QosOperations_var operations_reference =
      v2::QosOperations::_unchecked_narrow(operations_object);
  const PortableServer::Servant_var<QosMapperServant> servant =
      new QosMapperServant(dispatch, catalogue, operations_reference, &impairments);
  const CORBA::Object_var object = runtime.activate(servant.in());
  exporter::Part part = servant->exposed_part();
  part.append = [append = std::move(part.append), &supervision](Metrics& counted) {
    append(counted);
    supervision.append_metrics(counted);
  };
  auto exported = exporter::Exporter::open_or_log(common.metrics, "xbind-qosmapper",
                                                  {std::move(part)}, qos_mapper_metrics());
  if (exported == nullptr) return 1;
  const orb::Ending end = orb::serve_until_signal(
      runtime.orb(), "xbind-qosmapper", common,
      {{common.name, {naming::path_of(naming::kQosMappers, common.name), object}}},
      {[&] { supervision.start(); }, {}, [&] { exported->serving(); }});
  exported.reset();
  supervision.stop();
  runtime.shutdown();
  return orb::log_ending(end);
}
