#include "routeobject/network_file.hpp"

#include <fmt/format.h>

#include <boost/crc.hpp>
#include <charconv>
#include <filesystem>

#include "core/durable_file.hpp"
#include "routeobject/network/topology_text.hpp"
#include "routeobject/topology/topology_file.hpp"

namespace xbind {
namespace {

constexpr std::string_view kFirstWords = "# xbind-routeobject network 1: changes a file of ";
constexpr std::string_view kBetween = " octets, CRC-32 ";

// "# xbind-routeobject network 1: changes a file of 1234 octets, CRC-32 89abcdef"
std::optional<FileMark> mark_in(std::string_view line) {
  if (!line.starts_with(kFirstWords)) return std::nullopt;
  line.remove_prefix(kFirstWords.size());
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

}  // namespace

FileMark mark_of(std::string_view text) {
  boost::crc_32_type crc;
  crc.process_bytes(text.data(), text.size());
  return {text.size(), crc.checksum()};
}

std::string network_file_path(const std::string& directory, const std::string& name) {
  return fmt::format("{}/routeobject-{}.network", directory, name);
}

std::string network_as_text(const Topology& topology, const FileMark& changed_file) {
  return fmt::format("{}{}{}{:08x}\n{}", kFirstWords, changed_file.octets, kBetween,
                     changed_file.crc32, topology_as_toml(topology));
}

Result<StoredNetwork> network_from_text(std::string_view text, const std::string& path) {
  const auto mark = mark_in(text.substr(0, text.find('\n')));
  if (!mark) {
    return fail(ErrorCode::kBadInput, "{} line 1: it is not '{}N{}N'", path, kFirstWords, kBetween);
  }
  auto topology = parse_topology(text, path);
  if (!topology) return tl::make_unexpected(std::move(topology).error());
  return StoredNetwork{*mark, std::move(*topology)};
}

Result<std::optional<StoredNetwork>> read_network(const std::string& path) {
  const auto text = read_file_if_there(path, kTopologyOctetsMax);
  if (!text) return tl::make_unexpected(text.error());
  if (!*text) return std::optional<StoredNetwork>{};
  auto stored = network_from_text(**text, path);
  if (!stored) return tl::make_unexpected(std::move(stored).error());
  return std::optional<StoredNetwork>{std::move(*stored)};
}

Result<void> write_network(const std::string& path, const Topology& topology,
                           const FileMark& changed_file) {
  return replace_file(path, network_as_text(topology, changed_file));
}

Result<void> set_aside_network(const std::string& path) {
  std::error_code error;
  std::filesystem::rename(path, path + ".superseded", error);
  if (error) return fail(ErrorCode::kSystem, "{}: {}", path, error.message());
  return {};
}

}  // namespace xbind
