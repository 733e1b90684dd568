#include "emulator/daemon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <random>
#include <utility>

#include "core/impairments/pace_clock.hpp"
#include "core/log.hpp"
#include "core/name.hpp"
#include "core/resident_memory.hpp"
#include "core/steady_now.hpp"
#include "dataplane/capture_file.hpp"
#include "dataplane/links/link_set.hpp"
#include "emulator/control.hpp"
#include "emulator/switch_metrics.hpp"
#include "emulator/switch_set.hpp"
#include "emulator/timers.hpp"
#include "net/control_address.hpp"
#include "net/line_server.hpp"
#include "net/tcp_server.hpp"

namespace xbind::emulator {
namespace {

using dataplane::CaptureFile;
using net::ConnectionKey;

// Minimum interval between services of a line with a rate; the Pacer then catches up.
constexpr Duration kCellRest = kSwitchTimers["cell-rest"];
constexpr std::size_t kControllersMax = 64;
constexpr std::size_t kControlConnectionsMax = 8;
// Added to the labels of frames in a capture: readers take VPI 0, VCI 16, which is the label of all
// frames of a port, for the management of the line (ILMI).
constexpr std::uint32_t kFramesVpi = dataplane::cell_header(1, 0);
constexpr std::size_t kCaptureConnectionsMax = 256;  // whose frames a capture has, each way

dataplane::CaptureTime wall_now() { return std::chrono::system_clock::now().time_since_epoch(); }

// One switch and its socket.
class Served {
 public:
  // `impairments` must outlive this object.
  Served(const SwitchOptions& options, std::uint64_t seed, std::string log_prefix,
         Impairments& impairments)
      : emulated(emulated_options(options, seed)),
        prefix_(std::move(log_prefix)),
        impairments_(impairments) {
    if (options.refuse_next > 0) {
      emulated.agent().refuse_next(options.refuse_next,
                                   static_cast<gsmp::FailureCode>(options.refuse_code));
    }
  }

  Result<void> listen(net::Loop& loop, const std::string& address) {
    const auto host_port = parse_host_port(address);
    if (!host_port) return tl::make_unexpected(host_port.error());
    net::TcpServerOptions options;
    options.listen = *host_port;
    options.connections_max = kControllersMax;
    net::ServerUpcalls callbacks;
    callbacks.on_connected = [this](ConnectionKey key) { connected(key); };
    callbacks.on_octets = [this](ConnectionKey key, std::span<const std::byte> octets) {
      const std::uint64_t before = emulated.agent().counters().requests;
      emulated.receive(key, octets, steady_now());
      const std::uint64_t requests = emulated.agent().counters().requests - before;
      if (requests > 0) impairments_.received(requests);  // this includes the cost of answering
      deliver(steady_now());  // at once: unsent answers must stop the reading
    };
    callbacks.on_closed = [this](ConnectionKey key, const std::string& reason) {
      log::gsmp.info("{}connection {}: {}", prefix_, key, reason);
      allowances_.erase(key);
      emulated.closed(key, steady_now());
      dirty = true;
    };
    callbacks.on_refused = [this](const std::string& reason) {
      log::gsmp.warn("{}connection refused: {}", prefix_, reason);
    };
    auto server = net::TcpServer::listen(loop, options, std::move(callbacks));
    if (!server) return tl::make_unexpected(server.error());
    server_ = std::move(*server);
    return {};
  }

  // Sends the switch's output, notices and endings to their connections and the log.
  void deliver(TimePoint now) {
    dirty = false;
    for (auto& [key, current] : allowances_) {
      for (emulated.take_output(key, output_, now); !output_.empty();
           emulated.take_output(key, output_, now)) {
        if (const auto sent = server_->send(key, output_); !sent) {
          log::gsmp.warn("{}connection {}: {}", prefix_, key, sent.error().text);
        }
      }
      const std::size_t allowance = emulated.allowance(key);
      if (allowance != current || allowance != kUnlimited) server_->allow(key, allowance);
      current = allowance;
    }
    for (const EmulatedSwitch::Ending& ending : emulated.take_endings()) {
      if (ending.reset) {
        server_->reset(ending.connection, ending.reason);
      } else {
        server_->close(ending.connection, ending.reason);
      }
    }
    for (const EmulatedSwitch::Notice& notice : emulated.take_notices()) {
      if (notice.trouble) {
        log::gsmp.warn("{}{}", prefix_, notice.text);
      } else {
        log::gsmp.info("{}{}", prefix_, notice.text);
      }
    }
  }

