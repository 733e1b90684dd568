// Commands that send a request and get an outcome.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/name.hpp"
#include "core/output.hpp"
#include "xbindctl/answers.hpp"
#include "xbindctl/commands.hpp"

namespace xbind::ctl {
namespace {

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

bool refused(const Outcome& outcome) {
  return outcome.kind == OutcomeKind::kRefused || outcome.kind == OutcomeKind::kBusy;
}

// Prints the outcome of a request; `quiet`: of a success the id alone. If no answer came, also
// prints `advice`: how to find out whether the manager has executed the request.
int print(const client::Answer& answer, const std::string& advice, bool quiet = false) {
  if (!answer) {
    const Error& error = answer.error();
    return error.code == ErrorCode::kTimeout ? explain(fmt::format("{}; {}", error.text, advice))
                                             : explain(error);
  }
  if (refused(*answer)) return explain(words_of(*answer));
  say(quiet ? fmt::format("{}", answer->connection) : words_of(*answer));
  // What was done stands, and its id must not be lost with the output.
  if (output_fault()) explain(words_of(*answer));
  return 0;
}

std::string see(ConnectionId connection) {
  return fmt::format("whether it was done is not known: `xbindctl describe {}` shows it",
                     connection);
}

}  // namespace

int connect(const client::TwoWay& manager, const ConnectRequest& request, bool quiet) {
  return print(manager.connect(request),
               fmt::format("whether request {0} was carried out is not known: "
                           "`xbindctl outcome '{1}' {0}` shows it, and the id to release",
                           request.request, kTwoWayClient),
               quiet);
}

int commit(const client::TwoWay& manager, ConnectionId connection) {
  return print(manager.commit(connection), see(connection));
}

int modify(const client::TwoWay& manager, ConnectionId connection, const ServiceSpec& service,
           const std::optional<ServiceSpec>& reverse) {
  return print(manager.modify(connection, service, reverse), see(connection));
}

int add_leaf(const client::TwoWay& manager, ConnectionId connection, const std::string& end) {
  return print(manager.add_leaf(connection, end), see(connection));
}

int drop_leaf(const client::TwoWay& manager, ConnectionId connection, const std::string& end) {
  return print(manager.drop_leaf(connection, end), see(connection));
}

int release(const client::TwoWay& manager, ConnectionId connection) {
  return print(manager.release(connection), see(connection));
}

int clear(const client::TwoWay& manager, ConnectionId connection) {
  return print(manager.clear(connection), see(connection));
}

Result<ReleasedMany> release_each(const client::TwoWay& manager,
                                  const std::optional<std::string>& client,
                                  const ReleaseWatcher& watcher) {
  // Listed first: connections that are set up meanwhile stay.
  std::vector<ConnectionId> connections;
  const auto listed = manager.for_each_connection(client, [&](const v2::ConnectionState& state) {
    if (state.phase != v2::phase_prepared) connections.emplace_back(state.connection);
  });
  if (!listed) return tl::make_unexpected(listed.error());
  ReleasedMany done;
  for (const ConnectionId connection : connections) {
    const client::Answer answer = manager.release(connection);
    if (!answer) {
      // An outcome with an unknown cause concerns this connection only.
      if (answer.error().code != ErrorCode::kProtocol) return tl::make_unexpected(answer.error());
      watcher.left(connection, answer.error().text);
      ++done.left;
    } else if (!refused(*answer)) {
      ++done.released;
      if (answer->owed.removals != 0) watcher.owed(*answer);
    } else if (answer->cause == Cause::kUnknownConnection ||
               answer->cause == Cause::kBeingReleased) {
      ++done.gone;
    } else {
      watcher.left(connection, words_of(*answer));
      ++done.left;
    }
  }
  return done;
}

int release_many(const client::TwoWay& manager, const std::optional<std::string>& client) {
  const auto done = release_each(
      manager, client,
      {.owed = [](const Outcome& released) { say(words_of(released)); },
       .left = [](ConnectionId connection,
                  const std::string& why) { explain(fmt::format("{}: {}", connection, why)); }});
  if (!done) return explain(done.error());
  say(counted(done->released, "connection") + " released" +
      (done->gone == 0 ? "" : fmt::format("; {} had ended meanwhile", done->gone)) +
      (done->left == 0 ? "" : fmt::format("; {} refused", done->left)));
  return done->left == 0 ? 0 : 1;
}

int outcome(const client::TwoWay& manager, const std::string& client, RequestId request) {
  const client::Answer found = manager.outcome_of(client, request);
  if (!found) return explain(found.error());
  say(words_of(*found));
  return 0;
}

}  // namespace xbind::ctl
