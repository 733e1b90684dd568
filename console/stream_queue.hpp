// Texts that wait for the reader of an event stream. A reader that is too slow is cut off rather
// than fed: what waits for it is bounded. Pure; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>

namespace xbind::console {

class StreamQueue {
 public:
  using Text = std::shared_ptr<const std::string>;

  explicit StreamQueue(std::size_t octets_max) : octets_max_(octets_max) {}

  // false: the bound is exceeded, and the reader is to be cut off. One text alone always fits: the
  // first one of a stream has the whole state.
  bool push(Text text) {
    octets_ += text->size();
    texts_.push_back(std::move(text));
    return texts_.size() == 1 || octets_ <= octets_max_;
  }
  bool empty() const { return texts_.empty(); }
  // The next text to write; it stays here until pop().
  const std::string& front() const { return *texts_.front(); }
  void pop() {
    octets_ -= texts_.front()->size();
    texts_.pop_front();
  }
  std::size_t octets() const { return octets_; }

 private:
  std::size_t octets_max_;
  std::size_t octets_ = 0;
  std::deque<Text> texts_;
};

}  // namespace xbind::console
