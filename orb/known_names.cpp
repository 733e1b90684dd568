#include "orb/known_names.hpp"

#include <algorithm>

namespace xbind::orb {
namespace {

bool is_below(std::string_view path, std::string_view context) {
  return context.empty() ||
         (path.size() > context.size() && path.starts_with(context) && path[context.size()] == '/');
}

bool storable(std::string_view text, std::size_t octets_max) {
  return !text.empty() && text.size() <= octets_max &&
         text.find_first_of("\t\n\r") == std::string_view::npos;
}

// Of text().
std::size_t line_octets(std::string_view path, std::string_view reference) {
  return path.size() + reference.size() + 2;
}

}  // namespace

void KnownNames::found(const std::string& path, const std::string& reference) {
  if (!storable(path, kPathOctetsMax) || !storable(reference, kReferenceOctetsMax)) return;
  const std::lock_guard lock(mutex_);
  const auto known = references_.find(path);
  if (known != references_.end()) {
    if (known->second == reference) return;
    remove(known);
    changed_ = true;
  }
  if (put(path, reference)) {
    changed_ = true;
  } else {
    ++without_room_;
  }
}

bool KnownNames::put(std::string_view path, std::string_view reference) {
  const std::size_t octets = line_octets(path, reference);
  if (references_.size() >= kNamesMax || octets > kTextOctetsMax - octets_) return false;
  if (references_.emplace(path, reference).second) octets_ += octets;
  return true;
}

KnownNames::References::iterator KnownNames::remove(References::iterator at) {
  octets_ -= line_octets(at->first, at->second);
  return references_.erase(at);
}

void KnownNames::gone(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto known = references_.find(path);
  if (known == references_.end()) return;
  remove(known);
  changed_ = true;
}

void KnownNames::listed(const std::string& context, const std::vector<std::string>& paths) {
  const std::lock_guard lock(mutex_);
  for (auto at = references_.begin(); at != references_.end();) {
    if (is_below(at->first, context) && std::ranges::find(paths, at->first) == paths.end()) {
      at = remove(at);
      changed_ = true;
    } else {
      ++at;
    }
  }
}

void KnownNames::away(const Error& why, TimePoint again) {
  const std::lock_guard lock(mutex_);
  away_ = why;
  again_ = again;
  answers_ = false;
}

void KnownNames::answered() {
  const std::lock_guard lock(mutex_);
  away_.reset();
  used_ = false;
  answers_ = true;
}

bool KnownNames::answers() const {
  const std::lock_guard lock(mutex_);
  return answers_;
}

void KnownNames::use() {
  const std::lock_guard lock(mutex_);
  used_ = true;
}

std::optional<Error> KnownNames::why_used() const {
  const std::lock_guard lock(mutex_);
  return used_ ? away_ : std::nullopt;
}

std::optional<Error> KnownNames::why_away(TimePoint now) const {
  const std::lock_guard lock(mutex_);
  return now < again_ ? away_ : std::nullopt;
}

std::optional<std::string> KnownNames::reference(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  const auto known = references_.find(path);
  if (known == references_.end()) return std::nullopt;
  return known->second;
}

std::vector<std::string> KnownNames::below(const std::string& context) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> paths;
  for (const auto& [path, reference] : references_) {
    if (is_below(path, context)) paths.push_back(path);
  }
  return paths;
}

std::string KnownNames::text() const {
  const std::lock_guard lock(mutex_);
  std::string text;
  text.reserve(octets_);
  for (const auto& [path, reference] : references_) text += path + '\t' + reference + '\n';
  return text;
}

void KnownNames::read(std::string_view text) {
  const std::lock_guard lock(mutex_);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) continue;
    const std::string_view path = line.substr(0, tab);
    const std::string_view reference = line.substr(tab + 1);
    if (!storable(path, kPathOctetsMax) || !storable(reference, kReferenceOctetsMax)) continue;
    if (!reference.starts_with("IOR:")) continue;
    (void)put(path, reference);  // what was found may have taken the room
  }
}

bool KnownNames::changed() const {
  const std::lock_guard lock(mutex_);
  return changed_;
}

std::size_t KnownNames::without_room() const {
  const std::lock_guard lock(mutex_);
  return without_room_;
}

}  // namespace xbind::orb