  const std::string& address() const { return server_->address(); }

  EmulatedSwitch emulated;
  bool dirty = true;  // it may have output to deliver
  std::map<PortId, std::unique_ptr<CaptureFile>> captures;

 private:
  void connected(ConnectionKey key) {
    dirty = true;
    if (const auto known = emulated.connected(key, steady_now()); !known) {
      return server_->close(key, known.error().text);
    }
    allowances_.emplace(key, kUnlimited);
    log::gsmp.info("{}connection {}: a controller", prefix_, key);
  }

  std::string prefix_;  // of log lines: the switch's name if there are several
  Impairments& impairments_;
  std::unique_ptr<net::Server> server_;
  std::map<ConnectionKey, std::size_t> allowances_;  // the last allowance set for each connection
  wire::Buffer output_;
};

}  // namespace

struct Daemon::Impl {
  Impl(const ImpairmentOptions& options, const std::string& name)
      : impairments(options, "xbind-switch " + name) {}

  // ----- opening -----

  Result<void> open(const std::vector<SwitchOptions>& switches, const Options& process,
                    std::uint64_t seed) {
    if (auto good = find_captures(process.capture_dir); !good) return good;
    for (const SwitchOptions& one : switches) {
      if (auto good = add(one, seed++, switches.size() > 1); !good) {
        return fail(good.error().code, "{}: {}", one.name, good.error().text);
      }
      all.push_back(&served.back()->emulated);
    }
    if (auto good = open_links(switches); !good) return good;
    for (std::size_t index = 0; index < switches.size(); ++index) {
      if (auto good = prepare(*served[index], switches[index]); !good) {
        return fail(good.error().code, "{}: {}", switches[index].name, good.error().text);
      }
    }
    if (!process.control.empty()) {
      if (auto good = open_control(*net::parse_control_address(process.control)); !good)
        return good;
    }
    loop.stop_on_signals();
    loop.set_turn([this] { return turn(); });
    return {};
  }

  Result<void> add(const SwitchOptions& options, std::uint64_t seed, bool several) {
    const std::string prefix = several ? options.name + ": " : std::string{};
    served.push_back(std::make_unique<Served>(options, seed, prefix, impairments));
    log::info("{}seed {}", prefix, options.seed != 0 ? options.seed : seed);
    return served.back()->listen(loop, options.listen);
  }

  Result<void> open_links(const std::vector<SwitchOptions>& switches) {
    const std::vector<dataplane::LinkPlace> places = link_places(switches);
    auto opened = dataplane::LinkSet::open(places, {.clock = steady_now});
    if (!opened) return tl::make_unexpected(opened.error());
    links.emplace(std::move(*opened));
    for (const auto& one : served) {
      for (const dataplane::LinkPlace& place : places) {
        if (place.node != one->emulated.name()) continue;
        log_link(place);
        one->emulated.attach(place.port, links->take(place.node, place.port), place.delay);
      }
    }
    for (const int descriptor : links->descriptors()) {
      if (auto good = loop.watch(descriptor, [this] { wake_cells(); }); !good) return good;
    }
    return {};
  }

  // Includes the UDP port that the system chose, if any.
  void log_link(const dataplane::LinkPlace& place) const {
    dataplane::LinkSpec link = place.link;
    if (link.local.port == 0) link.local.port = links->local_port(place.node, place.port);
    log::info("{} port {}: {}", place.node, place.port, to_string(link));
  }

  // Applies the captures and faults of the options.
  Result<void> prepare(Served& one, const SwitchOptions& options) {
    for (const std::string& text : options.captures) {
      const auto [port, file] = *parse_port_file(text);
      if (auto good = capture(one.emulated, port, file); !good) return good;
    }
    for (const std::string& text : options.faults) {
      const auto done = execute(*parse_command(text), one.emulated, controls, steady_now());
      if (!done) {
        return fail(ErrorCode::kBadInput, "--fault '{}': {}", text, done.error().text);
      }
    }
    return {};
  }

  // The directory is resolved once: what its name stands for later does not matter.
  Result<void> find_captures(const std::string& directory) {
    if (directory.empty()) return {};
    std::error_code error;
    capture_dir = std::filesystem::canonical(directory, error);
    if (!error && !std::filesystem::is_directory(capture_dir, error) && !error) {
      error = std::make_error_code(std::errc::not_a_directory);
    }
    if (error) return fail(ErrorCode::kSystem, "--capture-dir {}: {}", directory, error.message());
    return {};
  }

