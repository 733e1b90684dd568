// The answers of commands with --json: one JSON document each, or a failure. The form is stable:
// docs/schemas/xbindctl has a schema for each command. Ids, request numbers, epochs and sessions
// are texts of digits, because readers of JSON round whole numbers above 2^53; all other numbers
// are numbers, in the unit that their name ends with.
//
// Only the sources that make documents include this header (nlohmann-json compiles slowly).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "connection_manager.hh"
#include "core/call.hpp"
#include "core/label.hpp"
#include "xbindctl/failure.hpp"

namespace xbind::ctl {

// Members stay in the order in which they are added.
using Json = nlohmann::ordered_json;

struct Document {
  Json body;
  int exit_code = 0;  // as without --json
};

using DocumentOrFailure = OrFailure<Document>;

// Texts of a peer, so that a document is valid UTF-8 and harmless on a terminal.
Json text(std::string_view of_peer);
// "29849": an id, epoch or session.
Json digits(std::uint64_t value);
Json json_of(Label label);                       // "0/32"; null: none
Json json_of(const v2::LabelValue& label);       // "?" for a kind that this version does not know
Json json_of(const v2::Demand& demand);          // {"cells_per_s", "buffer_cells"}
Json json_of(const Debt& owed);                  // {"removals", "element"}
Json json_of(const v2::ConnectionState& state);  // with its hops
Json json_row_of(const v2::ConnectionState& state);  // one line of a list
Json json_of(const Failure& failure);                // {"error": {...}}

// Prints one line, or with indentation; flushes standard output.
void print_document(const Json& document, bool indented);
// Prints the document or {"error": ...} on standard output; returns the exit code.
int print_document(const DocumentOrFailure& answer, bool indented);

}  // namespace xbind::ctl
