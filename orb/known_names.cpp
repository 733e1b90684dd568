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

}  // namespace

void KnownNames::found(const std::string& path, const std::string& reference) {
  if (!storable(path, kPathOctetsMax) || !storable(reference, kReferenceOctetsMax)) return;
  const std::lock_guard lock(mutex_);
  const auto known = references_.find(path);
  if (known != references_.end()) {
    if (known->second == reference) return;
    known->second = reference;
  } else {
    if (references_.size() >= kNamesMax) return;
    references_.emplace(path, reference);
  }
  changed_ = true;
}

void KnownNames::gone(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (references_.erase(path) != 0) changed_ = true;
}

void KnownNames::listed(const std::string& context, const std::vector<std::string>& paths) {
  const std::lock_guard lock(mutex_);
  const auto over = std::erase_if(references_, [&](const auto& one) {
    return is_below(one.first, context) && std::ranges::find(paths, one.first) == paths.end();
  });
  if (over != 0) changed_ = true;
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
    if (tab == std::string_view::npos || references_.size() >= kNamesMax) continue;
    const std::string_view path = line.substr(0, tab);
    const std::string_view reference = line.substr(tab + 1);
    if (!storable(path, kPathOctetsMax) || !storable(reference, kReferenceOctetsMax)) continue;
    if (!reference.starts_with("IOR:")) continue;
    references_.emplace(path, reference);
  }
}

bool KnownNames::changed() const {
  const std::lock_guard lock(mutex_);
  return changed_;
}

}  // namespace xbind::orb
