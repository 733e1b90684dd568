// The lines in a stream of octets. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace xbind::net {

class LineSplitter {
 public:
  explicit LineSplitter(std::size_t octets_max) : octets_max_(octets_max) {}

  // Calls sink(std::string_view line) for each line, without its end (LF or CR LF). Returns false
  // if a line has more than `octets_max` octets: close the connection.
  template <class Sink>
  bool feed(std::string_view octets, Sink&& sink) {
    for (const char c : octets) {
      if (c == '\n') {
        if (!line_.empty() && line_.back() == '\r') line_.pop_back();
        sink(std::string_view(line_));
        line_.clear();
      } else if (line_.size() >= octets_max_) {
        return false;
      } else {
        line_ += c;
      }
    }
    return true;
  }

 private:
  std::size_t octets_max_;
  std::string line_;
};

}  // namespace xbind::net
