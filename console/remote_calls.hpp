// The calls of each manager, as they were read last: many browsers choose among them, and the
// manager is read once. They are read while somebody looks, and at most for a tenth of the time.
// Thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/corba/two_way.hpp"
#include "console/http_message.hpp"
#include "console/live_board.hpp"
#include "core/clock.hpp"
#include "xbindctl/call_filter.hpp"
#include "xbindctl/failure.hpp"

namespace xbind::console {

inline constexpr std::size_t kCallsKept = 20'000;  // of a manager; further ones are counted
inline constexpr std::uint32_t kPageMax = 500;     // calls in an answer

class RemoteCalls {
 public:
  // `hurry`: the manager is to be read at once.
  RemoteCalls(LiveBoard& board, Duration interval, std::function<void()> hurry)
      : board_(board), interval_(interval), hurry_(std::move(hurry)) {}

  // Answers with one page, as soon as there is a reading. Does not block.
  void answer(const std::string& manager, const ctl::CallPage::Plan& plan, Reply reply);

  // For the thread that reads the manager: whether its calls are to be read now.
  bool wanted(const std::string& manager) const;
  // Reads them, and publishes what there is of each state (section "calls").
  std::optional<ctl::Failure> read(const std::string& manager, const client::TwoWay& two_way);
  // The manager could not be read: readers that wait get the reason.
  void fail(const std::string& manager, const ctl::Failure& failure);
  // The manager is gone.
  void forget(const std::string& manager);

 private:
  struct Reading {
    std::vector<v2::ConnectionState> calls;  // the first kCallsKept
    std::uint64_t total = 0;
    std::uint64_t read_at_ms = 0;  // since 1970
  };
  struct Waiting {
    ctl::CallPage::Plan plan;
    Reply reply;
  };
  struct Book {
    std::shared_ptr<const Reading> reading;
    TimePoint read_at{};
    Duration took{};
    TimePoint asked_at{};
    std::uint64_t digest = 0;   // of ids and states
    std::uint64_t version = 0;  // rises when they change
    std::vector<Waiting> waiting;
  };

  bool due(const Book& book, TimePoint now) const;
  static HttpAnswer page_of(const std::string& manager, const Reading& reading,
                            const ctl::CallPage::Plan& plan);
  void publish(const std::string& manager, const Reading& reading, std::uint64_t version);

  LiveBoard& board_;
  const Duration interval_;
  const std::function<void()> hurry_;
  mutable std::mutex mutex_;
  std::map<std::string, Book> books_;
};

}  // namespace xbind::console
