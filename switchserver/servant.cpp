#include "switchserver/servant.hpp"

#include <algorithm>
#include <utility>

#include "core/log.hpp"
#include "core/name.hpp"
#include "core/steady_now.hpp"
#include "orb/convert.hpp"
#include "orb/oneway.hpp"
#include "orb/peer_faults.hpp"
#include "orb/raise.hpp"
#include "orb/reply.hpp"
#include "orb/table_entries.hpp"
#include "orb/traces.hpp"
#include "switchserver/controller/timers.hpp"

namespace xbind {
namespace {

// Upper bounds of the sizes in CDR (orb/reply.hpp).
constexpr std::size_t kLabelOctets = 8;
constexpr std::size_t kPortOctets = 16;  // of a port's labels, in addition to the labels
constexpr Duration kAuditTimeout = kSwitchServerTimers["audit"];
constexpr std::size_t kExecuteMax = 4096;  // commands
constexpr Duration kExecuteTimeout = kSwitchServerTimers["execute"];
constexpr Duration kStatisticsTimeout = kSwitchServerTimers["statistics"];

std::size_t octets_of(const Finding& finding) {
  return 24 + orb::cdr_string(finding.element.size()) + orb::cdr_string(finding.text.size());
}

// Takes the last labels of `from`, as many as the reply has room for; the others stay in `from`.
std::vector<PortLabels> take_labels(std::vector<PortLabels>& from, orb::ReplyRoom& room) {
  std::vector<PortLabels> taken;
  while (!from.empty() && room.take(kPortOctets)) {
    std::vector<Label>& labels = from.back().labels;
    const std::size_t count = room.take_up_to(labels.size(), kLabelOctets);
    if (count == 0) break;
    taken.push_back(
        {from.back().port, {labels.end() - static_cast<std::ptrdiff_t>(count), labels.end()}});
    labels.resize(labels.size() - count);
    if (labels.empty()) from.pop_back();
  }
  return taken;
}

v2::PortState to_idl(const SwitchPort& port) {
  v2::PortState out;
  out.port_number = port.port.value();
  out.labels.length(static_cast<CORBA::ULong>(port.labels.size()));
  for (CORBA::ULong i = 0; i < out.labels.length(); ++i) {
    const LabelRange& range = port.labels[i];
    out.labels[i].kind = static_cast<CORBA::Octet>(range.kind);
    out.labels[i].first = range.first;
    out.labels[i].last = range.last;
  }
  out.cells_per_s = port.cells_per_s;
  out.up = port.up;
  return out;
}

v2::CellCounters to_idl(const CellCounters& cells) {
  v2::CellCounters out;
  out.input_cells = cells.input_cells;
  out.input_frames = cells.input_frames;
  out.input_cell_discards = cells.input_cell_discards;
  out.input_frame_discards = cells.input_frame_discards;
  out.hec_errors = cells.hec_errors;
  out.invalid_labels = cells.invalid_labels;
  out.output_cells = cells.output_cells;
  out.output_frames = cells.output_frames;
  out.output_cell_discards = cells.output_cell_discards;
  out.output_frame_discards = cells.output_frame_discards;
  return out;
}

}  // namespace

void HopInboxServant::submit_hops(v2::SessionId session, v2::BatchSeq seq, v2::BatchSeq confirmed,
                                  const v2::HopBatch& batch) {
  session::Frame<HopBatch> frame{BatchSeq{seq}, BatchSeq{confirmed}, nullptr};
  if (seq != 0) {
    auto converted = orb::to_core(batch);
    if (!converted) {
      orb::note_callers_fault(
          orb::PeerFault::kUndecodable,
          fmt::format("session {}, batch {}: {}", session, seq, converted.error().text));
      daemon_.post([id = SessionId{session}](xbind::SwitchServer& server) { server.detach(id); });
      return;
    }
    frame.batch = std::make_shared<const HopBatch>(std::move(*converted));
  }
  const auto commands = frame.batch ? std::optional{frame.batch->commands()} : std::nullopt;
  daemon_.take(commands,
               [id = SessionId{session}, frame = std::move(frame)](xbind::SwitchServer& server) {
                 server.on_commands(id, frame, steady_now());
               });
}

v2::HopAttachment* SwitchServerServant::attach_manager(const char* manager, v2::Epoch manager_epoch,
                                                       CORBA::ULong version,
                                                       v2::HopObserver_ptr observer) {
  orb::check_version(version);
  if (CORBA::is_nil(observer)) throw v2::BadRequest("attach needs an observer");
  if (const auto named = check_name("manager", manager); !named) orb::raise(named.error());
  // On this thread, which waits for this manager alone.
  const auto opened = orb::open_for_oneways(
      "the observer", observer, [&] { observer->deliver_results(0, 0, 0, v2::HopResultBatch{}); });
  if (!opened) throw v2::Unavailable(opened.error().text.c_str());
  const auto attachment = daemon_.ask([&](xbind::SwitchServer& server) {
    auto attached = server.attach(manager, Epoch{manager_epoch}, steady_now());
    if (attached) daemon_.managers().know(attached->session, observer);
    return attached;
  });
  if (!attachment) orb::raise(attachment.error(), Epoch{manager_epoch});
  daemon_.keep_managers();  // before the manager can have a hop here
  auto out = std::make_unique<v2::HopAttachment>();
  out->session = attachment->session.value();
  out->inbox = v2::HopInbox::_duplicate(inbox_);
  out->batches_in_flight = attachment->batches_in_flight;
  const auto& ports = attachment->holdings.ports;
  out->ports.length(static_cast<CORBA::ULong>(ports.size()));
  for (CORBA::ULong i = 0; i < out->ports.length(); ++i) {
    out->ports[i] = to_idl(ports[i]);
  }
  // Labels that do not fit stay in quarantine and are reported at the manager's next attachment.
  auto quarantined = attachment->holdings.quarantined;
  orb::ReplyRoom room(orb::kReplyOctetsMax - ports.size() * sizeof(v2::PortState));
  orb::to_idl(take_labels(quarantined, room), out->quarantined);
  if (!quarantined.empty()) {
    log::sessions.warn(
        "manager {} has more labels in quarantine than one reply holds: those of {} ports "
        "stay there until it attaches again",
        manager, quarantined.size());
  }
  out->hops_held = static_cast<CORBA::ULong>(attachment->holdings.hops);
  out->books = attachment->books;
  out->claims_awaited = attachment->holdings.claims_awaited;
  out->table_kept = attachment->holdings.table_kept;
  out->unclaimed_entries = static_cast<CORBA::ULong>(attachment->holdings.unclaimed);
  return out.release();
}

v2::ManagerEpochs* SwitchServerServant::epochs_of(const char* manager) {
  const auto known =
      daemon_.ask([&](xbind::SwitchServer& server) { return server.epochs_of(manager); });
  if (!known) orb::raise(known.error());
  auto out = std::make_unique<v2::ManagerEpochs>();
  orb::to_idl(*known, *out);
  return out.release();
}

v2::HopPage* SwitchServerServant::held_hops(v2::SessionId session, CORBA::ULongLong from) {
  std::vector<std::uint64_t> places;
  const auto held = daemon_.ask([&](xbind::SwitchServer& server) {
    return server.held_hops(SessionId{session}, from, kHopsPerPage, steady_now(), &places);
  });
  if (!held) orb::raise(held.error());
  auto page = std::make_unique<v2::HopPage>();
  orb::ReplyRoom room;
  const std::size_t count = orb::hops_that_fit(held->hops, held->owners, 0, kHopsPerPage, room);
  orb::to_idl(*held, count, *page);
  page->next = count < held->hops.size() ? places[count - 1] : held->next;
  return page.release();
}

v2::ClaimsTaken* SwitchServerServant::claim_hops(v2::SessionId session, const v2::HopPage& claimed,
                                                 const v2::PortLabelsSeq& resting,
                                                 CORBA::Boolean all) {
  std::size_t labels = 0;
  for (CORBA::ULong i = 0; i < resting.length(); ++i) labels += resting[i].labels.length();
  if (std::max<std::size_t>(claimed.hops.length(), labels) > kHopsPerPage) {
    throw v2::BadRequest(fmt::format("{} hops and {} labels, {} of each at most in one page",
                                     claimed.hops.length(), labels, kHopsPerPage)
                             .c_str());
  }
  const auto claims = orb::to_core(claimed, resting, all);
  if (!claims) orb::raise(claims.error());
  auto taken = daemon_.ask([&](xbind::SwitchServer& server) {
    return server.claim(SessionId{session}, *claims, steady_now());
  });
  if (!taken) orb::raise(taken.error());
  auto out = std::make_unique<v2::ClaimsTaken>();
  orb::ReplyRoom room;
  if (taken->unclaimed.size() > kHopsPerPage) taken->unclaimed.resize(kHopsPerPage);
  ClaimsTaken fits{std::move(taken->refused), take_labels(taken->quarantined, room),
                   std::move(taken->unclaimed), taken->unclaimed_entries};
  orb::to_idl(fits, *out);
  return out.release();
}

void SwitchServerServant::detach_manager(v2::SessionId session) {
  daemon_.ask([&](xbind::SwitchServer& server) {
    server.detach(SessionId{session});
    return true;
  });
}

v2::PortGrant* SwitchServerServant::grant(v2::SessionId session, v2::PortNumber port_number,
                                          CORBA::ULong labels_wanted,
                                          const v2::Demand& quota_wanted) {
  const auto granted = daemon_.ask([&](xbind::SwitchServer& server) {
    return server.grant(SessionId{session}, PortId{port_number}, labels_wanted,
                        orb::to_core(quota_wanted), steady_now());
  });
  if (!granted) orb::raise(granted.error());
  auto out = std::make_unique<v2::PortGrant>();
  out->labels.length(static_cast<CORBA::ULong>(granted->labels.size()));
  for (CORBA::ULong i = 0; i < out->labels.length(); ++i) {
    out->labels[i] = orb::to_idl(granted->labels[i]);
  }
  out->resources = orb::to_idl(granted->quota);
  return out.release();
}

void SwitchServerServant::give_back(v2::SessionId session, v2::PortNumber port_number,
                                    const v2::LabelSeq& labels, const v2::Demand& quota) {
  PortLabels returned{PortId{port_number}, {}};
  for (CORBA::ULong i = 0; i < labels.length(); ++i) {
    const auto label = orb::to_core(labels[i]);
    if (!label) orb::raise(label.error());
    returned.labels.push_back(*label);
  }
  const auto given = daemon_.ask([&](xbind::SwitchServer& server) {
    return server.give_back(SessionId{session}, returned, orb::to_core(quota));
  });
  if (!given) orb::raise(given.error());
}

v2::HopResultBatch* SwitchServerServant::execute(v2::SessionId session, const v2::HopBatch& batch) {
  const std::size_t commands =
      std::size_t{batch.modifies.length()} + batch.setups.length() + batch.removals.length();
  if (commands > kExecuteMax) {
    throw v2::BadRequest(
        fmt::format("{} commands, {} at most by one call", commands, kExecuteMax).c_str());
  }
  const auto converted = orb::to_core(batch);
  if (!converted) orb::raise(converted.error());
  daemon_.impairments().received(commands);
  const auto results = daemon_.execute(SessionId{session}, *converted, kExecuteTimeout);
  if (!results) orb::raise(results.error());
  daemon_.impairments().sending(results->results.size());
  auto out = std::make_unique<v2::HopResultBatch>();
  orb::to_idl(*results, *out);
  return out.release();
}

v2::LedgerPage* SwitchServerServant::audit_switch(const char* manager) {
  if (const auto named = check_name("manager", manager); !named) orb::raise(named.error());
  auto report = daemon_.audit(manager, kAuditTimeout);
  if (!report) orb::raise(report.error());
  auto page = std::make_unique<v2::LedgerPage>();
  page->cross_connects = report->cross_connects;
  const std::lock_guard lock(mutex_);
  fill_page(*page, next_audit_++, Rest{std::move(*report), 0, 0});
  return page.release();
}

v2::LedgerPage* SwitchServerServant::audit_page(CORBA::ULongLong audit_number) {
  const std::lock_guard lock(mutex_);
  auto rest = rests_.extract(audit_number);
  if (rest.empty()) {
    throw v2::BadRequest(
        fmt::format("audit {} has no page left, or has been forgotten", audit_number).c_str());
  }
  auto page = std::make_unique<v2::LedgerPage>();
  page->cross_connects = 0;
  fill_page(*page, audit_number, std::move(rest.mapped()));
  return page.release();
}

void SwitchServerServant::fill_page(v2::LedgerPage& page, std::uint64_t number, Rest rest) {
  LedgerReport& report = rest.report;
  orb::ReplyRoom room;
  std::vector<Finding> findings;
  while (rest.next_finding < report.findings.size() &&
         room.take(octets_of(report.findings[rest.next_finding]))) {
    findings.push_back(std::move(report.findings[rest.next_finding++]));
  }
  orb::to_idl(findings, page.findings);
  orb::to_idl(take_labels(report.cached, room), page.cached);
  orb::to_idl(take_labels(report.quarantined, room), page.quarantined);
  const std::size_t count =
      orb::hops_that_fit(report.hops, report.owners, rest.next_hop, kHopsPerPage, room);
  page.audit = number;
  orb::to_idl(report.hops.data() + rest.next_hop, count, report.owners, page);
  rest.next_hop += count;
  page.more = rest.next_finding < report.findings.size() || !report.cached.empty() ||
              !report.quarantined.empty() || rest.next_hop < report.hops.size();
  if (!page.more) return;
  rests_.emplace(number, std::move(rest));
  while (rests_.size() > kAuditsKept) rests_.erase(rests_.begin());
}

v2::CallAtSwitch* SwitchServerServant::look_at_call(const char* manager,
                                                    v2::ConnectionId connection,
                                                    const v2::LegSeq& legs,
                                                    const v2::TableEntrySeq& inputs) {
  if (const auto named = check_name("manager", manager); !named) orb::raise(named.error());
  auto places = orb::to_core(inputs);
  if (!places) orb::raise(places.error());
  CallQuestion question{ConnectionId{connection}, {}, std::move(*places)};
  for (CORBA::ULong i = 0; i < legs.length(); ++i) question.legs.push_back(legs[i]);
  const auto there = daemon_.look_at_call(manager, std::move(question), kAuditTimeout);
  if (!there) orb::raise(there.error());
  auto out = std::make_unique<v2::CallAtSwitch>();
  orb::to_idl(*there, *out);
  if (const std::size_t octets = orb::octets_of(*out); octets > orb::kReplyOctetsMax) {
    throw v2::Unavailable(fmt::format("{} hops and {} entries do not fit into one reply: {} octets",
                                      out->hops.length(), out->entries.length(), octets)
                              .c_str());
  }
  return out.release();
}

v2::SwitchOperations_ptr SwitchServerServant::switch_operations() {
  return v2::SwitchOperations::_duplicate(operations_);
}

v2::MetricSeq* SwitchServerServant::status() { return orb::to_metrics(daemon_.metrics()); }

// ===== for operators =====

v2::ManagerHoldingsSeq* SwitchOperationsServant::managers() {
  const auto all =
      daemon_.ask([](const xbind::SwitchServer& server) { return server.controller().holdings(); });
  auto out = std::make_unique<v2::ManagerHoldingsSeq>();
  out->length(static_cast<CORBA::ULong>(all.size()));
  for (CORBA::ULong i = 0; i < out->length(); ++i) {
    (*out)[i].manager = all[i].manager.name.c_str();
    (*out)[i].manager_epoch = all[i].manager.epoch.value();
    (*out)[i].attached = all[i].attached;
    (*out)[i].forgotten = all[i].forgotten;
    (*out)[i].hops = static_cast<CORBA::ULong>(all[i].hops);
  }
  return out.release();
}

CORBA::ULong SwitchOperationsServant::clear_hops(const char* manager, v2::ConnectionId connection) {
  const auto left = daemon_.ask([&](xbind::SwitchServer& server) {
    return server.clear_hops(manager, ConnectionId{connection}, steady_now());
  });
  if (!left) orb::raise(left.error());
  return static_cast<CORBA::ULong>(*left);
}

CORBA::ULong SwitchOperationsServant::forget_manager(const char* manager) {
  const auto left =
      daemon_.ask([&](xbind::SwitchServer& server) { return server.forget_manager(manager); });
  if (!left) orb::raise(left.error());
  daemon_.keep_managers();
  return static_cast<CORBA::ULong>(*left);
}

void SwitchOperationsServant::renew_epoch(const char* manager, v2::Epoch newest) {
  const auto renewed = daemon_.ask(
      [&](xbind::SwitchServer& server) { return server.renew_epoch(manager, Epoch{newest}); });
  if (!renewed) orb::raise(renewed.error());
  daemon_.keep_managers();
}

CORBA::ULong SwitchOperationsServant::repair(const v2::AuditFindingSeq& seen) {
  auto findings = orb::to_core(seen);
  if (!findings) throw v2::BadRequest(findings.error().text.c_str());
  const auto report = daemon_.repair(std::move(*findings), kAuditTimeout);
  if (!report) orb::raise(report.error());
  return static_cast<CORBA::ULong>(report->repaired);
}

CORBA::ULong SwitchOperationsServant::mend_call(const char* manager, v2::ConnectionId connection,
                                                const v2::EntryDifferenceSeq& seen) {
  auto differences = orb::to_core(seen);
  if (!differences) throw v2::BadRequest(differences.error().text.c_str());
  const auto there =
      daemon_.mend_call(manager, ConnectionId{connection}, std::move(*differences), kAuditTimeout);
  if (!there) orb::raise(there.error());
  return static_cast<CORBA::ULong>(there->acted);
}

v2::PortReportSeq* SwitchOperationsServant::ports() {
  const auto reports = daemon_.ports(kStatisticsTimeout);
  auto out = std::make_unique<v2::PortReportSeq>();
  out->length(static_cast<CORBA::ULong>(reports.size()));
  for (CORBA::ULong i = 0; i < out->length(); ++i) {
    const SwitchServerDaemon::PortReport& from = reports[i];
    v2::PortReport& to = (*out)[i];
    to.state = to_idl(from.port);
    to.capacity = orb::to_idl(from.usage.capacity);
    to.taken = orb::to_idl(from.usage.taken);
    to.hops = orb::to_idl(from.usage.hops);
    to.ingress_cells_per_s = from.usage.ingress_cells_per_s;
    to.free_output_labels = from.usage.free_output_labels;
    to.free_input_labels = from.usage.free_input_labels;
    to.cells.length(from.cells ? 1 : 0);
    if (from.cells) to.cells[0] = to_idl(*from.cells);
  }
  return out.release();
}

v2::HopRoomSeq* SwitchOperationsServant::would_take(const char* manager,
                                                    const v2::HopQuestionSeq& hops) {
  if (const auto named = check_name("manager", manager); !named) orb::raise(named.error());
  const auto rooms = daemon_.ask([&, questions = orb::to_core(hops)](xbind::SwitchServer& server) {
    return server.controller().would_take(manager, questions);
  });
  auto out = std::make_unique<v2::HopRoomSeq>();
  orb::to_idl(rooms, *out);
  return out.release();
}

void SwitchOperationsServant::report_now() { daemon_.report_now(); }

v2::CellCounters SwitchOperationsServant::count_cells(v2::PortNumber input_port,
                                                      const v2::LabelValue& input_label) {
  const auto label = orb::to_core(input_label);
  if (!label) orb::raise(label.error());
  const auto cells = daemon_.count_cells(PortId{input_port}, *label, kStatisticsTimeout);
  if (!cells) orb::raise(cells.error());
  return to_idl(*cells);
}

v2::TracePart* SwitchOperationsServant::spans_of(const char* manager, v2::ConnectionId connection) {
  const trace::WallClock clock = orb::wall_clock();
  return orb::to_idl(daemon_.ask([&](xbind::SwitchServer& server) {
    return server.spans_of(manager, ConnectionId{connection}, clock);
  }));
}

}  // namespace xbind
