#include "xbindctl/trace_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace xbind::ctl {
namespace {

// Commands have a switch and a hop; only the manager's parts are looked at for them.
bool is_command(const trace::Span& span) {
  return !span.place.empty() && span.key.generation != Generation{};
}

class Tree {
 public:
  explicit Tree(const TraceParts& parts) : parts_(parts) {
    add(parts.manager);
    for (const trace::Part& part : parts.switch_servers) add(part);
    std::stable_sort(all_.begin(), all_.end(), [](const Known& a, const Known& b) {
      return a.span->begin_ns < b.span->begin_ns;
    });
    for (const Known& known : all_) {
      const bool below = known.span->parent != 0 && ids_.contains(known.span->parent);
      (below ? children_[known.span->parent] : tops_).push_back(known);
    }
  }

  std::vector<TraceNode> nodes() {
    for (const Known& top : tops_) {
      std::string note;
      if (top.span->parent != 0) note = "the manager has not recorded the command";
      append(top, 0, top.span->begin_ns, std::move(note));
    }
    return std::move(nodes_);
  }

 private:
  struct Known {
    const trace::Span* span;
    const trace::Part* part;
  };

  void add(const trace::Part& part) {
    for (const trace::Span& span : part.spans) {
      all_.push_back({&span, &part});
      ids_.insert(span.id);
    }
  }

  // Each span once, also if a peer sends spans that are each other's parents.
  void append(const Known& known, std::size_t depth, std::uint64_t begin, std::string note) {
    const auto below = children_.extract(known.span->id);
    if (note.empty()) note = missing_below(known, below.empty());
    nodes_.push_back({known.span, known.part, depth, begin, std::move(note)});
    if (below.empty()) return;
    for (const Known& child : below.mapped()) append(child, depth + 1, begin, {});
  }

  std::string missing_below(const Known& known, bool nothing) const {
    if (!nothing || known.part != &parts_.manager || !is_command(*known.span)) return {};
    if (known.span->end_ns == 0) return "its SwitchServer has not answered";
    const std::string& place = known.span->place;
    const auto missing =
        std::find_if(parts_.missing.begin(), parts_.missing.end(),
                     [&](const MissingPart& part) { return part.switch_name == place; });
    if (missing != parts_.missing.end()) {
      return fmt::format("the part of its SwitchServer is missing: {}", missing->why);
    }
    return "its SwitchServer has recorded nothing of it";
  }

  const TraceParts& parts_;
  std::vector<Known> all_;
  std::vector<Known> tops_;
  std::unordered_set<std::uint64_t> ids_;
  std::unordered_map<std::uint64_t, std::vector<Known>> children_;
  std::vector<TraceNode> nodes_;
};

}  // namespace

std::vector<std::string> switches_of(const trace::Part& manager) {
  std::vector<std::string> names;
  for (const trace::Span& span : manager.spans) {
    if (!is_command(span)) continue;
    if (std::find(names.begin(), names.end(), span.place) == names.end()) {
      names.push_back(span.place);
    }
  }
  return names;
}

std::vector<TraceNode> tree_of(const TraceParts& parts) { return Tree(parts).nodes(); }

}  // namespace xbind::ctl
