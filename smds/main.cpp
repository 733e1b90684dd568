// xbind-smds: a server of SMDS, which joins sites any to any over calls that it sets up itself.
// `xbind-smds host` is a subscriber's end of a line, `xbind-smds status` shows running servers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "client/timers.hpp"
#include "core/config/timer_option.hpp"
#include "core/durable_file.hpp"
#include "core/log.hpp"
#include "core/output.hpp"
#include "exporter/exporter.hpp"
#include "smds/network_file.hpp"
#include "smds/program.hpp"
#include "smds/remote_host.hpp"
#include "smds/smds_metrics.hpp"
#include "smds/status_command.hpp"
#include "smds/timers.hpp"

namespace {

using namespace xbind;

constexpr int kFailed = 1;

// Options that servers and hosts have alike.
template <class Options>
void declare_lines(config::OptionSet& set, Options& options) {
  set.add_string("network", &options.network, "",
                 "File of the network: servers, trunks, subscribers, prefixes, groups.");
  set.require("network");
  set.add_string("manager", &options.manager, "default",
                 "Name of the ConnectionManager under xbind/cmgr/.");
  orb::require_name(set, "manager", options.manager);
  set.add_strings("host-lines", &options.host_line_words,
                  "Lines between endpoints and their switches, ENDPOINT=SPEC; `deploy/lab env` "
                  "sets XBIND_HOST_LINES.");
  set.add_strings("udp-lines", &options.udp_line_words,
                  "Lines of subscribers with adaptation udp, SUBSCRIBER=LOCAL/PEER, as the server "
                  "has them; `deploy/lab env` sets XBIND_UDP_LINES.");
  set.add_flag("jumbo", &options.jumbo,
               "PDUs of up to 65484 octets of information, more than SMDS allows, for comparisons "
               "with the paper; the same at all servers and hosts.");
}

Result<std::vector<dataplane::NamedLink>> host_lines_of(const std::vector<std::string>& words) {
  return dataplane::parse_named_links(fmt::format("{}", fmt::join(words, ",")));
}

Result<std::vector<smds::NamedUdpLine>> udp_lines_of(const std::vector<std::string>& words) {
  std::vector<smds::NamedUdpLine> lines;
  for (const std::string& word : words) {
    auto line = smds::parse_udp_line(word);
    if (!line) return tl::make_unexpected(line.error());
    lines.push_back(std::move(*line));
  }
  return lines;
}

// What the options name, read by their checks.
struct Loaded {
  smds::Network network;
  std::uint32_t server = 0;
  smds::DaemonOptions daemon;
};

void declare(config::OptionSet& set, smds::Options& options) {
  declare_lines(set, options);
  set.add_string("name", &options.common.name, "",
                 "Name of the server in the file of --network, and of this client at the manager. "
                 "All calls of the name belong to the server: a call that is not in the file is "
                 "released.");
  set.require("name");
  orb::require_name(set, "name", options.common.name);
  set.add_string(
      "status-dir", &options.status_dir, "",
      "Directory for a JSON file with the status of the server, NAME.json. Empty: none.");
  set.add_uint("buffer-pdus", &options.buffer_pdus, 10, {1, smds::kBufferPdusMax},
               "PDUs that wait at a line on which they came; further ones are dropped whole.");
  set.add_uint("interface-mbit-per-s", &options.interface_mbit_per_s, 0, {0, 100'000},
               "Mbit/s of PDUs that the server takes in, as a computer whose interface limits it; "
               "0: as fast as it can.");
  config::add_timer(set, smds::kSmdsTimers.row("check-ms"), &options.check_ms, {100, 3'600'000});
  config::add_timer(set, smds::kSmdsTimers.row("retry-min-ms"), &options.retry_min_ms,
                    {10, 3'600'000});
  config::add_timer(set, smds::kSmdsTimers.row("retry-max-ms"), &options.retry_max_ms,
                    {10, 3'600'000});
  set.add_check([&options]() -> std::optional<std::string> {
    if (options.retry_min_ms <= options.retry_max_ms) return std::nullopt;
    return fmt::format("option --retry-min-ms {} is more than --retry-max-ms {}",
                       options.retry_min_ms, options.retry_max_ms);
  });
  set.add_timers(smds::kSmdsTimers);
  set.add_timers(client::kClientTimers);
  set.add_metrics(smds::smds_metrics());
  orb::add_client_options(set, options.common, log::Level::kInfo);
  exporter::add_option(set, options.common.metrics);
  set.add_note(fmt::format(
      "Exit codes: 0 after SIGTERM or SIGINT; 1 a line cannot be opened, or the manager has "
      "another "
      "version of the protocol; 2 options or the file are refused; {} a newer server of the same "
      "name has replaced this one. SIGHUP opens the file of --log-file again. With --log-level "
      "debug the log has a line for each PDU. `xbind-smds status` shows servers, `xbind-smds host` "
      "is the other end of a subscriber's line.",
      orb::kExitReplaced));
}

std::optional<std::string> load(const smds::Options& options, Loaded& loaded) {
  auto network = smds::load_network(options.network);
  if (!network) return network.error().text;
  const auto server = smds::server_index(*network, options.common.name);
  if (!server) return "option --name: " + server.error().text;
  auto host_lines = host_lines_of(options.host_line_words);
  if (!host_lines) return "option --host-lines: " + host_lines.error().text;
  auto udp_lines = udp_lines_of(options.udp_line_words);
  if (!udp_lines) return "option --udp-lines: " + udp_lines.error().text;
  loaded.network = std::move(*network);
  loaded.server = *server;
  loaded.daemon.host_lines = std::move(*host_lines);
  loaded.daemon.udp_lines = std::move(*udp_lines);
  loaded.daemon.server = {
      .limits = options.limits(),
      .buffer_pdus = options.buffer_pdus,
      .interface_octets_per_s = std::uint64_t{options.interface_mbit_per_s} * 125'000};
  return std::nullopt;
}

int serve(int argc, char** argv) {
  orb::take_signals();  // first, so that SIGTERM ends the process in order from here on
  smds::Options options;
  Loaded loaded;
  config::OptionSet set("xbind-smds",
                        "Joins subscribers any to any: forwards their SMDS data units to other "
                        "servers and subscribers, over calls that it requests itself.");
  declare(set, options);
  set.add_check([&] { return load(options, loaded); });
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  log::start("xbind-smds " + options.common.name, options.common.log);
  log::info("options: {}", set.given_text());
  if (!make_state_dir(options.status_dir)) return kFailed;

  auto daemon = smds::Daemon::open(loaded.network, loaded.server, loaded.daemon);
  if (!daemon) {
    log::error("{}", daemon.error().text);
    return kFailed;
  }
  orb::Runtime runtime(argc, argv, options.common.runtime());
  orb::Ending end{kFailed, "the metrics cannot be served"};
  {
    smds::Program program(runtime, options, loaded.network, loaded.server, std::move(*daemon));
    auto exported = exporter::Exporter::open_or_log(
        options.common.metrics, "xbind-smds", {program.exposed_part()}, {smds::smds_metrics()});
    if (exported != nullptr) {
      exported->serving();
      end = program.run();
      exported.reset();
    }
  }
  runtime.shutdown();
  return orb::log_ending(end);
}

int host(int argc, char** argv) {
  smds::HostOptions options;
  smds::Network network;
  std::vector<std::string> words;
  config::OptionSet set("xbind-smds host",
                        "A subscriber's end of its line: sends data units, and prints the received "
                        "ones.");
  declare_lines(set, options);
  set.add_string("to", &options.to, "", "Address to send to. Empty: nothing is sent.");
  set.add_string("from", &options.from, "",
                 "Source address. Empty: the first one of the subscriber.");
  set.add_string("text", &options.text, "hello", "What the data units contain.");
  set.add_uint("octets", &options.octets, 0, {0, smds::kJumboInformationMax},
               "Octets of information, with zeros behind the text; 0: those of the text.");
  set.add_uint("count", &options.count, 1, {0, 1'000'000'000}, "Data units to send.");
  set.add_uint("receive", &options.receive, 0, {0, 1'000'000'000},
               "Ends when that many data units have come.");
  config::add_timer(set, smds::kHostTimers.row("timeout-ms"), &options.timeout_ms, {1, 3'600'000});
  set.add_timers(smds::kHostTimers);
  set.take_arguments("SUBSCRIBER", &words, 1, 1);
  orb::add_client_options(set, options.common, log::Level::kWarn);
  set.add_note(
      "Exit codes: 0; 1 less than --receive data units have come, or the line has no call; "
      "2 options or the file are refused.");
  set.add_check([&]() -> std::optional<std::string> {
    auto loaded = smds::load_network(options.network);
    if (!loaded) return loaded.error().text;
    network = std::move(*loaded);
    return std::nullopt;
  });
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  log::start("xbind-smds host", options.common.log);
  options.subscriber = words.front();
  const auto code = smds::run_host(argc, argv, options, network);
  if (!code) {
    std::fprintf(stderr, "xbind-smds host: %s\n", code.error().text.c_str());
    return kFailed;
  }
  return end_output(set.program(), *code);
}

int status(int argc, char** argv) {
  std::string directory;
  bool json = false;
  config::OptionSet set("xbind-smds status",
                        "Shows the servers that write their status into a directory.");
  set.add_string("status-dir", &directory, "",
                 "The servers' --status-dir; `deploy/lab env` sets XBIND_STATUS_DIR.");
  set.require("status-dir");
  set.add_flag("json", &json, "For programs: a JSON array with the status of each server.");
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  const auto text = smds::status_text(directory, json);
  if (!text) {
    std::fprintf(stderr, "xbind-smds status: %s\n", text.error().text.c_str());
    return kFailed;
  }
  print_output(*text);
  return end_output(set.program(), 0);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view word = argc > 1 ? argv[1] : "";
  if (word == "host") return host(argc - 1, argv + 1);
  if (word == "status") return status(argc - 1, argv + 1);
  return serve(argc, argv);
}
