#include "orb/daemon.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/config/host_port.hpp"
#include "core/config/log_options.hpp"
#include "core/name.hpp"
#include "core/output.hpp"
#include "core/shortage.hpp"
#include "core/timers.hpp"
#include "orb/addresses.hpp"
#include "orb/connection_guard.hpp"
#include "orb/daemon_watch.hpp"
#include "orb/name_claim.hpp"
#include "orb/peer_log.hpp"
#include "orb/timers.hpp"

namespace xbind::orb {
namespace {

constexpr auto kRetryPeriod =
    kOrbTimers.ms("name-service-retry");  // while the name service is away

}  // namespace

void add_client_options(config::OptionSet& set, CommonOptions& options, log::Level default_level,
                        std::uint32_t default_call_timeout_ms) {
  set.add_string("name-service", &options.name_service, "",
                 "Where the CORBA name service listens, HOST:PORT; if empty, the NameService of "
                 "omniORB's configuration (ORBInitRef, OMNIORB_CONFIG, /etc/omniORB.cfg), else "
                 "127.0.0.1:2809.");
  set.add_check([&options]() -> std::optional<std::string> {
    if (options.name_service.empty()) return std::nullopt;
    const auto parsed = parse_host_port(options.name_service);
    if (!parsed) return "--name-service: " + parsed.error().text;
    if (parsed->port == 0) {
      return fmt::format("--name-service: \"{}\" has the port 0", options.name_service);
    }
    options.name_service = to_string(*parsed);
    return std::nullopt;
  });
  set.add_string("listen-address", &options.listen_address, "127.0.0.1",
                 "Numeric address, IPv4 or IPv6, under which this process is reached by its "
                 "peers.");
  set.add_check([&options]() -> std::optional<std::string> {
    auto parsed = parse_numeric_host(options.listen_address);
    if (!parsed) return "--listen-address: " + parsed.error().text;
    options.listen_address = std::move(*parsed);
    return std::nullopt;
  });
  set.add_uint("call-timeout-ms", &options.call_timeout_ms, default_call_timeout_ms, {50, 600000},
               std::string(kOrbTimers.row("call-timeout-ms").guards));
  set.add_timers(kOrbTimers);
  set.add_timers(kCoreTimers);
  log::declare(set, options.log, default_level);
}

void add_connection_options(config::OptionSet& set, CommonOptions& options) {
  const ConnectionLimits defaults;
  set.add_uint(
      "accepted-max", &options.connections_max, static_cast<std::uint32_t>(defaults.total),
      {16, 65536},
      "TCP connections that this process accepts at a time; a further one is closed at once. "
      "Idle ones are closed beyond seven eighths of it or half of the descriptors (ulimit -n).");
  set.add_uint("accepted-per-host-max", &options.connections_per_host_max,
               static_cast<std::uint32_t>(defaults.per_host), {16, 65536},
               "The same for connections from one address.");
}

void add_daemon_options(config::OptionSet& set, CommonOptions& options,
                        const std::string& default_name) {
  set.add_string("name", &options.name, default_name,
                 "Name under which the object is bound in the name service.");
  if (default_name.empty()) set.require("name");
  require_name(set, "name", options.name);
  add_client_options(set, options, log::Level::kInfo);
  add_connection_options(set, options);
  add_exit_codes(set);
}

void set_live_options(config::OptionSet& set) {
  set.set_live({"log-level", "accepted-max", "accepted-per-host-max"});
}

void apply_live_options(const CommonOptions& before, const CommonOptions& wanted) {
  // An operator's set_log_level() stays unless the option itself has changed.
  if (before.log.level != wanted.log.level) log::set_levels(wanted.log.level);
  accepted_connections().set_limits(wanted.connections());
}

void add_exit_codes(config::OptionSet& set) {
  set.add_note(fmt::format(
      "Exit codes: 0 after SIGTERM or SIGINT; 2 options are refused; {} at the start: a daemon of "
      "the same name is alive; {} later: another daemon has taken the name, or a newer epoch of it "
      "fences this one; {} the host has refused memory, a thread or a descriptor. SIGHUP opens the "
      "file of --log-file again and reloads the options.",
      kExitNameHeld, kExitReplaced, kExitShortage));
}

void require_name(config::OptionSet& set, const std::string& option, const std::string& value,
                  bool may_be_empty) {
  set.add_check([option, &value, may_be_empty]() -> std::optional<std::string> {
    if (may_be_empty && value.empty()) return std::nullopt;
    if (const auto good = check_name("name", value); !good) {
      return fmt::format("--{}: {}", option, good.error().text);
    }
    return std::nullopt;
  });
}

namespace {

// nullopt: all names are claimed. Else how the process must end.
std::optional<Ending> claim_names(NameClaims& claims, const std::string& program,
                                  const std::string& service, const std::vector<Served>& served) {
  PeerLog log;
  const std::string peer = "the name service at " + service;
  for (std::size_t place = 0; place < served.size(); ++place) {
    for (;;) {
      const auto other = claims.claim(place);
      if (other && *other) {
        end_process(kExitNameHeld,
                    fmt::format("another {} of the name '{}' is alive at {}: it has {} and answers",
                                program, served[place].name, (*other)->address,
                                served[place].binding.path));
        return wait_for_end();
      }
      if (other) break;
      log.failed(peer, other.error().text);
      if (auto end = wait_for_end(kRetryPeriod)) return end;
    }
  }
  log.well(peer);
  return std::nullopt;
}

}  // namespace

Ending serve_until_signal(CORBA::ORB_ptr orb, const std::string& program,
                          const CommonOptions& options, const std::vector<Served>& served,
                          Steps steps) {
  // The address from the option, or from omniORB's configuration.
  NameClient names(orb, options.name_service);
  const std::string& service = names.service();
  if (const auto warning = loopback_warning(options.listen_address, service, own_addresses())) {
    log::warn("{}", *warning);
  }
  std::vector<Binding> bindings;
  bindings.reserve(served.size());
  for (const Served& one : served) bindings.push_back(one.binding);
  NameClaims claims(names, bindings);
  if (auto end = claim_names(claims, program, service, served)) return *end;
  const ConnectionGuard guard(raise_descriptor_limit(), options.connections());
  if (steps.begin) steps.begin();
  if (auto end = wait_for_end(std::chrono::milliseconds{0})) return *end;
  std::size_t bound = 0;  // used on the keeper's thread
  const NameKeeper keeper(orb, options.name_service, std::move(bindings),
                          {std::move(steps.ready_to_bind),
                           [&](std::size_t place) {
                             claims.give_up(place);
                             announce(fmt::format("{} {} ready", program, served[place].name));
                             if (++bound == served.size() && steps.serving) steps.serving();
                           },
                           [&](const Binding& binding, const Held& held, bool was_ours) {
                             end_process(was_ours ? kExitReplaced : kExitNameHeld,
                                         fmt::format("{} is bound to another running {} at {}",
                                                     binding.path, program, held.address));
                           }});
  std::optional<DaemonWatch> watch;
  if (steps.watching.supervision != nullptr) {
    std::set<std::string> own;
    for (const Served& one : served) own.insert(one.binding.path);
    watch.emplace(orb, options.name_service, std::move(steps.watching.names), std::move(own),
                  *steps.watching.supervision);
  }
  Ending end = wait_for_end();
  watch.reset();
  if (end.exit_code == 0) log::info("shutting down {}", end.why);
  return end;
}

int log_ending(const Ending& ending) {
  if (ending.exit_code == 0) {
    log::info("ended {}", ending.why);
  } else {
    log::error("ended with exit code {}: {}", ending.exit_code, ending.why);
  }
  return ending.exit_code;
}

}  // namespace xbind::orb
