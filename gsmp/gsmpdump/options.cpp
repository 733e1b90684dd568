#include "gsmp/gsmpdump/options.hpp"

#include <limits>

#include "core/config/host_port.hpp"
#include "gsmp/gsmpdump/timers.hpp"
#include "gsmp/port.hpp"

namespace xbind::gsmpdump {

config::OptionSet declare(Options& options) {
  Options* const o = &options;
  config::OptionSet set("gsmpdump", "Prints GSMP messages as words, one line a message.");
  set.add_timers(kDumpTimers);
  set.take_arguments("HEX", &o->hex, 0, std::numeric_limits<std::size_t>::max());
  set.add_string("read", &o->read, "",
                 "File to read, a capture (pcap or pcapng) or hexadecimal text; without this, "
                 "without HEX and without a place to listen, text comes from standard input.");
  set.add_string("interface", &o->interface, "",
                 "Network interface to listen to; the system may require privileges.");
  set.add_string(
      "listen", &o->listen, "",
      "HOST:PORT to listen on, between controllers and the switch of --to; port 0 lets the "
      "system pick one.");
  set.add_string("to", &o->to, "", "HOST:PORT of the switch; goes with --listen.");
  set.add_uint("port", &o->port, gsmp::kGsmpPort, {1, 65535},
               "TCP port of the switches in a capture or on --interface.");
  set.add_flag("hex", &o->octets, "Print the octets of each message below its line.");
  set.add_check([o]() -> std::optional<std::string> {
    const int sources =
        !o->hex.empty() + !o->read.empty() + !o->interface.empty() + !o->listen.empty();
    if (sources > 1) return "HEX, --read, --interface and --listen: one at a time";
    if (o->listen.empty() != o->to.empty()) return "--listen and --to go together";
    if (o->listen.empty()) return std::nullopt;
    if (const auto parsed = parse_host_port(o->listen); !parsed) {
      return "--listen: " + parsed.error().text;
    }
    if (const auto parsed = parse_host_port(o->to); !parsed) {
      return "--to: " + parsed.error().text;
    }
    return std::nullopt;
  });
  return set;
}

}  // namespace xbind::gsmpdump
