// The network as the operator has changed it, on disk, so that it outlives RouteObject.
//
// A topology file in our own format. Its first line is a comment that names the format and the file
// of --topology that was changed, by size and CRC-32: a start with another file there is a decision
// of the operator, and the changes to the old one no longer apply. The file is written whole and is
// on the disk before a change is answered. One of another format is refused with its name and line,
// and never overwritten.
//
// Blocks on the disk. One process a file; not for several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"
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
  FileMark changed_file;  // --topology at the time of the change
  Topology topology;
};

// DIRECTORY/routeobject-NAME.network
std::string network_file_path(const std::string& directory, const std::string& name);

std::string network_as_text(const Topology& topology, const FileMark& changed_file);
// kBadInput: another format, or a refusal of parse_topology(); the text names `path` and the line.
Result<StoredNetwork> network_from_text(std::string_view text, const std::string& path);

// nullopt: there is no file. Errors as above, and kSystem: it cannot be read.
Result<std::optional<StoredNetwork>> read_network(const std::string& path);
// kSystem: writing failed; the text names the file and the reason, and the old file stays.
Result<void> write_network(const std::string& path, const Topology& topology,
                           const FileMark& changed_file);
// Renames the file to `path`.superseded. kSystem as above.
Result<void> set_aside_network(const std::string& path);

}  // namespace xbind
