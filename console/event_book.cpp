#include "console/event_book.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace xbind::console {
namespace {

std::string key_of(std::uint64_t id) { return fmt::format("{:012}", id); }

std::string row_of(std::uint64_t id, const BookedEvent& event) {
  return fmt::format(R"({{"id":"{}","event":{}}})", id, event.json);
}

bool matches(const BookedEvent& event, const EventFilter& filter) {
  return (filter.subject.empty() || filter.subject == event.subject) &&
         (filter.daemon.empty() || filter.daemon == event.daemon) &&
         (filter.connection.empty() || filter.connection == event.connection);
}

}  // namespace

EventBook::Change EventBook::add(const std::string& source, std::vector<BookedEvent> events) {
  Change change;
  for (BookedEvent& event : events) {
    const std::uint64_t id = ++last_id_;
    change.set.emplace(key_of(id), row_of(id, event));
    sources_[source].push_back({id, std::move(event)});
    if (++size_ <= kEventsKept) continue;
    const std::string gone = key_of(displace());
    // An event that came and went here was never seen.
    if (change.set.erase(gone) == 0) change.gone.push_back(gone);
  }
  return change;
}

std::uint64_t EventBook::displace() {
  const auto largest = std::ranges::max_element(
      sources_, {}, [](const auto& source) { return source.second.size(); });
  const std::uint64_t id = largest->second.front().id;
  largest->second.pop_front();
  if (largest->second.empty()) sources_.erase(largest);
  --size_;
  return id;
}

std::string EventBook::array_of(const EventFilter& filter) const {
  std::vector<const Kept*> found;
  for (const auto& [source, kept] : sources_) {
    for (const Kept& one : kept) {
      if (one.id > filter.after && matches(one.event, filter)) found.push_back(&one);
    }
  }
  std::ranges::sort(found, {},
                    [](const Kept* one) { return std::tuple(one->event.at_ms, one->id); });
  if (found.size() > filter.limit) {
    found.erase(found.begin(), found.end() - static_cast<std::ptrdiff_t>(filter.limit));
  }
  std::string array = "[";
  for (const Kept* const one : found) {
    if (array.size() > 1) array += ',';
    array += row_of(one->id, one->event);
  }
  return array + "]";
}

}  // namespace xbind::console
