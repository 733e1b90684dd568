// Files that daemons write for their own next start, under libFuzzer: the managers of a
// SwitchServer, the epoch and the pools of a manager, RouteObject's network and drains, the options
// that operators have set. Somebody may have edited or cut one.
//
// Each input is tried as all of them, since each file begins with its format. What is accepted is
// read back from what the daemon would write.
#include <algorithm>

#include "cmgr/epoch_file.hpp"
#include "cmgr/pool_file.hpp"
#include "core/config/kept_settings.hpp"
#include "core/name.hpp"
#include "core/state_file.hpp"
#include "routeobject/drain_file.hpp"
#include "routeobject/network_file.hpp"
#include "routeobject/topology/topology.hpp"
#include "switchserver/manager_file.hpp"
#include "tests/fuzz/property.hpp"

namespace {

using namespace xbind;
using namespace xbind::fuzz;

template <class T>
void require_same(const T& value, const Result<T>& again, std::string_view text) {
  require(again.has_value(), "a file that was read and written is refused", text);
  require(*again == value, "a file is not read as written", text);
}

bool managers(std::string_view text) {
  const auto read = managers_from_text(text, kFile);
  if (!read) {
    require_refusal(read.error());
    return false;
  }
  for (const KnownManager& manager : *read) {
    require(is_name(manager.name), "a manager has an invalid name", manager.name);
  }
  const std::string written = managers_as_text(*read);
  require_same(*read, managers_from_text(written, kFile), written);
  return true;
}

bool epoch(std::string_view text) {
  const auto read = cmgr::epoch_from_text(text, kFile);
  if (!read) {
    require_refusal(read.error());
    return false;
  }
  const std::string written = cmgr::epoch_as_text(*read);
  require_same(*read, cmgr::epoch_from_text(written, kFile), written);
  return true;
}

bool drains(std::string_view text) {
  const auto read = drains_from_text(text, kFile);
  if (!read) {
    require_refusal(read.error());
    return false;
  }
  for (const PathElement& element : *read) {
    require(!name_fault(element.switch_name), "a switch has an invalid name", element.switch_name);
    require(element.output_port.value() <= kPortsMax, "a port is out of its bounds");
  }
  const std::string written = drains_as_text(*read);
  require_same(*read, drains_from_text(written, kFile), written);
  return true;
}

// The end mark stops every mutation, so the rest of each reader is tried with a right one too.
std::string with_right_end(std::string_view text) {
  return with_end_mark(std::string(text.substr(0, text.rfind("# end: "))));
}

bool network(std::string_view text) {
  const auto read = network_from_text(text, kFile);
  if (!read) {
    require_refusal(read.error());
    return false;
  }
  const std::string written = network_as_text(read->topology, read->file);
  const auto again = network_from_text(written, kFile);
  require(again.has_value(), "a network that was read and written is refused", text);
  require(again->file == read->file, "the mark of its file is not read as written", text);
  require(again->topology == read->topology, "a network is not read as written", text);
  return true;
}

bool pools(std::string_view text) {
  const auto read = cmgr::pools_from_text(text, kFile);
  if (!read) {
    require_refusal(read.error());
    return false;
  }
  const std::string written = cmgr::pools_as_text(*read);
  require_same(*read, cmgr::pools_from_text(written, kFile), written);
  return true;
}

bool settings(std::string_view text) {
  const auto read = config::settings_from_text(text, kFile);
  if (!read) {
    require_refusal(read.error());
    return false;
  }
  const std::string written = config::settings_as_text(*read);
  require_same(*read, config::settings_from_text(written, kFile), written);
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of({data, size});
  int accepted =
      managers(text) + epoch(text) + drains(text) + network(text) + pools(text) + settings(text);
  require(accepted <= 1, "a file is accepted as one of another daemon", text);
  const std::string ended = with_right_end(text);
  accepted += managers(ended) + epoch(ended) + drains(ended) + network(ended) + pools(ended) +
              settings(ended);
  require(accepted <= 2, "a file is accepted as one of another daemon", ended);
  return 0;
}
