#include "routeobject/drain_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/state_file.hpp"
#include "routeobject/topology/topology.hpp"

namespace xbind {
namespace {

constexpr StateFormat kDrainFormat{
    .what = "xbind-routeobject drains",
    .version = 2,
    .octets_max = kDrainFileOctetsMax,
    .without = "nothing is drained",
    .earlier = "xbind-routeobject drains 1",
};

// Removes the next line from `text`. nullopt if it has no end: the file was cut off.
std::optional<std::string_view> take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

template <class Number>
std::optional<Number> number_of(std::string_view word) {
  Number value = 0;
  const char* const last = word.data() + word.size();
  const auto [end, error] = std::from_chars(word.data(), last, value);
  if (error != std::errc{} || end != last) return std::nullopt;
  return value;
}

// "switch-1" or "switch-1 2"
std::optional<PathElement> element_of(std::string_view line) {
  const std::size_t space = line.find(' ');
  PathElement element{std::string{line.substr(0, space)}, PortId{}};
  if (name_fault(element.switch_name)) return std::nullopt;
  if (space == std::string_view::npos) return element;
  const auto port = number_of<std::uint32_t>(line.substr(space + 1));
  if (!port || *port == 0 || *port > kPortsMax) return std::nullopt;
  element.output_port = PortId{*port};
  return element;
}

std::string content_of(const std::vector<PathElement>& drains) {
  std::string text;
  for (const PathElement& element : drains) {
    text += element.output_port == PortId{}
                ? fmt::format("{}\n", element.switch_name)
                : fmt::format("{} {}\n", element.switch_name, element.output_port);
  }
  return text;
}

Result<std::vector<PathElement>> drains_of(const StateText& state, const std::string& path) {
  std::vector<PathElement> drains;
  std::string_view text = state.content();
  bool ended = !state.earlier;  // a file of the version before ends with the number of elements
  for (std::size_t number = 2; !text.empty(); ++number) {
    const auto line = take_line(text);
    if (!line) return fail(ErrorCode::kBadInput, "{} line {}: the file is cut off", path, number);
    if (state.earlier && line->starts_with("end ")) {
      ended = number_of<std::size_t>(line->substr(4)) == drains.size() && text.empty();
      if (ended) break;
      return fail(ErrorCode::kBadInput, "{} line {}: it is not the end of {} elements", path,
                  number, drains.size());
    }
    auto element = element_of(*line);
    if (!element) {
      return fail(ErrorCode::kBadInput, "{} line {}: it is not SWITCH or SWITCH PORT", path,
                  number);
    }
    drains.push_back(*std::move(element));
  }
  if (!ended) return fail(ErrorCode::kBadInput, "{}: the file is cut off", path);
  std::vector<PathElement> sorted = drains;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    return fail(ErrorCode::kBadInput, "{}: {} port {} is there twice", path, twice->switch_name,
                twice->output_port);
  }
  return drains;
}

}  // namespace

std::string drain_file_path(const std::string& directory, const std::string& name) {
  return fmt::format("{}/routeobject-{}.drains", directory, name);
}

std::string drains_as_text(const std::vector<PathElement>& drains) {
  return state_as_text(kDrainFormat, content_of(drains));
}

Result<std::vector<PathElement>> drains_from_text(std::string_view text, const std::string& path) {
  const auto state = state_from_text(kDrainFormat, text, path);
  if (!state) return tl::make_unexpected(state.error());
  return drains_of(*state, path);
}

Result<std::vector<PathElement>> read_drains(const std::string& path) {
  auto read = read_state_as<std::vector<PathElement>>(
      kDrainFormat, path, [&](const StateText& state) { return drains_of(state, path); });
  if (!read) return tl::make_unexpected(read.error());
  return std::move(*read).value_or(std::vector<PathElement>{});
}

Result<void> write_drains(const std::string& path, const std::vector<PathElement>& drains,
                          Unwritten unwritten) {
  return write_state(kDrainFormat, path, content_of(drains), unwritten);
}

}  // namespace xbind