  Result<void> open_control(const net::ControlAddress& address) {
    net::LineServerOptions options;
    options.server.listen = address.tcp;
    options.server.path = address.path;
    options.server.connections_max = kControlConnectionsMax;
    options.server.queue_octets_max = 1U << 20;
    options.server.read_pause_octets = 64U << 10;
    options.line_octets_max = kControlLineMax;
    options.too_long = to_string(ControlError{ControlFault::kLineTooLong,
                                              fmt::format("more than {} octets", kControlLineMax)});
    net::LineServerUpcalls upcalls;
    upcalls.on_line = [this](std::string_view line) { return on_order(line); };
    upcalls.on_trouble = [](const std::string& what) { log::gsmp.warn("control: {}", what); };
    auto opened = net::LineServer::listen(loop, options, std::move(upcalls));
    if (!opened) return fail(opened.error().code, "control socket: {}", opened.error().text);
    control = std::move(*opened);
    return {};
  }

  // ----- the operator -----

  net::LineAnswer on_order(std::string_view line) {
    log::info("control: {}", printable(line));
    net::LineAnswer answered{answer(line, all, controls, steady_now()), {}};
    for (const auto& one : served) one->dirty = true;
    // Whoever sends something else did not mean us: a browser's request has lines of its sender's
    // choice behind it.
    if (!is_order(line)) answered.close_because = "a line that is no order";
    return answered;
  }

  // An order's capture.
  Result<void> capture_below(EmulatedSwitch& emulated, PortId port, const std::string& file) {
    if (file.empty()) return capture(emulated, port, file);
    if (capture_dir.empty()) {
      return fail(ErrorCode::kBadInput,
                  "{}: no --capture-dir was given at the start, so nothing may be written", file);
    }
    std::error_code error;
    const auto whole = std::filesystem::weakly_canonical(capture_dir / file, error);
    if (error || whole.parent_path() != capture_dir) {
      return fail(ErrorCode::kBadInput, "{}: is no name of a file directly below {}", file,
                  capture_dir.string());
    }
    return capture(emulated, port, whole.string());
  }

  Result<void> capture(EmulatedSwitch& emulated, PortId port, const std::string& file) {
    const auto found =
        std::ranges::find_if(served, [&](const auto& one) { return &one->emulated == &emulated; });
    Served& one = **found;
    if (file.empty()) {
      Result<void> flushed;
      if (const auto open = one.captures.find(port); open != one.captures.end()) {
        flushed = open->second->flush();
        one.captures.erase(open);
      }
      if (one.captures.empty()) emulated.set_tap({});
      return flushed;
    }
    // Readers do not reassemble cells; where these are frames, the frames are of interest.
    const bool frames = emulated.frames_since_start(port) != nullptr;
    auto opened = CaptureFile::open(
        {.path = file,
         .content = frames ? dataplane::CaptureContent::kFrames : dataplane::CaptureContent::kCells,
         .aal5 = {.connections_max = kCaptureConnectionsMax}});
    if (!opened) return tl::make_unexpected(opened.error());
    one.captures[port] = std::move(*opened);
    emulated.set_tap([&one](PortId tapped, dataplane::Direction direction,
                            std::span<const dataplane::Cell> cells) {
      const auto open = one.captures.find(tapped);
      if (open == one.captures.end()) return;
      if (one.emulated.frames_since_start(tapped) == nullptr) {
        return open->second->cells(direction, cells, wall_now());
      }
      std::vector<dataplane::Cell> shown(cells.begin(), cells.end());
      for (dataplane::Cell& cell : shown) cell.header |= kFramesVpi;
      open->second->cells(direction, shown, wall_now());
    });
    return {};
  }

  void flush_captures(Served& one) {
    for (auto& [port, file] : one.captures) {
      const bool was_well = !file->error();
      if (const auto flushed = file->flush(); !flushed && was_well) {
        log::error("{}: capture of port {}: {}", one.emulated.name(), port, flushed.error().text);
      }
    }
  }

  // ----- the loop -----

