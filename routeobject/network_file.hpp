// The network that RouteObject serves, on disk, so that it outlives the process.
//
// A state file (core/state_file.hpp), and a topology file in our own format. Its second line is a
// comment that names the file of --topology that the network comes from, by size and CRC-32: with
// the same file the next start serves the stored network, with what operators have changed since;
// of another file it says what that lacks (network_choice.hpp). The file is written whole and is on
// the disk before a change is answered.
//
// Blocks on the disk. One process a file; not for several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "core/state_file.hpp"
#include "routeobject/topology/topology.hpp"

namespace xbind {

// Identifies the text of a topology file; equal texts have equal marks.
struct FileMark {
  std::uint64_t octets = 0;
  std::uint32_t crc32 = 0;

  friend bool operator==(const FileMark&, const FileMark&) = default;
};
FileMark mark_of(std::string_view text);

struct StoredNetwork {
  FileMark file;  // the --topology that it comes from
  Topology topology;
};

// DIRECTORY/routeobject-NAME.network
std::string network_file_path(const std::string& directory, const std::string& name);

std::string network_as_text(const Topology& topology, const FileMark& file);
// kBadInput: another format, not whole, or a refusal of parse_topology(); the text names `path`.
Result<StoredNetwork> network_from_text(std::string_view text, const std::string& path);

// nullopt: there is no file. Errors as above, and of read_state().
Result<std::optional<StoredNetwork>> read_network(const std::string& path);
// kSystem: writing failed; the text names the file and the reason, and the old file stays.
// `unwritten`: what the file should have then.
Result<void> write_network(const std::string& path, const Topology& topology, const FileMark& file,
                           Unwritten unwritten);
// Renames the file to `path`.superseded. kSystem as above.
Result<void> set_aside_network(const std::string& path);

}  // namespace xbind
