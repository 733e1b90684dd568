// Which document belongs to which command.
#include <optional>
#include <string>

#include "core/check.hpp"
#include "naming/names.hpp"
#include "xbindctl/asking.hpp"
#include "xbindctl/call_check.hpp"
#include "xbindctl/call_views.hpp"
#include "xbindctl/documents.hpp"
#include "xbindctl/questions.hpp"
#include "xbindctl/trace.hpp"

namespace xbind::ctl {
namespace {

// Commands that no manager answers; nullopt: it is another command.
std::optional<DocumentOrFailure> document_of_network(const CommandLine& line,
                                                     const config::OptionSet& set,
                                                     orb::NameClient& names,
                                                     const Surroundings& surroundings) {
  const Pause& pause = surroundings.pause;
  const std::string& verb = line.verb();
  const std::vector<std::string>& words = line.words;
  if (verb == "forget-manager") {
    return forget_manager_document(names, words[1], words[2], line.release, pause);
  }
  if (verb == "managers") return managers_document(names, words[1]);
  if (verb == "log-level") {
    return log_level_document(names, words, names_of(line));
  }
  if (verb == "trace") return trace_document(names, trace_of(line));
  if (concerns_options(verb)) return reload_document(names, words, names_of(line));
  if (verb == "alarms") return alarms_document(names, alarms_of(line));
  if (verb == "acknowledge") {
    return acknowledge_document(names, words[1], who_of(line), line.view.supervision.note,
                                line.view.supervision.undo);
  }
  if (verb == "ports") return ports_document(names, words[1]);
  if (verb == "count")
    return count_document(names, words[1], element_of(line).output_port, line.label);
  if (verb == "explain" && words.size() == 3) {
    return explain_request_document(names, question_of(line));
  }
  if (verb == "explain" && line.id == 0) return explain_cause_document(words[1]);
  if (verb == "fit") return fit_document(names, question_of(line));
  if (verb == "services") {
    const auto mapper = resolved(names, PeerKind::kQosMapper,
                                 naming::path_of(naming::kQosMappers, line.qos_mapper));
    if (!mapper) return tl::make_unexpected(mapper.error());
    const v2::QOSMapper_var found = v2::QOSMapper::_unchecked_narrow(*mapper);
    return services_document(found);
  }
  if (verb != "routes" && verb != "links" && verb != "drain" && verb != "undrain" &&
      verb != "network" && verb != "renew-epoch") {
    return std::nullopt;
  }
  const auto route_object = route_object_of(names, line);
  if (!route_object) return tl::make_unexpected(route_object.error());
  if (verb == "renew-epoch") return renew_epoch_document(names, *route_object, words[1]);
  if (verb == "routes") return routes_document(*route_object, wish_of(line, set));
  if (verb == "links") return links_document(*route_object);
  if (verb == "network") {
    if (words[1] == "show") return network_show_document(*route_object);
    const auto wish = network_wish_of(line);
    if (!wish) return tl::make_unexpected(wish.error());
    return network_change_document(names, *route_object, *wish, surroundings.network_pause);
  }
  return drain_document(*route_object, element_of(line), verb == "drain");
}

// Commands with one outcome; nullopt: it is another command.
std::optional<DocumentOrFailure> document_of_request(const CommandLine& line,
                                                     const client::TwoWay& manager,
                                                     const Surroundings& surroundings) {
  const std::string& verb = line.verb();
  const std::vector<std::string>& words = line.words;
  const ConnectionId connection{line.id};
  if (verb == "connect") {
    const ConnectRequest request = request_of(line, surroundings.new_request());
    return outcome_document(manager, manager.connect(request), request.request);
  }
  if (verb == "commit") return outcome_document(manager, manager.commit(connection));
  if (verb == "modify") {
    return outcome_document(manager, manager.modify(connection, line.service, line.reverse()));
  }
  if (verb == "add-leaf") return outcome_document(manager, manager.add_leaf(connection, words[2]));
  if (verb == "drop-leaf")
    return outcome_document(manager, manager.drop_leaf(connection, words[2]));
  if (verb == "clear") return outcome_document(manager, manager.clear(connection));
  if (verb == "outcome") return stored_outcome_document(manager, words[1], RequestId{line.id});
  if (verb == "release" && words.size() > 1) {
    return outcome_document(manager, manager.release(connection));
  }
  if (verb == "release") return release_many_document(manager, client_of(line));
  return std::nullopt;
}

}  // namespace

DocumentOrFailure document_of(const CommandLine& line, const config::OptionSet& set,
                              orb::NameClient& names, const Surroundings& surroundings) {
  if (auto answer = document_of_network(line, set, names, surroundings)) return *std::move(answer);
  const std::string& verb = line.verb();
  const std::vector<std::string>& words = line.words;
  const ConnectionId connection{line.id};
  const auto found = manager_of(names, line);
  if (verb == "clear" && !(found && found->status().has_value())) {
    return clear_hops_document(names, line.manager, connection, surroundings.pause);
  }
  if (!found) return tl::make_unexpected(found.error());
  const client::TwoWay& manager = *found;
  if (auto answer = document_of_request(line, manager, surroundings)) return *std::move(answer);
  if (verb == "describe") return describe_document(manager, connection);
  if (verb == "ping")
    return ping_document(manager, connection, ping_of(names, line, surroundings.new_session()));
  if (verb == "list") return list_document(manager, client_of(line));
  if (verb == "calls") {
    const auto plan = plan_of(names, line);
    return plan ? calls_document(manager, *plan)
                : DocumentOrFailure(tl::make_unexpected(plan.error()));
  }
  if (verb == "call") return call_document(manager, connection);
  if (verb == "validate") return validate_document(manager, connection);
  if (verb == "sync") return sync_document(manager, connection, line.dry_run);
  if (verb == "explain") {
    return explain_call_document(manager, connection, recorded_of(names, line));
  }
  if (verb == "what-if") {
    const auto route_object = route_object_of(names, line);
    if (!route_object) return tl::make_unexpected(route_object.error());
    return what_if_document(manager, *route_object, element_of(line));
  }
  if (verb == "status") return status_document(manager);
  if (verb == "audit") return audit_document(manager, plan_reader(names, line));
  if (verb == "repair") {
    return repair_document(manager, plan_reader(names, line), line.dry_run);
  }
  if (verb == "clients") return clients_document(manager);
  if (verb == "caches") return caches_document(manager);
  if (verb == "aggregation") return aggregation_document(manager, change_of(line, set));
  XB_CHECK(verb == "prepare", verb);
  return prepare_document(manager, words[1], words[2], line.service, line.count);
}

}  // namespace xbind::ctl
