// Keeps the latest records of a process, at most `most`; a newer one replaces the oldest. Memory is
// allocated as records come. Not thread-safe; owned by the logic that writes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace xbind::trace {

template <class Record>
class Ring {
 public:
  explicit Ring(std::size_t most) : most_(most) {}

  void add(Record record) {
    if (records_.size() < most_) {
      records_.push_back(std::move(record));
    } else {
      records_[added_ % most_] = std::move(record);
    }
    ++added_;
  }
  std::size_t size() const { return records_.size(); }
  std::uint64_t overwritten() const { return added_ - records_.size(); }

  // Visits the records, the oldest first.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::uint64_t i = overwritten(); i < added_; ++i) visit(records_[i % most_]);
  }
  // Visits the records, the newest first, while `visit` returns true.
  template <class Visit>
  void for_each_back(Visit&& visit) const {
    for (std::uint64_t i = added_; i > overwritten(); --i) {
      if (!visit(records_[(i - 1) % most_])) return;
    }
  }

 private:
  std::size_t most_;
  std::vector<Record> records_;
  std::uint64_t added_ = 0;
};

}  // namespace xbind::trace
