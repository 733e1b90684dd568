#include "switchserver/controller/call_looks.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "switchserver/controller/hop_listing.hpp"
#include "switchserver/controller/parts.hpp"

namespace xbind::controller {
namespace {

constexpr std::uint16_t kHopsPerLeg = 256;  // numbers of hops (idl/switch_server.idl, HopSetup)

driver::Input entered_at(const CrossConnect& at) { return {at.input_port, at.input_label}; }

template <class T>
void sort_unique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

// The legs find hops at places that the manager does not have, the inputs those of further legs.
std::vector<HopRef> hops_of(const Ledger& ledger, ManagerIndex manager,
                            const CallQuestion& question) {
  std::vector<HopRef> found;
  std::vector<std::uint16_t> legs{0, 1};
  legs.insert(legs.end(), question.legs.begin(), question.legs.end());
  sort_unique(legs);
  for (const std::uint16_t leg : legs) {
    for (std::uint16_t hop = 0; hop < kHopsPerLeg; ++hop) {
      ledger.hops().find_all(manager, {question.connection, {}, leg, hop}, found);
    }
  }
  for (const CrossConnect& at : question.inputs) {
    ledger.users().for_each_on_input(
        at.input_port, at.input_label, [&](HopRef ref, const HopRecord& record) {
          const bool own =
              record.manager == manager && record.key.connection == question.connection;
          if (own) found.push_back(ref);
        });
  }
  sort_unique(found);
  std::sort(found.begin(), found.end(), [&](HopRef a, HopRef b) {
    const HopKey& one = ledger.hops().hop(a).key;
    const HopKey& other = ledger.hops().hop(b).key;
    return std::tie(one.leg, one.hop, one.generation) <
           std::tie(other.leg, other.hop, other.generation);
  });
  return found;
}

// Whether hops of this connection have the input, and nobody else's.
bool is_alone_on(const Ledger& ledger, const driver::Input& input, ManagerIndex manager,
                 ConnectionId connection) {
  bool own = false;
  bool others = false;
  ledger.users().for_each_on_input(input.port, input.label, [&](HopRef, const HopRecord& record) {
    const bool it = record.manager == manager && record.key.connection == connection;
    (it ? own : others) = true;
  });
  return own && !others;
}

}  // namespace

Result<void> CallLooks::look(std::string_view name, CallQuestion question, Token token) {
  if (question.legs.size() > kCallLegsMax || question.inputs.size() > kCallInputsMax) {
    return fail(ErrorCode::kBadInput, "{} legs and {} inputs, at most {} and {} are looked at",
                question.legs.size(), question.inputs.size(), kCallLegsMax, kCallInputsMax);
  }
  const ManagerIndex manager = parts_.ledger.managers().find(name).value_or(kNoManager);
  Look look{0, manager, std::move(question), token, parts_.ledger.hops().clock()};
  for (const CrossConnect& at : look.asked.inputs) {
    if (at.input_label.present() && parts_.ledger.ports().has(at.input_port)) {
      look.inputs.push_back(entered_at(at));
    }
  }
  for (const HopRef ref : hops_of(parts_.ledger, manager, look.asked)) {
    const CrossConnect at = parts_.ledger.hops().cross_connect(ref);
    if (at.input_label.present()) look.inputs.push_back(entered_at(at));
  }
  return begin(std::move(look));
}

Result<void> CallLooks::mend(std::string_view name, ConnectionId connection,
                             std::vector<EntryDifference> seen, Token token, TimePoint now) {
  parts_.now = now;
  if (!parts_.link.up())
    return fail(ErrorCode::kUnreachable, "the switch of {} is not up", parts_.options.name);
  if (seen.size() > kCallInputsMax) {
    return fail(ErrorCode::kBadInput, "{} differences, at most {} are repaired at once",
                seen.size(), kCallInputsMax);
  }
  const ManagerIndex manager = parts_.ledger.managers().find(name).value_or(kNoManager);
  Look look{0, manager, {connection, {}, {}}, token, parts_.ledger.hops().clock()};
  for (const EntryDifference& one : seen) {
    for (const auto* at : {&one.extra, &one.missing}) {
      if (*at && is_alone_on(parts_.ledger, entered_at(**at), manager, connection))
        look.inputs.push_back(entered_at(**at));
    }
  }
  look.seen = std::move(seen);
  return begin(std::move(look));
}

Result<void> CallLooks::begin(Look look) {
  sort_unique(look.inputs);
  if (!parts_.link.up() || look.inputs.empty()) {
    const std::vector<CrossConnect> nothing;
    report(look, parts_.link.up() ? &nothing : nullptr);
    return {};
  }
  if (open_.size() >= parts_.options.open_audits_max) {
    return fail(ErrorCode::kExhausted, "{} looks at calls are open at {}", open_.size(),
                parts_.options.name);
  }
  look.cookie = parts_.link.read_inputs(look.inputs);
  open_.push_back(std::move(look));
  parts_.link.flush();
  return {};
}

bool CallLooks::take(const driver::Table& table) {
  const auto asked = std::ranges::find(open_, table.cookie, &Look::cookie);
  if (asked == open_.end()) return false;
  const Look look = std::move(*asked);
  open_.erase(asked);
  report(look, table.cause == Cause::kNone ? &table.cross_connects : nullptr);
  return true;
}

void CallLooks::switch_down() {
  for (const Look& look : std::exchange(open_, {})) report(look, nullptr);
}

TableExpectation CallLooks::expected_on(const std::vector<driver::Input>& inputs,
                                        std::uint64_t since) const {
  TableExpectation expected;
  for (const driver::Input& input : inputs) {
    parts_.ledger.users().for_each_on_input(
        input.port, input.label,
        [&](HopRef ref, const HopRecord&) { expect(parts_.ledger, ref, since, expected); });
  }
  if (parts_.settling.unsure()) {
    const std::vector<CrossConnect>& unclaimed = parts_.match.unclaimed();
    expected.moving.insert(expected.moving.end(), unclaimed.begin(), unclaimed.end());
  }
  parts_.ended.append_since(since, expected.moving);
  return expected;
}

void CallLooks::report(const Look& look, const std::vector<CrossConnect>* table) {
  CallAtSwitch there;
  OwnerPlaces owners;
  if (table == nullptr) {
    there.unreadable = "the switch's table could not be read";
  } else if (parts_.ended.overflow()) {
    there.unreadable = "too many hops were removed while the switch was read; repeat the look";
  } else {
    for (const CrossConnect& entry : *table) {
      if (std::binary_search(look.inputs.begin(), look.inputs.end(), entered_at(entry))) {
        there.entries.push_back(entry);
      }
    }
    sort_unique(there.entries);
    for (TableDifference& one :
         differences_of(parts_.options.name, there.entries, expected_on(look.inputs, look.since))) {
      there.differences.push_back({one.finding.kind, one.extra, one.missing});
    }
  }
  // A repair: what was seen before, unless the hop has changed hands while the switch was read.
  for (const EntryDifference& one : there.differences) {
    const bool seen = std::find(look.seen.begin(), look.seen.end(), one) != look.seen.end();
    const driver::Input input = entered_at(one.extra ? *one.extra : *one.missing);
    if (!seen || !is_alone_on(parts_.ledger, input, look.manager, look.asked.connection)) continue;
    if (parts_.repairs.repair(one.extra, one.missing)) ++there.acted;
  }
  parts_.link.flush();
  for (const HopRef ref : hops_of(parts_.ledger, look.manager, look.asked)) {
    there.hops.push_back(
        describe(parts_, ref, parts_.ledger.hop(ref), parts_.now, owners, there.owners));
  }
  parts_.outputs.looks.push_back({look.token, std::move(there)});
}

}  // namespace xbind::controller
