#include "routeobject/drain_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/durable_file.hpp"
#include "routeobject/topology/topology.hpp"

namespace xbind {
namespace {

constexpr std::string_view kFirstLine = "xbind-routeobject drains 1";

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

}  // namespace

std::string drain_file_path(const std::string& directory, const std::string& name) {
  return fmt::format("{}/routeobject-{}.drains", directory, name);
}

std::string drains_as_text(const std::vector<PathElement>& drains) {
  std::string text{kFirstLine};
  text += '\n';
  for (const PathElement& element : drains) {
    text += element.output_port == PortId{}
                ? fmt::format("{}\n", element.switch_name)
                : fmt::format("{} {}\n", element.switch_name, element.output_port);
  }
  return text + fmt::format("end {}\n", drains.size());
}

Result<std::vector<PathElement>> drains_from_text(std::string_view text, const std::string& path) {
  std::vector<PathElement> drains;
  std::size_t number = 1;
  const auto first = take_line(text);
  if (first != kFirstLine) {
    return fail(ErrorCode::kBadInput, "{} line 1: it is not '{}'", path, kFirstLine);
  }
  for (;;) {
    ++number;
    const auto line = take_line(text);
    if (!line) return fail(ErrorCode::kBadInput, "{} line {}: the file is cut off", path, number);
    if (line->starts_with("end ")) {
      if (number_of<std::size_t>(line->substr(4)) != drains.size() || !text.empty()) {
        return fail(ErrorCode::kBadInput, "{} line {}: it is not the end of {} elements", path,
                    number, drains.size());
      }
      break;
    }
    auto element = element_of(*line);
    if (!element) {
      return fail(ErrorCode::kBadInput, "{} line {}: it is not SWITCH or SWITCH PORT", path,
                  number);
    }
    drains.push_back(*std::move(element));
  }
  std::vector<PathElement> sorted = drains;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    return fail(ErrorCode::kBadInput, "{}: {} port {} is there twice", path, twice->switch_name,
                twice->output_port);
  }
  return drains;
}

Result<std::vector<PathElement>> read_drains(const std::string& path) {
  const auto text = read_file_if_there(path, kDrainFileOctetsMax);
  if (!text) return tl::make_unexpected(text.error());
  return *text ? drains_from_text(**text, path) : std::vector<PathElement>{};
}

Result<void> write_drains(const std::string& path, const std::vector<PathElement>& drains) {
  return replace_file(path, drains_as_text(drains));
}

}  // namespace xbind
