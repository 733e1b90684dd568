// The board and the curves behind a lock, and the sink to which changes go. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "console/board.hpp"
#include "console/history.hpp"

namespace xbind::console {

class LiveBoard {
 public:
  // Gets the text of each change's event, in the order of the numbers. Called under the lock: it
  // must not block, and must not call this object.
  using Sink = std::function<void(std::uint64_t number, std::shared_ptr<const std::string> text)>;

  // Before the first publish().
  void set_sink(Sink sink) { sink_ = std::move(sink); }

  void publish(const std::string& section, const std::string& owner, Rows rows) {
    const std::lock_guard lock(mutex_);
    send(board_.replace(section, owner, std::move(rows)));
  }
  void amend(const std::string& section, const std::string& owner, Rows rows,
             const std::vector<std::string>& gone) {
    const std::lock_guard lock(mutex_);
    send(board_.amend(section, owner, std::move(rows), gone));
  }
  void add_sample(const std::string& source, std::string sample) {
    const std::lock_guard lock(mutex_);
    history_.add(source, std::move(sample));
  }

  std::string array_of(const std::string& section) const {
    const std::lock_guard lock(mutex_);
    return board_.array_of(section);
  }
  std::optional<std::string> row(const std::string& section, const std::string& key) const {
    const std::lock_guard lock(mutex_);
    const std::string* const found = board_.row(section, key);
    return found == nullptr ? std::nullopt : std::optional(*found);
  }
  std::optional<std::string> samples_of(const std::string& source) const {
    const std::lock_guard lock(mutex_);
    return history_.has(source) ? std::optional(history_.array_of(source)) : std::nullopt;
  }
  // The whole state as the first event of a stream, and its number.
  std::pair<std::uint64_t, std::shared_ptr<const std::string>> snapshot_event() const {
    const std::lock_guard lock(mutex_);
    return {board_.number(), std::make_shared<const std::string>(
                                 event_text("snapshot", board_.number(), board_.json()))};
  }

 private:
  void send(const std::optional<Change>& change) {
    if (!change || !sink_) return;
    sink_(change->number, std::make_shared<const std::string>(
                              event_text("change", change->number, json_of(*change))));
  }

  mutable std::mutex mutex_;
  Board board_;
  History history_;
  Sink sink_;
};

}  // namespace xbind::console
