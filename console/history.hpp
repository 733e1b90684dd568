// Samples of one source over time, the newest kHistoryMax of them, for the curves of a browser that
// has just come. A sample is a JSON text. Pure; the owner locks.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <utility>

namespace xbind::console {

inline constexpr std::size_t kHistoryMax = 600;        // samples of a source
inline constexpr std::size_t kHistorySourcesMax = 64;  // a further one has no history

class History {
 public:
  void add(const std::string& source, std::string sample) {
    const auto found = all_.find(source);
    if (found == all_.end() && all_.size() >= kHistorySourcesMax) return;
    std::deque<std::string>& samples = all_[source];
    samples.push_back(std::move(sample));
    if (samples.size() > kHistoryMax) samples.pop_front();
  }
  bool has(const std::string& source) const { return all_.contains(source); }

  // A JSON array, the oldest sample first.
  std::string array_of(const std::string& source) const {
    std::string array = "[";
    if (const auto found = all_.find(source); found != all_.end()) {
      for (const std::string& sample : found->second) {
        if (array.size() > 1) array += ',';
        array += sample;
      }
    }
    return array + "]";
  }

 private:
  std::map<std::string, std::deque<std::string>> all_;
};

}  // namespace xbind::console
