// Commands that ask for something and get an outcome.
#include <cstdio>
#include <string_view>
#include <vector>

#include "core/name.hpp"
#include "orb/convert.hpp"
#include "orb/remote_error.hpp"
#include "xbindctl/answers.hpp"
#include "xbindctl/commands.hpp"

namespace xbind::ctl {
namespace {

constexpr const char* kManager = "the manager";

// "29849… connected, ingress label 0/32, egress label 0/32".
std::string words_of(const Outcome& outcome) {
  std::string text = fmt::format("{} {}", outcome.connection, to_string(outcome.kind));
  switch (outcome.kind) {
    case OutcomeKind::kConnected:
      text += fmt::format(", ingress label {}, egress label {}", to_string(outcome.ingress),
                          to_string(outcome.egress));
      if (outcome.reverse_ingress.present() || outcome.reverse_egress.present()) {
        text += fmt::format("; reverse ingress label {}, egress label {}",
                            to_string(outcome.reverse_ingress), to_string(outcome.reverse_egress));
      }
      return text;
    case OutcomeKind::kLeafAdded:
      return text + fmt::format(", egress label {}", to_string(outcome.egress));
    case OutcomeKind::kRefused: return "refused: " + xbind::explain(outcome);
    case OutcomeKind::kBusy: return "busy: " + xbind::explain(outcome);
    case OutcomeKind::kReleased:
    case OutcomeKind::kLeafDropped:
      return fmt::format("{} {}", outcome.connection, xbind::explain(outcome));
    case OutcomeKind::kHeld:
    case OutcomeKind::kModified: return text;
  }
  return text;
}

int tell(const v2::Outcome& answer) {
  const auto outcome = orb::to_core(answer);
  if (!outcome) return explain(outcome.error().text);
  const bool done = outcome->kind != OutcomeKind::kRefused && outcome->kind != OutcomeKind::kBusy;
  if (!done) return explain(words_of(*outcome));
  say(words_of(*outcome));
  return 0;
}

// Asks and tells the outcome. `unknown`: what to do when there was no answer, for then the manager
// may have done it all the same.
template <class Ask>
int asked(v2::ConnectionManager_ptr manager, const std::string& unknown, Ask ask) {
  const auto no_answer = [&](const CORBA::SystemException& exception) {
    const Error error = orb::to_error(exception, orb::with_address(kManager, manager));
    return explain(fmt::format("{}; {}", error.text, unknown));
  };
  return guarded(kManager, manager, [&] {
    try {
      const v2::Outcome_var outcome = ask();
      return tell(outcome.in());
    } catch (const CORBA::TIMEOUT& exception) {
      return no_answer(exception);
    } catch (const CORBA::COMM_FAILURE& exception) {
      return no_answer(exception);
    }
  });
}

std::string see(std::uint64_t connection) {
  return fmt::format("whether it was done is not known: `xbindctl describe {}` tells", connection);
}

}  // namespace

int connect(v2::ConnectionManager_ptr manager, const ConnectRequest& request) {
  v2::ConnectRequest wire;
  orb::to_idl(request, wire);
  return asked(manager,
               fmt::format("whether request {0} was carried out is not known: "
                           "`xbindctl outcome '{1}' {0}` tells, and the id to release",
                           request.request, kTwoWayClient),
               [&] { return manager->connect_as(wire); });
}

int commit(v2::ConnectionManager_ptr manager, std::uint64_t connection) {
  return asked(manager, see(connection), [&] { return manager->commit(connection); });
}

int modify(v2::ConnectionManager_ptr manager, std::uint64_t connection, const ServiceSpec& service,
           const std::optional<ServiceSpec>& reverse) {
  v2::OptionalServiceSpec back;
  orb::to_idl(reverse, back);
  return asked(manager, see(connection),
               [&] { return manager->modify(connection, orb::to_idl(service), back); });
}

int add_leaf(v2::ConnectionManager_ptr manager, std::uint64_t connection, const std::string& end) {
  return asked(manager, see(connection),
               [&] { return manager->add_leaf(connection, end.c_str()); });
}

int drop_leaf(v2::ConnectionManager_ptr manager, std::uint64_t connection, const std::string& end) {
  return asked(manager, see(connection),
               [&] { return manager->drop_leaf(connection, end.c_str()); });
}

int release(v2::ConnectionManager_ptr manager, std::uint64_t connection) {
  return asked(manager, see(connection), [&] { return manager->release(connection); });
}

int release_many(v2::ConnectionManager_ptr manager, const std::optional<std::string>& client) {
  return guarded(kManager, manager, [&] {
    // Looked up first: those that are set up meanwhile stay.
    std::vector<std::uint64_t> connections;
    for_each_connection(manager, client, [&](const v2::ConnectionState& state) {
      if (std::string_view{state.phase.in()} != "prepared") connections.push_back(state.connection);
    });
    std::size_t released = 0;
    std::size_t gone = 0;
    for (const std::uint64_t connection : connections) {
      const v2::Outcome_var answer = manager->release(connection);
      const auto outcome = orb::to_core(answer.in());
      if (!outcome) return explain(outcome.error().text);
      const bool went =
          outcome->cause == Cause::kUnknownConnection || outcome->cause == Cause::kBeingReleased;
      if (outcome->kind == OutcomeKind::kReleased) {
        ++released;
        if (outcome->asked != 0) say(words_of(*outcome));
      } else if (went) {
        ++gone;
      } else {
        explain(fmt::format("{}: {}", connection, words_of(*outcome)));
      }
    }
    const std::size_t left = connections.size() - released - gone;
    say(counted(released, "connection") + " released" +
        (gone == 0 ? "" : fmt::format("; {} had ended meanwhile", gone)) +
        (left == 0 ? "" : fmt::format("; {} refused", left)));
    return left == 0 ? 0 : 1;
  });
}

int outcome(v2::ConnectionManager_ptr manager, const std::string& client, std::uint64_t request) {
  return guarded(kManager, manager, [&] {
    const v2::OutcomeSeq_var found = manager->outcome_of(client.c_str(), request);
    if (found->length() == 0) {
      return explain(
          fmt::format("no outcome of request {} of client '{}' is remembered: it is under way, has "
                      "been forgotten, or never came to the manager",
                      request, client));
    }
    const auto remembered = orb::to_core(found.in()[0]);
    if (!remembered) return explain(remembered.error().text);
    say(words_of(*remembered));
    return 0;
  });
}

}  // namespace xbind::ctl
