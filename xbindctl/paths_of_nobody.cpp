#include "xbindctl/paths_of_nobody.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <tuple>

#include "core/label_text.hpp"

namespace xbind::ctl {
namespace {

constexpr PortId kHostPort{1};  // of an endpoint (routeobject/topology/topology.hpp)

// "port 4 0/32", "port 0 none"
std::optional<std::pair<PortId, Label>> end_from(std::string_view text) {
  constexpr std::string_view kPort = "port ";
  if (!text.starts_with(kPort)) return std::nullopt;
  text.remove_prefix(kPort.size());
  std::uint32_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (error != std::errc{} || !text.starts_with(' ')) return std::nullopt;
  text.remove_prefix(1);
  if (text == to_string(Label{})) return std::pair{PortId{port}, Label{}};
  const auto label = parse_label(text);
  if (!label) return std::nullopt;
  return std::pair{PortId{port}, *label};
}

// core/audit.cpp, finding_of(): "port 1 0/32 -> port 2 0/40 is in the switch, in no ledger"
std::optional<EntryOfNobody> entry_from(const Finding& finding) {
  constexpr std::string_view kArrow = " -> ";
  constexpr std::string_view kThere = " is in the switch, ";
  const std::string_view text = finding.text;
  const std::size_t arrow = text.find(kArrow);
  const std::size_t there = text.find(kThere);
  const std::size_t name = finding.element.rfind(" port ");
  if (arrow == std::string_view::npos || there == std::string_view::npos || there < arrow ||
      name == std::string::npos) {
    return std::nullopt;
  }
  const std::size_t output = arrow + kArrow.size();
  const auto in = end_from(text.substr(0, arrow));
  const auto out = end_from(text.substr(output, there - output));
  if (!in || !out) return std::nullopt;
  return EntryOfNobody{finding.element.substr(0, name),
                       {in->first, in->second, out->first, out->second},
                       text.substr(there + kThere.size()) != "in no ledger"};
}

std::string input_words(const EntryOfNobody& entry) {
  return fmt::format("{} port {} {}", entry.switch_name, entry.at.input_port,
                     to_string(entry.at.input_label));
}

class Joiner {
 public:
  Joiner(const std::vector<EntryOfNobody>& entries, const PortPlan& plan)
      : entries_(entries), plan_(plan), listed_(entries.size(), false) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const CrossConnect& at = entries[i].at;
      by_input_[{entries[i].switch_name, at.input_port, at.input_label}].push_back(i);
    }
  }

  std::vector<PathOfNobody> paths() {
    std::vector<bool> follows(entries_.size(), false);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      for (const std::size_t next : after(i)) follows[next] = true;
    }
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (!follows[i]) walk_from(i, beginning_of(entries_[i]));
    }
    // What is left goes round.
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (!listed_[i]) walk_from(i, "a circle");
    }
    return std::move(paths_);
  }

 private:
  using Input = std::tuple<std::string, PortId, Label>;

  std::vector<std::size_t> after(std::size_t i) const {
    const CrossConnect& at = entries_[i].at;
    const auto far = plan_.far_ends.find({entries_[i].switch_name, at.output_port});
    if (far == plan_.far_ends.end()) return {};
    const auto found = by_input_.find({far->second.first, far->second.second, at.output_label});
    return found == by_input_.end() ? std::vector<std::size_t>{} : found->second;
  }

  std::string beginning_of(const EntryOfNobody& entry) const {
    if (entry.of_call) return fmt::format("a call at {}", entry.switch_name);
    if (is_host(entry.switch_name, entry.at.input_port)) return entry.switch_name;
    const auto far = plan_.far_ends.find({entry.switch_name, entry.at.input_port});
    if (far == plan_.far_ends.end()) return "a port without a link";
    return fmt::format("{} port {} (no entry of nobody there)", far->second.first,
                       far->second.second);
  }

  std::string end_of(const EntryOfNobody& entry) const {
    const CrossConnect& at = entry.at;
    if (!at.output_label.present()) {
      return fmt::format("an output that {} does not report", entry.switch_name);
    }
    if (is_host(entry.switch_name, at.output_port)) return entry.switch_name;
    const auto far = plan_.far_ends.find({entry.switch_name, at.output_port});
    const std::string label = to_string(at.output_label);
    if (far == plan_.far_ends.end()) {
      return fmt::format("port {} {} without a link", at.output_port, label);
    }
    return fmt::format("{} port {} {} (no entry of nobody there)", far->second.first,
                       far->second.second, label);
  }

  bool is_host(const std::string& name, PortId port) const {
    return port == kHostPort && plan_.endpoints.contains(name);
  }

  // Lists a path for each end that this entry leads to, depth first and without recursion.
  void walk_from(std::size_t root, const std::string& from) {
    struct Step {
      std::size_t entry;
      std::vector<std::size_t> next;
      std::size_t tried = 0;
    };
    std::vector<Step> way;
    std::size_t shared = 0;
    const auto list = [&](std::string to) {
      PathOfNobody& path = paths_.emplace_back();
      for (const Step& step : way) path.hops.push_back(entries_[step.entry]);
      path.from = from;
      path.to = std::move(to);
      path.shared = shared;
      shared = way.size();
    };
    const auto enter = [&](std::size_t entry) {
      listed_[entry] = true;
      way.push_back({entry, after(entry)});
      if (way.back().next.empty()) list(end_of(entries_[entry]));
    };
    enter(root);
    while (!way.empty()) {
      Step& last = way.back();
      if (last.tried == last.next.size()) {
        way.pop_back();
        shared = std::min(shared, way.size());
        continue;
      }
      const std::size_t next = last.next[last.tried++];
      if (listed_[next]) {
        list(fmt::format("{} again", input_words(entries_[next])));
      } else {
        enter(next);
      }
    }
  }

  const std::vector<EntryOfNobody>& entries_;
  const PortPlan& plan_;
  std::map<Input, std::vector<std::size_t>> by_input_;
  std::vector<bool> listed_;
  std::vector<PathOfNobody> paths_;
};

}  // namespace

std::vector<EntryOfNobody> entries_of_nobody(const std::vector<Finding>& findings) {
  std::vector<EntryOfNobody> entries;
  for (const Finding& finding : findings) {
    if (finding.kind != FindingKind::kStrayCrossConnect) continue;
    if (auto entry = entry_from(finding)) entries.push_back(std::move(*entry));
  }
  return entries;
}

std::vector<PathOfNobody> paths_of_nobody(std::vector<EntryOfNobody> entries,
                                          const PortPlan& plan) {
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  return Joiner(entries, plan).paths();
}

std::string words_of(const PathOfNobody& path) {
  std::string words = path.from;
  if (path.shared != 0) words += fmt::format(" -> (the first {} as before)", path.shared);
  for (std::size_t i = path.shared; i < path.hops.size(); ++i) {
    words += " -> " + input_words(path.hops[i]);
  }
  return fmt::format("{} -> {}: {} {}", words, path.to, path.hops.size(),
                     path.hops.size() == 1 ? "hop" : "hops");
}

}  // namespace xbind::ctl
