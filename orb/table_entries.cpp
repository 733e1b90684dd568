#include "orb/table_entries.hpp"

#include <optional>
#include <utility>

#include "orb/convert_checks.hpp"

namespace xbind::orb {
namespace {

v2::TableEntry to_idl(const CrossConnect& at) {
  v2::TableEntry out;
  out.input_port = at.input_port.value();
  out.input_label = orb::to_idl(at.input_label);
  out.output_port = at.output_port.value();
  out.output_label = orb::to_idl(at.output_label);
  return out;
}

void to_idl(const std::optional<CrossConnect>& entry, v2::OptionalTableEntry& out) {
  out.length(entry ? 1 : 0);
  if (entry) out[0] = to_idl(*entry);
}

CrossConnect to_core(const v2::TableEntry& entry, Checker& checker) {
  return {PortId{entry.input_port}, checker.label(entry.input_label), PortId{entry.output_port},
          checker.label(entry.output_label)};
}

std::optional<CrossConnect> to_core(const v2::OptionalTableEntry& entry, Checker& checker) {
  if (entry.length() == 0) return std::nullopt;
  return to_core(entry[0], checker);
}

std::vector<CrossConnect> to_core(const v2::TableEntrySeq& entries, Checker& checker) {
  std::vector<CrossConnect> out;
  out.reserve(entries.length());
  for (CORBA::ULong i = 0; i < entries.length(); ++i) out.push_back(to_core(entries[i], checker));
  return out;
}

std::vector<EntryDifference> to_core(const v2::EntryDifferenceSeq& differences, Checker& checker) {
  std::vector<EntryDifference> out;
  out.reserve(differences.length());
  for (CORBA::ULong i = 0; i < differences.length(); ++i) {
    const v2::EntryDifference& from = differences[i];
    if (from.finding > static_cast<CORBA::Octet>(FindingKind::kChangedCrossConnect)) {
      checker.note({ErrorCode::kProtocol,
                    fmt::format("finding {} concerns no cross-connect", from.finding)});
    }
    if (from.extra.length() == 0 && from.missing.length() == 0) {
      checker.note({ErrorCode::kProtocol, "a difference names no cross-connect"});
    }
    out.push_back({static_cast<FindingKind>(from.finding), to_core(from.extra, checker),
                   to_core(from.missing, checker)});
  }
  return out;
}

}  // namespace

void to_idl(const std::vector<CrossConnect>& entries, v2::TableEntrySeq& out) {
  out.length(static_cast<CORBA::ULong>(entries.size()));
  for (CORBA::ULong i = 0; i < out.length(); ++i) out[i] = to_idl(entries[i]);
}

Result<std::vector<CrossConnect>> to_core(const v2::TableEntrySeq& entries) {
  Checker checker;
  std::vector<CrossConnect> out = to_core(entries, checker);
  return checker.done(std::move(out));
}

void to_idl(const std::vector<EntryDifference>& differences, v2::EntryDifferenceSeq& out) {
  out.length(static_cast<CORBA::ULong>(differences.size()));
  for (CORBA::ULong i = 0; i < out.length(); ++i) {
    out[i].finding = static_cast<CORBA::Octet>(differences[i].kind);
    to_idl(differences[i].extra, out[i].extra);
    to_idl(differences[i].missing, out[i].missing);
  }
}

Result<std::vector<EntryDifference>> to_core(const v2::EntryDifferenceSeq& differences) {
  Checker checker;
  std::vector<EntryDifference> out = to_core(differences, checker);
  return checker.done(std::move(out));
}

}  // namespace xbind::orb