  TimePoint turn() {
    const TimePoint now = steady_now();
    if (cells_due <= now) wake_cells();
    if (cells_active) pump(now);
    TimePoint due = cells_active ? now : cells_due;
    for (const auto& one : served) {
      if (one->emulated.next_deadline() <= now) {
        one->emulated.tick(now);
        one->dirty = true;
      }
      if (one->dirty) one->deliver(now);
      due = std::min(due, one->emulated.next_deadline());
    }
    return due;
  }

  void wake_cells() {
    cells_active = true;
    idle_pumps = 0;
  }

  // Moves cells of the next switch that has any. If none has, all rest.
  void pump(TimePoint now) {
    while (idle_pumps < served.size()) {
      Served& one = *served[next_pumped];
      next_pumped = (next_pumped + 1) % served.size();
      const std::size_t moved = one.emulated.pump(now);
      if (moved > 0) {
        idle_pumps = 0;
        one.dirty = true;
        return;
      }
      ++idle_pumps;
    }
    cells_active = false;
    cells_due = kNever;
    for (const auto& one : served) {
      cells_due = std::min(cells_due, one->emulated.cells_deadline());
      flush_captures(*one);
    }
    if (cells_due != kNever) cells_due = std::max(cells_due, now + kCellRest);
  }

  Impairments impairments;  // shared by the whole process
  net::Loop loop;
  std::optional<dataplane::LinkSet> links;
  std::vector<std::unique_ptr<Served>> served;
  std::vector<EmulatedSwitch*> all;  // of `served`
  std::unique_ptr<net::LineServer> control;
  std::filesystem::path capture_dir;  // canonical; empty: none
  Controls controls{
      .capture = [this](EmulatedSwitch& emulated, PortId port,
                        const std::string& file) { return capture_below(emulated, port, file); },
      .tune = {}};

  bool cells_active = false;  // pump again
  std::size_t idle_pumps = 0;
  std::size_t next_pumped = 0;
  TimePoint cells_due = kNever;  // while not active
};

Daemon::Daemon(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Daemon::~Daemon() = default;

Result<std::unique_ptr<Daemon>> Daemon::open(const std::vector<SwitchOptions>& switches,
                                             const Options& process, std::uint64_t seed) {
  auto impl = std::make_unique<Impl>(process.impairments, switches.front().name);
  if (auto good = impl->open(switches, process, seed); !good) {
    return tl::make_unexpected(good.error());
  }
  return std::unique_ptr<Daemon>(new Daemon(std::move(impl)));
}

std::vector<std::string> Daemon::ready_lines() const {
  std::vector<std::string> lines;
  if (impl_->control) {
    const std::string& address = impl_->control->address();
    const bool is_path = address.find('/') != std::string::npos;
    lines.push_back(fmt::format("xbind-switch control on {}{}", is_path ? "" : "tcp:", address));
  }
  for (const auto& one : impl_->served) {
    lines.push_back(
        fmt::format("xbind-switch {} listening on {}", one->emulated.name(), one->address()));
  }
  return lines;
}

void Daemon::set_options(config::Reloadable& options) {
  impl_->loop.set_on_hang_up([&options] { (void)config::reload_and_log(options, "SIGHUP"); });
  impl_->controls.tune = [&options](const std::string& name,
                                    const std::optional<std::string>& value) {
    return config::tune_and_log(options, {{name, value}});
  };
}

void Daemon::change(const std::vector<SwitchOptions>& wanted) {
  for (std::size_t index = 0; index < impl_->served.size(); ++index) {
    impl_->served[index]->emulated.set_bounds(wanted[index].branches_max,
                                              wanted[index].buffer_cells);
  }
}

std::vector<exporter::Part> Daemon::exposed_parts() {
  std::vector<exporter::Part> parts;
  for (const auto& one : impl_->served) {
    const EmulatedSwitch* const emulated = &one->emulated;
    exporter::Part part{.name = emulated->name(), .labels = {}, .ask = {}, .append = {}};
    part.labels = {{"switch", emulated->name()}};
    part.ask = [this, emulated](const std::function<void(exporter::Reading)>& done) {
      // Refused when the process ends: the question is then dropped, as Part says.
      (void)impl_->loop.post([emulated, done] { done({metrics_of(*emulated), {}, {}}); });
    };
    part.append = [](Metrics& metrics) { append_process_metrics(own_resident_kib(), metrics); };
    parts.push_back(std::move(part));
  }
  return parts;
}

void Daemon::run() {
  impl_->loop.run();
  for (const auto& one : impl_->served) impl_->flush_captures(*one);
}

}  // namespace xbind::emulator
