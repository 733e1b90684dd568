#include "routeobject/network_file.hpp"

#include <fmt/format.h>

#include <boost/crc.hpp>
#include <charconv>
#include <filesystem>

#include "core/state_file.hpp"
#include "routeobject/network/topology_text.hpp"
#include "routeobject/topology/topology_file.hpp"

namespace xbind {
namespace {

constexpr StateFormat kNetworkFormat{
    .what = "xbind-routeobject network",
    .version = 2,
    .octets_max = kTopologyOctetsMax,
    .without = "the network is the one of --topology; what operators have changed since is lost",
};
constexpr std::string_view kMarkWords = "# of a file of ";
constexpr std::string_view kBetween = " octets, CRC-32 ";

// "# of a file of 1234 octets, CRC-32 89abcdef"
std::optional<FileMark> mark_in(std::string_view line) {
  if (!line.starts_with(kMarkWords)) return std::nullopt;
  line.remove_prefix(kMarkWords.size());
  FileMark mark;
  const char* const last = line.data() + line.size();
  const auto octets = std::from_chars(line.data(), last, mark.octets);
  if (octets.ec != std::errc{}) return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(octets.ptr - line.data()));
  if (!line.starts_with(kBetween)) return std::nullopt;
  line.remove_prefix(kBetween.size());
  const auto crc = std::from_chars(line.data(), last, mark.crc32, 16);
  if (crc.ec != std::errc{} || crc.ptr != last) return std::nullopt;
  return mark;
}

std::string content_of(const Topology& topology, const FileMark& file) {
  return fmt::format("{}{}{}{:08x}\n{}", kMarkWords, file.octets, kBetween, file.crc32,
                     topology_as_toml(topology));
}

Result<StoredNetwork> network_of(const StateText& state, const std::string& path) {
  const auto mark = mark_in(state.content().substr(0, state.content().find('\n')));
  if (!mark) {
    return fail(ErrorCode::kBadInput, "{} line 2: it is not '{}N{}N'", path, kMarkWords, kBetween);
  }
  auto topology = parse_topology(state.text, path);
  if (!topology) return tl::make_unexpected(std::move(topology).error());
  return StoredNetwork{*mark, std::move(*topology)};
}

}  // namespace

FileMark mark_of(std::string_view text) {
  boost::crc_32_type crc;
  crc.process_bytes(text.data(), text.size());
  return {text.size(), crc.checksum()};
}

std::string network_file_path(const std::string& directory, const std::string& name) {
  return fmt::format("{}/routeobject-{}.network", directory, name);
}

std::string network_as_text(const Topology& topology, const FileMark& file) {
  return state_as_text(kNetworkFormat, content_of(topology, file));
}

Result<StoredNetwork> network_from_text(std::string_view text, const std::string& path) {
  const auto state = state_from_text(kNetworkFormat, text, path);
  if (!state) return tl::make_unexpected(state.error());
  return network_of(*state, path);
}

Result<std::optional<StoredNetwork>> read_network(const std::string& path) {
  return read_state_as<StoredNetwork>(
      kNetworkFormat, path, [&](const StateText& state) { return network_of(state, path); });
}

Result<void> write_network(const std::string& path, const Topology& topology, const FileMark& file,
                           Unwritten unwritten) {
  return write_state(kNetworkFormat, path, content_of(topology, file), unwritten);
}

Result<void> set_aside_network(const std::string& path) {
  std::error_code error;
  std::filesystem::rename(path, path + ".superseded", error);
  if (error) return fail(ErrorCode::kSystem, "{}: {}", path, error.message());
  return {};
}

}  // namespace xbind
