#include "console/remote_calls.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "console/remote_failure.hpp"
#include "console/timers.hpp"
#include "core/steady_now.hpp"
#include "orb/process.hpp"
#include "xbindctl/answers.hpp"
#include "xbindctl/call_views.hpp"

namespace xbind::console {
namespace {

constexpr std::size_t kWaitingMax = 64;  // requests for a first reading
// Reading all calls of a manager takes at most this part of the time.
constexpr int kRestFor = 9;

std::uint64_t now_ms() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(orb::since_1970()).count());
}

// A hash of the calls and their states: another one when a call comes, goes or changes its state,
// except for collisions.
std::uint64_t digest_of(const std::vector<v2::ConnectionState>& calls) {
  std::uint64_t digest = 14'695'981'039'346'656'037U;
  for (const v2::ConnectionState& call : calls) {
    for (const std::uint64_t value :
         {std::uint64_t{call.connection}, std::uint64_t{call.phase}, std::uint64_t{call.condition},
          std::uint64_t{call.generation}, std::uint64_t{call.resources.cells_per_s}}) {
      digest = (digest ^ value) * 1'099'511'628'211U;
    }
  }
  return digest;
}

}  // namespace

bool RemoteCalls::due(const Book& book, TimePoint now) const {
  if (book.reading == nullptr) return !book.waiting.empty();
  if (now - book.asked_at > kConsoleTimers["calls-wanted"]) return false;
  return now - book.read_at >= std::max(interval_ / 2, book.took * kRestFor);
}

bool RemoteCalls::wanted(const std::string& manager) const {
  const std::lock_guard lock(mutex_);
  const auto found = books_.find(manager);
  return found != books_.end() && due(found->second, steady_now());
}

void RemoteCalls::answer(const std::string& manager, const ctl::CallPage::Plan& plan, Reply reply) {
  const TimePoint now = steady_now();
  std::shared_ptr<const Reading> reading;
  {
    const std::lock_guard lock(mutex_);
    Book& book = books_[manager];
    const bool slept = now - book.asked_at > kConsoleTimers["calls-wanted"];
    book.asked_at = now;
    if (slept) book.reading = nullptr;  // from some time ago
    reading = book.reading;
    if (reading == nullptr) {
      if (book.waiting.size() >= kWaitingMax) {
        return reply(answer_of(Problem{.status = 503,
                                       .name = "too-many-questions",
                                       .detail = fmt::format("{} requests wait for the calls of "
                                                             "the manager already",
                                                             book.waiting.size()),
                                       .value = manager}));
      }
      book.waiting.push_back({plan, reply});
    }
  }
  if (reading == nullptr) return hurry_();
  reply(page_of(manager, *reading, plan));
}

std::optional<ctl::Failure> RemoteCalls::read(const std::string& manager,
                                              const client::TwoWay& two_way) {
  auto reading = std::make_shared<Reading>();
  const TimePoint begun = steady_now();
  const auto listed = two_way.for_each_connection({}, [&](const v2::ConnectionState& call) {
    ++reading->total;
    if (reading->calls.size() < kCallsKept) reading->calls.push_back(call);
  });
  if (!listed) return ctl::failure_of(listed.error(), ctl::peer_of(two_way));
  reading->read_at_ms = now_ms();
  std::vector<Waiting> waiting;
  std::uint64_t version = 0;
  {
    const std::lock_guard lock(mutex_);
    Book& book = books_[manager];
    const std::uint64_t digest = digest_of(reading->calls) + reading->total;
    if (book.version == 0 || digest != book.digest) ++book.version;
    version = book.version;
    book.digest = digest;
    book.reading = reading;
    book.read_at = steady_now();
    book.took = book.read_at - begun;
    waiting.swap(book.waiting);
  }
  for (const Waiting& one : waiting) one.reply(page_of(manager, *reading, one.plan));
  publish(manager, *reading, version);
  return std::nullopt;
}

void RemoteCalls::fail(const std::string& manager, const ctl::Failure& failure) {
  std::vector<Waiting> waiting;
  {
    const std::lock_guard lock(mutex_);
    const auto found = books_.find(manager);
    if (found == books_.end()) return;
    found->second.reading = nullptr;
    waiting.swap(found->second.waiting);
  }
  for (const Waiting& one : waiting) one.reply(answer_of(problem_of(failure)));
}

void RemoteCalls::forget(const std::string& manager) {
  fail(manager, {.name = "not found",
                 .text = fmt::format("manager '{}' has ended", manager),
                 .peer = "the manager",
                 .address = "",
                 .advice = ""});
  const std::lock_guard lock(mutex_);
  books_.erase(manager);
}

HttpAnswer RemoteCalls::page_of(const std::string& manager, const Reading& reading,
                                const ctl::CallPage::Plan& plan) {
  ctl::CallPage page(plan);
  for (const v2::ConnectionState& call : reading.calls) page.add(call);
  const ctl::CallPage::Result result = page.take();
  if (result.after_unknown) {
    return answer_of(
        Problem{.status = 404,
                .name = "unknown-after",
                .detail = fmt::format("call {} is not among the chosen calls any more", plan.after),
                .value = fmt::format("{}", plan.after),
                .advice = "begin again without `after`, or sort by id"});
  }
  ctl::Json body = ctl::document_of(result).body;
  body["manager"] = manager;
  body["total"] = reading.total;
  body["left_out"] = reading.total - reading.calls.size();
  body["read_at_ms"] = reading.read_at_ms;
  return json_answer(text_of(body));
}

void RemoteCalls::publish(const std::string& manager, const Reading& reading,
                          std::uint64_t version) {
  std::map<std::string, std::uint64_t> states;
  for (const v2::ConnectionState& call : reading.calls) ++states[ctl::words_of_phase(call.phase)];
  const ctl::Json row{
      {"manager", manager}, {"total", reading.total}, {"version", version}, {"states", states}};
  board_.publish("calls", manager, {{manager, text_of(row)}});
}

}  // namespace xbind::console
