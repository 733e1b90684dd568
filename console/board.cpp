#include "console/board.hpp"

#include <fmt/format.h>

#include "console/problem.hpp"

namespace xbind::console {
namespace {

void add_member(std::string& object, const std::string& key, const std::string& json) {
  object += fmt::format("{}{}:{}", object.size() > 1 ? "," : "", json_string(key), json);
}

}  // namespace

std::optional<Change> Board::replace(const std::string& section, const std::string& owner,
                                     Rows rows) {
  Section& known = sections_[section];
  Change change;
  for (auto at = known.begin(); at != known.end();) {
    const bool stays = at->second.owner != owner || rows.contains(at->first);
    if (!stays) change.gone.push_back(at->first);
    at = stays ? std::next(at) : known.erase(at);
  }
  change.section = section;
  return completed(std::move(change), known, owner, std::move(rows));
}

std::optional<Change> Board::amend(const std::string& section, const std::string& owner, Rows rows,
                                   const std::vector<std::string>& gone) {
  Section& known = sections_[section];
  Change change;
  change.section = section;
  for (const std::string& key : gone) {
    const auto found = known.find(key);
    if (found == known.end() || found->second.owner != owner || rows.contains(key)) continue;
    known.erase(found);
    change.gone.push_back(key);
  }
  return completed(std::move(change), known, owner, std::move(rows));
}

std::optional<Change> Board::completed(Change change, Section& known, const std::string& owner,
                                       Rows rows) {
  for (auto& [key, json] : rows) {
    const auto found = known.find(key);
    if (found == known.end() && known.size() >= kRowsMax) {
      ++left_out_;
      continue;
    }
    if (found != known.end() && (found->second.owner != owner || found->second.json == json)) {
      continue;
    }
    known.insert_or_assign(key, Row{owner, json});
    change.set.emplace(key, std::move(json));
  }
  if (change.set.empty() && change.gone.empty()) return std::nullopt;
  change.number = ++number_;
  return change;
}

std::string Board::array_of(const std::string& section) const {
  std::string array = "[";
  const auto found = sections_.find(section);
  if (found == sections_.end()) return "[]";
  for (const auto& [key, row] : found->second) {
    if (array.size() > 1) array += ',';
    array += row.json;
  }
  return array + "]";
}

const std::string* Board::row(const std::string& section, const std::string& key) const {
  const auto found = sections_.find(section);
  if (found == sections_.end()) return nullptr;
  const auto row = found->second.find(key);
  return row == found->second.end() ? nullptr : &row->second.json;
}

std::string Board::json() const {
  std::string sections = "{";
  for (const auto& [name, section] : sections_) {
    std::string rows = "{";
    for (const auto& [key, row] : section) add_member(rows, key, row.json);
    add_member(sections, name, rows + "}");
  }
  return fmt::format(R"({{"number":{},"sections":{}}})", number_, sections + "}");
}

std::string json_of(const Change& change) {
  std::string set = "{";
  for (const auto& [key, json] : change.set) add_member(set, key, json);
  std::string gone = "[";
  for (const std::string& key : change.gone) {
    gone += (gone.size() > 1 ? "," : "") + json_string(key);
  }
  return fmt::format(R"({{"number":{},"section":{},"set":{},"gone":{}}})", change.number,
                     json_string(change.section), set + "}", gone + "]");
}

std::string event_text(const std::string& name, std::uint64_t number, const std::string& data) {
  return fmt::format("event: {}\nid: {}\ndata: {}\n\n", name, number, data);
}

}  // namespace xbind::console
