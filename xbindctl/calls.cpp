// Commands that ask for something and get an outcome.
#include <cstdio>
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

int tell(const Result<Outcome>& outcome) {
  if (!outcome) return explain(outcome.error().text);
  say(words_of(*outcome));
  return 0;
}

Outcome done(std::uint64_t connection, OutcomeKind kind) {
  Outcome outcome;
  outcome.connection = ConnectionId{connection};
  outcome.kind = kind;
  return outcome;
}

Outcome done(std::uint64_t connection, OutcomeKind kind, const v2::Debt& owed) {
  Outcome outcome = done(connection, kind);
  outcome.owed = orb::to_core(owed);
  return outcome;
}

int tell_refusal(const v2::Refusal& why) {
  const auto outcome = orb::to_core(why);
  return explain(outcome ? words_of(*outcome) : outcome.error().text);
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
      return tell(ask());
    } catch (const v2::Refused& refused) {
      return tell_refusal(refused.why);
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
               [&] {
                 const v2::NewConnection_var made = manager->connect_as(wire);
                 return orb::to_core(made.in());
               });
}

int commit(v2::ConnectionManager_ptr manager, std::uint64_t connection) {
  return asked(manager, see(connection), [&] {
    const v2::NewConnection_var made = manager->commit(connection);
    return orb::to_core(made.in());
  });
}

int modify(v2::ConnectionManager_ptr manager, std::uint64_t connection, const ServiceSpec& service,
           const std::optional<ServiceSpec>& reverse) {
  v2::OptionalServiceSpec back;
  orb::to_idl(reverse, back);
  return asked(manager, see(connection), [&] {
    manager->modify(connection, orb::to_idl(service), back);
    return done(connection, OutcomeKind::kModified);
  });
}

int add_leaf(v2::ConnectionManager_ptr manager, std::uint64_t connection, const std::string& end) {
  return asked(manager, see(connection), [&]() -> Result<Outcome> {
    const auto egress = orb::to_core(manager->add_leaf(connection, end.c_str()));
    if (!egress) return tl::make_unexpected(egress.error());
    Outcome outcome = done(connection, OutcomeKind::kLeafAdded);
    outcome.egress = *egress;
    return outcome;
  });
}

int drop_leaf(v2::ConnectionManager_ptr manager, std::uint64_t connection, const std::string& end) {
  return asked(manager, see(connection), [&] {
    const v2::Debt_var owed = manager->drop_leaf(connection, end.c_str());
    return done(connection, OutcomeKind::kLeafDropped, owed.in());
  });
}

int release(v2::ConnectionManager_ptr manager, std::uint64_t connection) {
  return asked(manager, see(connection), [&] {
    const v2::Debt_var owed = manager->release(connection);
    return done(connection, OutcomeKind::kReleased, owed.in());
  });
}

int release_many(v2::ConnectionManager_ptr manager, const std::optional<std::string>& client) {
  return guarded(kManager, manager, [&] {
    // Looked up first: those that are set up meanwhile stay.
    std::vector<std::uint64_t> connections;
    for_each_connection(manager, client, [&](const v2::ConnectionState& state) {
      if (state.phase != v2::phase_prepared) connections.push_back(state.connection);
    });
    std::size_t released = 0;
    std::size_t gone = 0;
    for (const std::uint64_t connection : connections) {
      try {
        const v2::Debt_var owed = manager->release(connection);
        ++released;
        if (owed->removals != 0) say(words_of(done(connection, OutcomeKind::kReleased, owed.in())));
      } catch (const v2::Refused& refused) {
        const bool went = refused.why.cause == v2::cause_unknown_connection ||
                          refused.why.cause == v2::cause_being_released;
        if (went) {
          ++gone;
          continue;
        }
        const auto outcome = orb::to_core(refused.why);
        explain(
            fmt::format("{}: {}", connection, outcome ? words_of(*outcome) : outcome.error().text));
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
    try {
      const v2::Outcome_var found = manager->outcome_of(client.c_str(), request);
      return tell(orb::to_core(found.in()));
    } catch (const v2::UnknownRequest&) {
      return explain(
          fmt::format("no outcome of request {} of client '{}' is remembered: it is under way, has "
                      "been forgotten, or never came to the manager",
                      request, client));
    }
  });
}

}  // namespace xbind::ctl
