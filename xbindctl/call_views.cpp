// `calls` and `call`: many calls chosen and ordered, and one call with all that is known of it.
#include "xbindctl/call_views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/traffic_contract.hpp"
#include "naming/names.hpp"
#include "orb/convert.hpp"
#include "xbindctl/answers.hpp"
#include "xbindctl/commands.hpp"

namespace xbind::ctl {
namespace {

OrFailure<CallPage::Result> page_of(const client::TwoWay& manager, const CallPage::Plan& plan) {
  CallPage page(plan);
  const auto listed =
      manager.for_each_connection({}, [&](const v2::ConnectionState& state) { page.add(state); });
  if (!listed) return failed(listed.error(), peer_of(manager));
  CallPage::Result result = page.take();
  if (result.after_unknown) {
    return failed(ErrorCode::kNotFound,
                  fmt::format("after: call {} is not among the chosen calls any more", plan.after),
                  "begin again without --after, or use --sort id, where a call that has ended "
                  "keeps its place");
  }
  return result;
}

Json json_of(const CallRow& row) {
  return {{"id", digits(row.id)},
          {"state", words_of_phase(row.phase)},
          {"client", text(row.client)},
          {"from", text(row.from)},
          {"to", text(row.to)},
          {"cells_per_s", row.cells_per_s},
          {"reverse_cells_per_s", row.reverse_cells_per_s},
          {"hops", row.hops},
          {"leaves", row.leaves},
          {"condition", condition_word(row.condition)}};
}

Row row_of(const CallRow& call) {
  return {fmt::format("{}", call.id),
          words_of_phase(call.phase),
          call.from,
          call.to.empty() ? "-" : call.to,
          call.client,
          condition_word(call.condition),
          call.reverse_cells_per_s == 0
              ? fmt::format("{}", call.cells_per_s)
              : fmt::format("{} + {}", call.cells_per_s, call.reverse_cells_per_s),
          fmt::format("{}", call.hops),
          fmt::format("{}", call.leaves)};
}

const char* stage_word(v2::HopStage stage) {
  switch (stage) {
    case v2::stage_reserved: return "reserved";
    case v2::stage_committing: return "committing";
    case v2::stage_committed: return "committed";
    case v2::stage_removing: return "removing";
    default: return "unknown";
  }
}

Json json_of(const TrafficContract& contract) {
  return {{"category", std::string{to_string(contract.category)}},
          {"pcr_cells_per_s", contract.pcr_cells_per_s},
          {"cdvt_us", contract.cdvt_us},
          {"guaranteed_cells_per_s", contract.guaranteed_cells_per_s},
          {"mbs_cells", contract.mbs_cells},
          {"mfs_cells", contract.mfs_cells}};
}

Json json_of(const v2::LedgerHop& hop) {
  return {{"leg", hop.name.leg},
          {"number", hop.name.hop},
          {"generation", hop.name.generation},
          {"stage", stage_word(hop.stage)},
          {"settled", static_cast<bool>(hop.settled)},
          {"held", static_cast<bool>(hop.held)},
          {"hold_left_ms", hop.held ? Json(hop.hold_left_ms) : Json(nullptr)},
          {"superseded", static_cast<bool>(hop.superseded)},
          {"revision", hop.revision},
          {"input_port", hop.input_port},
          {"input_label", ctl::json_of(hop.input_label)},
          {"output_port", hop.output_port},
          {"output_label", ctl::json_of(hop.output_label)},
          {"takes", ctl::json_of(hop.service.resources)},
          {"contract", json_of(orb::to_core(hop.service.contract))}};
}

std::string words_of(const TrafficContract& contract) {
  std::string words{to_string(contract.category)};
  const auto add = [&](const char* name, std::uint32_t value, const char* unit) {
    if (value != 0) words += fmt::format(", {} {} {}", name, value, unit);
  };
  add("PCR", contract.pcr_cells_per_s, "cells/s");
  add("CDVT", contract.cdvt_us, "us");
  add("SCR or MCR", contract.guaranteed_cells_per_s, "cells/s");
  add("MBS", contract.mbs_cells, "cells");
  add("MFS", contract.mfs_cells, "cells");
  return words;
}

std::string words_of(const v2::LedgerHop& hop) {
  const auto label = [](const v2::LabelValue& wire) {
    const auto core = orb::to_core(wire);
    return core ? to_string(*core) : std::string{"?"};
  };
  std::string words = fmt::format(
      "leg {} hop {}: {}, port {} label {} -> port {} label {}, {} cells/s, "
      "generation {}",
      hop.name.leg, hop.name.hop, stage_word(hop.stage), hop.input_port, label(hop.input_label),
      hop.output_port, label(hop.output_label), hop.service.resources.cells_per_s,
      hop.name.generation);
  if (hop.revision != 0) words += fmt::format(", contract revision {}", hop.revision);
  if (hop.held) {
    const std::uint64_t left_ms = hop.hold_left_ms;  // wide: rounding up must not overflow
    words += fmt::format(", held for another {} s", (left_ms + 999) / 1000);
  }
  if (hop.superseded) words += ", superseded: no cells pass";
  if (hop.stage == v2::stage_committed && !hop.settled) words += ", a change is under way";
  return words;
}

// The contract of the caller's direction, as the first ledger that has it says.
std::optional<TrafficContract> contract_of(const std::vector<LedgerOfCall>& ledgers) {
  for (const LedgerOfCall& ledger : ledgers) {
    for (const v2::LedgerHop& hop : ledger.hops) {
      if (hop.name.leg == 0) return orb::to_core(hop.service.contract);
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<LedgerOfCall> ledgers_of(const v2::CallCheck& check) {
  std::vector<LedgerOfCall> ledgers;
  for (CORBA::ULong i = 0; i < check.switches.length(); ++i) {
    const v2::SwitchCheck& from = check.switches[i];
    LedgerOfCall& to = ledgers.emplace_back(LedgerOfCall{from.switch_name.in(), {}, {}});
    if (*from.unreachable.in() != '\0') {
      const Error error{ErrorCode::kUnreachable, from.unreachable.in()};
      to.failure = failure_of(
          error,
          {PeerKind::kSwitchServer, naming::path_of(naming::kSwitchServers, to.switch_name), {}});
      continue;
    }
    for (CORBA::ULong j = 0; j < from.there.hops.length(); ++j) {
      to.hops.push_back(from.there.hops[j]);
    }
  }
  return ledgers;
}

int calls(const client::TwoWay& manager, const CallPage::Plan& plan, bool ids) {
  const auto page = page_of(manager, plan);
  if (!page) return explain(page.error());
  if (ids) {
    for (const CallRow& row : page->rows) say(fmt::format("{}", row.id));
    return 0;
  }
  std::vector<Row> rows{
      {"connection", "phase", "from", "to", "client", "path", "cells/s", "hops", "leaves"}};
  for (const CallRow& row : page->rows) rows.push_back(row_of(row));
  print_table(6, std::move(rows));
  say(page->more ? fmt::format("{} of {}; the next page: --after {}", page->rows.size(),
                               counted(page->passed, "call"), page->rows.back().id)
                 : fmt::format("{} of {}", page->rows.size(), counted(page->passed, "call")));
  return 0;
}

Document document_of(const CallPage::Result& page) {
  Json rows = Json::array();
  for (const CallRow& row : page.rows) rows.push_back(json_of(row));
  const Json after = page.more ? digits(page.rows.back().id) : Json(nullptr);
  return Document{{{"calls", std::move(rows)}, {"chosen", page.passed}, {"next_after", after}}};
}

DocumentOrFailure calls_document(const client::TwoWay& manager, const CallPage::Plan& plan) {
  const auto page = page_of(manager, plan);
  if (!page) return tl::make_unexpected(page.error());
  return document_of(*page);
}

int call(const client::TwoWay& manager, ConnectionId connection) {
  const auto check = manager.validate(connection);
  if (!check) return explain(check.error());
  print_state(check->in().call);
  const std::vector<LedgerOfCall> ledgers = ledgers_of(check->in());
  if (const auto contract = contract_of(ledgers)) {
    say("contract    " + words_of(*contract));
  }
  int exit_code = 0;
  for (const LedgerOfCall& ledger : ledgers) {
    say(fmt::format("ledger of {}", ledger.switch_name));
    if (ledger.failure) {
      exit_code = explain(*ledger.failure);
      continue;
    }
    if (ledger.hops.empty()) say("  has no hop of this call: `xbindctl validate` shows more");
    for (const v2::LedgerHop& hop : ledger.hops) say("  " + words_of(hop));
  }
  return exit_code;
}

DocumentOrFailure call_document(const client::TwoWay& manager, ConnectionId connection) {
  const auto check = manager.validate(connection);
  if (!check) return failed(check.error(), peer_of(manager));
  const std::vector<LedgerOfCall> ledgers = ledgers_of(check->in());
  Json body{{"call", ctl::json_of(check->in().call)}};
  const auto contract = contract_of(ledgers);
  body["contract"] = contract ? json_of(*contract) : Json(nullptr);
  Json all = Json::array();
  bool complete = true;
  for (const LedgerOfCall& ledger : ledgers) {
    Json hops = Json::array();
    for (const v2::LedgerHop& hop : ledger.hops) hops.push_back(json_of(hop));
    Json one{{"switch", text(ledger.switch_name)}, {"hops", std::move(hops)}};
    if (ledger.failure) one["error"] = ctl::json_of(*ledger.failure)["error"];
    complete = complete && !ledger.failure;
    all.push_back(std::move(one));
  }
  body["ledgers"] = std::move(all);
  return Document{std::move(body), complete ? 0 : 1};
}

}  // namespace xbind::ctl
