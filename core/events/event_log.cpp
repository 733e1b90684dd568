#include "core/events/event_log.hpp"

namespace xbind {

void EventLog::add(Event event) {
  event.at_ms = utc_ms_();
  const std::lock_guard lock(mutex_);
  Event& record = ring_.next();
  record = std::move(event);
  record.number = ring_.newest();
}

void EventLog::add(EventKind kind, std::string object, std::string text) {
  Event event;
  event.kind = kind;
  event.object = std::move(object);
  event.text = std::move(text);
  add(std::move(event));
}

EventPage EventLog::page(std::uint64_t after, std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  EventPage page;
  page.newest = ring_.newest();
  const auto span = ring_.after(after, limit, page.newest);
  page.lost = span.lost;
  page.events.reserve(span.count);
  for (std::uint64_t i = 0; i < span.count; ++i) page.events.push_back(ring_[span.first + i]);
  return page;
}

}  // namespace xbind
