// How the agent answers one type of message: a row of the table in handlers.hpp.
//
// A message file defines a struct for each message struct M that it answers,
//
//   struct DeleteTreeHandler : ConcludesWithCode {
//     using Message = gsmp::DeleteTree;
//     static void serve(Request& request, Message& message);
//     // Only if the answer is more than a copy of the request with the table's code:
//     static void finish(Request& request, Message& message, TableOutcome& outcome);
//   };
//
// and a row for each message type: handler_of<DeleteTreeHandler>(MessageType::kDeleteTree).
//
// serve() has the rules: it answers at once, or asks the table. finish() answers when the table has
// completed the request, which may be later. The two share nothing but the message: a late finish()
// gets it decoded again.
#pragma once

#include <variant>

#include "core/check.hpp"
#include "gsmp/codec.hpp"
#include "switchagent/messages/request.hpp"

namespace xbind::switchagent {

struct Handler {
  gsmp::MessageType type{};
  void (*serve)(Request&) = nullptr;
  // Called once the table has completed the request; null: the table is never asked.
  void (*finish)(Request&, TableOutcome&) = nullptr;
  // Whether the table supports the message; null: every table does.
  bool (*supported)(SwitchTable&) = nullptr;
};

// For messages that are answered with a copy of the request, or its failure.
struct ConcludesWithCode {
  template <class M>
  static void finish(Request& request, const M&, TableOutcome& outcome) {
    request.conclude(outcome.code());
  }
};

template <class H>
void decode_and_serve(Request& request) {
  auto message = gsmp::decode_body(request.decoded);
  if (!message) return request.fail_undecodable();
  auto* const body = std::get_if<typename H::Message>(&*message);
  if (body == nullptr) return request.fail(gsmp::FailureCode::kNotImplemented);
  H::serve(request, *body);
}

template <class H>
void decode_and_finish(Request& request, TableOutcome& outcome) {
  // It was decoded on arrival, so it must succeed again.
  auto message = gsmp::decode_body(request.decoded);
  XB_CHECK(message.has_value(), request.octets.size());
  auto* const body = std::get_if<typename H::Message>(&*message);
  XB_CHECK(body != nullptr, static_cast<unsigned>(request.header().type));
  H::finish(request, *body, outcome);
}

// A row for a message type whose request has the layout H::Message.
template <class H>
constexpr Handler handler_of(gsmp::MessageType type, bool (*supported)(SwitchTable&) = nullptr) {
  Handler row{type, decode_and_serve<H>, nullptr, supported};
  if constexpr (requires(Request & request, typename H::Message & message, TableOutcome & outcome) {
                  H::finish(request, message, outcome);
                }) {
    row.finish = decode_and_finish<H>;
  }
  return row;
}

}  // namespace xbind::switchagent
