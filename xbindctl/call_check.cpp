#include "xbindctl/call_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "orb/convert.hpp"
#include "xbindctl/answers.hpp"
#include "xbindctl/audit.hpp"

namespace xbind::ctl {
namespace {

// One hop of the manager, or one that only a ledger has, which has no labels here.
struct CheckedHop {
  std::string switch_name;
  std::uint16_t leg = 0;
  std::uint16_t number = 0;
  const v2::HopState* known = nullptr;  // by the manager
  std::optional<bool> in_ledger;        // nullopt: not known
  std::optional<bool> in_switch;
  std::vector<const v2::AuditFinding*> findings;
};

struct Verdict {
  const char* word;
  int exit_code;
};

bool same(const v2::LabelValue& a, const v2::LabelValue& b) {
  return a.kind == b.kind && a.value == b.value;
}

// `Entry`: of a ledger, where a hold's hop has no input label, or of a switch. GSMP 1.1 does not
// report outputs.
template <class Entry>
bool is_there(const v2::HopState& hop, const Entry& entry) {
  const bool same_input =
      entry.input_label.kind == v2::label_none || same(hop.input_label, entry.input_label);
  return hop.input_port == entry.input_port && same_input &&
         (entry.output_port == 0 ||
          (hop.output_port == entry.output_port && same(hop.output_label, entry.output_label)));
}

template <class Entries>
bool is_among(const v2::HopState& hop, const Entries& entries) {
  for (CORBA::ULong i = 0; i < entries.length(); ++i) {
    if (is_there(hop, entries[i])) return true;
  }
  return false;
}

const v2::SwitchCheck* check_at(const v2::CallCheck& check, const char* switch_name) {
  for (CORBA::ULong i = 0; i < check.switches.length(); ++i) {
    if (std::string_view(check.switches[i].switch_name.in()) == switch_name) {
      return &check.switches[i];
    }
  }
  return nullptr;
}

bool is_empty(const char* text) { return *text == '\0'; }

std::vector<CheckedHop> hops_of(const v2::CallCheck& check) {
  std::vector<CheckedHop> hops;
  for (CORBA::ULong i = 0; i < check.call.hops.length(); ++i) {
    const v2::HopState& hop = check.call.hops[i];
    CheckedHop& one =
        hops.emplace_back(CheckedHop{hop.switch_name.in(), hop.leg, hop.number, &hop, {}, {}, {}});
    const v2::SwitchCheck* const here = check_at(check, hop.switch_name);
    if (here == nullptr || !is_empty(here->unreachable)) continue;
    one.in_ledger = is_among(hop, here->there.hops);
    if (is_empty(here->there.unreadable)) one.in_switch = is_among(hop, here->there.entries);
  }
  for (CORBA::ULong i = 0; i < check.switches.length(); ++i) {
    const v2::SwitchCheck& here = check.switches[i];
    for (CORBA::ULong j = 0; j < here.findings.length(); ++j) {
      const v2::HopFinding& finding = here.findings[j];
      auto hop = std::ranges::find_if(hops, [&](const CheckedHop& one) {
        return one.switch_name == here.switch_name.in() && one.leg == finding.leg &&
               one.number == finding.number;
      });
      if (hop == hops.end()) {
        hops.push_back({here.switch_name.in(), finding.leg, finding.number, nullptr, true, {}, {}});
        hop = std::prev(hops.end());
      }
      hop->findings.push_back(&finding.what);
    }
  }
  return hops;
}

bool is_unknown(const v2::AuditFinding& finding) {
  return finding.finding == v2::finding_unreadable;
}

Verdict judgement_of(const v2::CallCheck& check) {
  if (check.call.phase == v2::phase_incomplete) return {"INCOMPLETE", kAuditUnknown};
  if (!check.settled) return {"CHANGING", 1};
  bool unknown = false;
  for (CORBA::ULong i = 0; i < check.switches.length(); ++i) {
    for (CORBA::ULong j = 0; j < check.switches[i].findings.length(); ++j) {
      if (!is_unknown(check.switches[i].findings[j].what)) return {"DIFFERS", kAuditWrong};
      unknown = true;
    }
  }
  return unknown ? Verdict{"UNKNOWN", kAuditUnknown} : Verdict{"right", 0};
}

v2::HopFindingSeq findings_of(const v2::CallCheck& check) {
  v2::HopFindingSeq all;
  for (CORBA::ULong i = 0; i < check.switches.length(); ++i) {
    const v2::HopFindingSeq& here = check.switches[i].findings;
    for (CORBA::ULong j = 0; j < here.length(); ++j) {
      all.length(all.length() + 1);
      all[all.length() - 1] = here[j];
    }
  }
  return all;
}

std::string kind_of(const v2::AuditFinding& finding) {
  return finding.finding > v2::finding_unreadable
             ? fmt::format("finding {}", finding.finding)
             : std::string{to_string(static_cast<FindingKind>(finding.finding))};
}

// As cure_for(), of one call.
const char* cure_of(const v2::AuditFinding& finding) {
  if (finding.finding == v2::finding_leaked_bandwidth) {
    return "stays: `xbindctl modify` sets the contract anew";
  }
  return cure_for(static_cast<FindingKind>(finding.finding));
}

std::string words_of(const v2::AuditFinding& finding) {
  return fmt::format("{} at {}: {}", kind_of(finding), finding.element.in(), finding.text.in());
}

const char* word_of(const std::optional<bool>& there) {
  return !there ? "unknown" : *there ? "yes" : "no";
}

std::string words_of(const v2::LabelValue& label) {
  const auto core = orb::to_core(label);
  return core ? to_string(*core) : std::string{"?"};
}

void print(const CheckedHop& hop) {
  std::string line = fmt::format("leg {} hop {:<2} {:<16}", hop.leg, hop.number, hop.switch_name);
  if (hop.known != nullptr) {
    line += fmt::format(" port {} label {:<8} -> port {} label {:<8}", hop.known->input_port,
                        words_of(hop.known->input_label), hop.known->output_port,
                        words_of(hop.known->output_label));
  }
  say(fmt::format("{} manager {}, ledger {}, switch {}", line, hop.known != nullptr ? "yes" : "no",
                  word_of(hop.in_ledger), word_of(hop.in_switch)));
  for (const v2::AuditFinding* const finding : hop.findings) say("  " + words_of(*finding));
}

int print_verdict(const v2::CallCheck& check) {
  const std::vector<CheckedHop> hops = hops_of(check);
  const auto wrong =
      std::ranges::count_if(hops, [](const CheckedHop& hop) { return !hop.findings.empty(); });
  const Verdict verdict = judgement_of(check);
  std::string line = fmt::format("{}: connection {}, {}, {}", verdict.word, check.call.connection,
                                 words_of_phase(check.call.phase), counted(hops.size(), "hop"));
  line += check.settled ? fmt::format(", {} with findings", wrong) : ", not judged";
  if (*check.call.missing.in() != '\0') line += fmt::format("; {}", check.call.missing.in());
  say(line);
  return verdict.exit_code;
}

int print(const v2::CallCheck& check) {
  for (const CheckedHop& hop : hops_of(check)) print(hop);
  return print_verdict(check);
}

Json json_of(const std::optional<bool>& there) { return there ? Json(*there) : Json(nullptr); }

Json json_of(const CheckedHop& hop) {
  Json findings = Json::array();
  for (const v2::AuditFinding* const finding : hop.findings) {
    findings.push_back({{"kind", kind_of(*finding)},
                        {"element", text(finding->element.in())},
                        {"text", text(finding->text.in())},
                        {"amount", finding->amount},
                        {"repair", cure_of(*finding)}});
  }
  const auto port = [&](CORBA::ULong v2::HopState::*member) {
    return hop.known != nullptr ? Json(hop.known->*member) : Json(nullptr);
  };
  const auto label = [&](v2::LabelValue v2::HopState::*member) {
    return hop.known != nullptr ? ctl::json_of(hop.known->*member) : Json(nullptr);
  };
  return {{"switch", text(hop.switch_name)},
          {"leg", hop.leg},
          {"number", hop.number},
          {"input_port", port(&v2::HopState::input_port)},
          {"input_label", label(&v2::HopState::input_label)},
          {"output_port", port(&v2::HopState::output_port)},
          {"output_label", label(&v2::HopState::output_label)},
          {"in_manager", hop.known != nullptr},
          {"in_ledger", json_of(hop.in_ledger)},
          {"in_switch", json_of(hop.in_switch)},
          {"findings", std::move(findings)}};
}

Document document_of(const v2::CallCheck& check) {
  const Verdict verdict = judgement_of(check);
  Json hops = Json::array();
  for (const CheckedHop& hop : hops_of(check)) hops.push_back(json_of(hop));
  return {{{"id", digits(check.call.connection)},
           {"state", words_of_phase(check.call.phase)},
           {"missing", text(check.call.missing.in())},
           {"verdict", verdict.word},
           {"hops", std::move(hops)}},
          verdict.exit_code};
}

}  // namespace

int validate(const client::TwoWay& manager, ConnectionId connection) {
  const auto check = manager.validate(connection);
  if (!check) return explain(check.error());
  return print(check->in());
}

DocumentOrFailure validate_document(const client::TwoWay& manager, ConnectionId connection) {
  const auto check = manager.validate(connection);
  if (!check) return failed(check.error(), peer_of(manager));
  return document_of(check->in());
}

int sync(const client::TwoWay& manager, ConnectionId connection, bool dry_run) {
  const auto before = manager.validate(connection);
  if (!before) return explain(before.error());
  const v2::HopFindingSeq findings = findings_of(before->in());
  for (CORBA::ULong i = 0; i < findings.length(); ++i) {
    say(fmt::format("{}\n  -> {}", words_of(findings[i].what), cure_of(findings[i].what)));
  }
  if (dry_run || findings.length() == 0) return print_verdict(before->in());
  say("");
  const auto after = manager.sync(connection, findings);
  if (!after) return explain(after.error());
  return print(after->in());
}

DocumentOrFailure sync_document(const client::TwoWay& manager, ConnectionId connection,
                                bool dry_run) {
  const auto before = manager.validate(connection);
  if (!before) return failed(before.error(), peer_of(manager));
  const v2::HopFindingSeq findings = findings_of(before->in());
  Document shown = document_of(before->in());
  if (dry_run || findings.length() == 0) {
    return Document{{{"before", std::move(shown.body)}, {"after", nullptr}}, shown.exit_code};
  }
  const auto after = manager.sync(connection, findings);
  if (!after) return failed(after.error(), peer_of(manager));
  Document result = document_of(after->in());
  return Document{{{"before", std::move(shown.body)}, {"after", std::move(result.body)}},
                  result.exit_code};
}

}  // namespace xbind::ctl
