// Files of tables under libFuzzer: the keeper's connections, the nodes of a SwitchServer, the
// switches of an emulator; and orders to such a switch. The first octet chooses.
//
// What is accepted is in its bounds; a refusal of a file names it and says why.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/frame_classes.hpp"
#include "dataplane/port_controller_profile.hpp"
#include "emulator/control.hpp"
#include "emulator/options.hpp"
#include "emulator/switch_set.hpp"
#include "gsmp/gsmpdump/hex_text.hpp"
#include "keeper/connection_file.hpp"
#include "net/control_address.hpp"
#include "net/lines.hpp"
#include "ovs/bridge_link.hpp"
#include "switchagent/port_options.hpp"
#include "switchserver/node_options.hpp"
#include "tests/fuzz/property.hpp"

namespace {

using namespace xbind;
using namespace xbind::fuzz;

template <class Tables>
void require_names(const Tables& tables) {
  std::set<std::string> names;
  for (const auto& table : tables) {
    require(names.insert(table.name).second, "two tables have one name", table.name);
  }
}

void connections(std::string_view text) {
  const auto read = keeper::parse_connections(text, kFile);
  if (!read) return require_refusal(read.error());
  require(read->size() <= keeper::kTablesMax, "too many tables");
  std::uint64_t calls = 0;
  for (const keeper::Wanted& wanted : *read) {
    require(wanted.count >= 1, "a table of no call", wanted.name);
    calls += wanted.count;
  }
  require(calls <= keeper::kCallsMax, "too many calls");
  require_names(*read);
}

void nodes(std::string_view text) {
  const auto read = parse_nodes(text, kFile);
  if (!read) return require_refusal(read.error());
  require(read->size() <= kNodesMax, "too many nodes");
  require_names(*read);
  require(changes_of(*read, *read).empty(), "a file differs from itself");
}

void switches(std::string_view text) {
  const auto read = emulator::parse_switches(text, kFile);
  if (!read) return require_refusal(read.error());
  require(read->size() <= emulator::kSwitchesMax, "too many switches");
  require_names(*read);
  const auto changes = emulator::changes_of(*read, *read);
  require(changes && changes->empty(), "a file differs from itself");
}

void orders(std::string_view octets) {
  net::LineSplitter lines(emulator::kControlLineMax);
  lines.feed(octets, [](std::string_view line) {
    const auto order = emulator::parse_command(line);
    if (order) return;
    const std::string answer = to_string(order.error());
    require(answer.starts_with("error "), "a refused order is not called an error", answer);
    require_sentence(answer, 4 * kSentenceOctetsMax);
  });
}

void values(const std::string& text) {
  switchagent::parse_port_rate(text);
  emulator::parse_port_file(text);
  if (const auto read = emulator::parse_service(text); !read) require_sentence(read.error().text);
  if (const auto read = parse_frame_class(text); !read) require_sentence(read.error().text);
  if (const auto read = dataplane::parse_port_controller(text)) {
    require(read->line_cell_ps() > 0, "a cell takes no time on a line");
  } else {
    require_sentence(read.error().text);
  }
  if (const auto read = ovs::parse_bridge_address(text); !read) {
    require_sentence(read.error().text);
  }
  if (const auto read = net::parse_control_address(text); !read) {
    require_sentence(read.error().text);
  }
  if (const auto read = net::parse_control_path(text); !read) require_sentence(read.error().text);
  if (const auto read = gsmpdump::parse_hex(text); !read) require_sentence(read.error().text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = text_of({data + 1, size - 1});
  switch (data[0]) {
    case 'k': connections(text); break;
    case 'n': nodes(text); break;
    case 's': switches(text); break;
    case 'o': orders(text); break;
    default: values(std::string(text));
  }
  return 0;
}
