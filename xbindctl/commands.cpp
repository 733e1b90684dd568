#include "xbindctl/commands.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>

#include "core/audit.hpp"
#include "orb/convert.hpp"
#include "orb/remote_error.hpp"

namespace xbind::ctl {
namespace {

constexpr CORBA::ULong kListPage = 1'000;
constexpr CORBA::ULong kAuditTimeoutMs = 120'000;
// Longer than the manager's own timers together.
constexpr CORBA::ULong kCallTimeoutMs = 15'000;

int explain(const std::string& text) {
  std::fprintf(stderr, "xbindctl: %s\n", text.c_str());
  return 1;
}

// Runs a command; what the manager or the ORB throws becomes a sentence and exit code 1.
int guarded(const std::function<int()>& command) {
  try {
    return command();
  } catch (const v1::UnknownConnection& unknown) {
    return explain(fmt::format("connection {} is not known", unknown.connection));
  } catch (const v1::Unavailable& refused) {
    return explain(refused.reason.in());
  } catch (const v1::BadRequest& refused) {
    return explain(refused.reason.in());
  } catch (const CORBA::SystemException& exception) {
    return explain(orb::to_error(exception, "the manager").text);
  }
}

std::string words_of(const v1::LabelValue& label) {
  const auto core = orb::to_core(label);
  return core ? to_string(*core) : std::string{"?"};
}

int tell(const v1::Outcome& answer) {
  const auto outcome = orb::to_core(answer);
  if (!outcome) return explain(outcome.error().text);
  switch (outcome->kind) {
    case OutcomeKind::kConnected:
      std::printf("%llu connected, ingress label %s, egress label %s\n",
                  static_cast<unsigned long long>(outcome->connection.value()),
                  to_string(outcome->ingress).c_str(), to_string(outcome->egress).c_str());
      return 0;
    case OutcomeKind::kReleased:
      std::printf("%llu released\n", static_cast<unsigned long long>(outcome->connection.value()));
      return 0;
    case OutcomeKind::kRefused: return explain("refused: " + xbind::explain(*outcome));
    case OutcomeKind::kBusy: return explain("busy: " + xbind::explain(*outcome));
  }
  return 1;
}

void print_line(const v1::ConnectionState& state) {
  std::printf("%-20llu %-10s %-16s %-16s %10llu cells/s  %u hops  %s\n",
              static_cast<unsigned long long>(state.connection), state.phase.in(),
              state.from_end.in(), state.to_end.in(),
              static_cast<unsigned long long>(state.resources.cells_per_s), state.hops.length(),
              state.client.in());
}

}  // namespace

int connect(v1::ConnectionManager_ptr manager, const std::string& from, const std::string& to,
            const ServiceSpec& service) {
  return guarded([&] {
    omniORB::setClientCallTimeout(manager, kCallTimeoutMs);
    const v1::Outcome_var outcome =
        manager->connect(from.c_str(), to.c_str(), orb::to_idl(service));
    return tell(outcome.in());
  });
}

int release(v1::ConnectionManager_ptr manager, std::uint64_t connection) {
  return guarded([&] {
    omniORB::setClientCallTimeout(manager, kCallTimeoutMs);
    const v1::Outcome_var outcome = manager->release(connection);
    return tell(outcome.in());
  });
}

int describe(v1::ConnectionManager_ptr manager, std::uint64_t connection) {
  return guarded([&] {
    const v1::ConnectionState_var state = manager->describe(connection);
    std::printf("connection  %llu\nphase       %s, generation %u\nclient      %s, request %llu\n",
                static_cast<unsigned long long>(state->connection), state->phase.in(),
                state->generation, state->client.in(),
                static_cast<unsigned long long>(state->request));
    std::printf("ends        %s -> %s\ntakes       %llu cells/s, %llu cells of buffer\n",
                state->from_end.in(), state->to_end.in(),
                static_cast<unsigned long long>(state->resources.cells_per_s),
                static_cast<unsigned long long>(state->resources.buffer_cells));
    for (CORBA::ULong i = 0; i < state->hops.length(); ++i) {
      const v1::HopState& hop = state->hops[i];
      std::printf("hop %-2u      %-16s port %u label %-8s -> port %u label %s\n", i,
                  hop.switch_name.in(), hop.input_port, words_of(hop.input_label).c_str(),
                  hop.output_port, words_of(hop.output_label).c_str());
    }
    return 0;
  });
}

int list(v1::ConnectionManager_ptr manager) {
  return guarded([&] {
    std::uint64_t after = 0;
    for (;;) {
      const v1::ConnectionStateSeq_var page = manager->list(after, kListPage);
      for (CORBA::ULong i = 0; i < page->length(); ++i) {
        print_line(page.in()[i]);
        after = page.in()[i].connection;
      }
      if (page->length() < kListPage) return 0;
    }
  });
}

int status(v1::ConnectionManager_ptr manager) {
  return guarded([&] {
    const v1::MetricSeq_var metrics = manager->status();
    for (CORBA::ULong i = 0; i < metrics->length(); ++i) {
      std::printf("%-24s %llu\n", metrics.in()[i].name.in(),
                  static_cast<unsigned long long>(metrics.in()[i].value));
    }
    return 0;
  });
}

int audit(v1::ConnectionManager_ptr manager) {
  return guarded([&] {
    omniORB::setClientCallTimeout(manager, kAuditTimeoutMs);
    const v1::AuditReport_var report = manager->audit();
    const auto findings = orb::to_core(report->findings);
    if (!findings) return explain(findings.error().text);
    for (const Finding& finding : *findings) {
      std::printf("%s at %s: %s\n", std::string{to_string(finding.kind)}.c_str(),
                  finding.element.c_str(), finding.text.c_str());
    }
    std::printf(
        "%s: %u switches, %llu connections; %u stray cross-connects, %u leaked labels, "
        "%llu cells/s leaked, %u owed, %u unreadable\n",
        report->clean ? "clean" : "NOT CLEAN", report->switches,
        static_cast<unsigned long long>(report->connections), report->stray_cross_connects,
        report->leaked_labels,
        static_cast<unsigned long long>(report->leaked_bandwidth_cells_per_s), report->owed,
        report->unreadable);
    return report->clean ? 0 : 1;
  });
}

}  // namespace xbind::ctl
