#include "exporter/collector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <system_error>
#include <thread>
#include <utility>

namespace xbind::exporter {
namespace {

std::vector<MetricTable> with_own(std::vector<MetricTable> tables) {
  tables.push_back(exporter_metrics());
  return tables;
}

}  // namespace

// The open questions and the answers so far.
struct Collector::Questions {
  struct One {
    bool open = false;      // asked, and not answered
    bool expected = false;  // the answer belongs to the reading under way
    std::optional<Reading> answer;
  };

  explicit Questions(std::size_t parts) : all(parts) {}

  void answer(std::size_t part, Reading reading) {
    const std::lock_guard lock(mutex);
    One& one = all[part];
    one.open = false;
    if (one.expected) one.answer = std::move(reading);  // else it is too late
    changed.notify_all();
  }
  void dropped(std::size_t part) {
    const std::lock_guard lock(mutex);
    all[part].open = false;
    changed.notify_all();
  }
  void thread_ended() {
    const std::lock_guard lock(mutex);
    --threads;
    changed.notify_all();
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<One> all;
  std::size_t threads = 0;  // at most one for each open question
};

// The answer to one question, which its part owns. A part that drops it is asked again.
class Collector::Question {
 public:
  Question(std::shared_ptr<Questions> questions, std::size_t part)
      : questions_(std::move(questions)), part_(part) {}
  ~Question() {
    if (!answered_) questions_->dropped(part_);
  }
  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;

  void answer(Reading reading) {
    answered_ = true;
    questions_->answer(part_, std::move(reading));
  }

 private:
  const std::shared_ptr<Questions> questions_;
  const std::size_t part_;
  bool answered_ = false;
};

Collector::Collector(CollectorOptions options, std::vector<Part> parts,
                     std::vector<MetricTable> tables)
    : options_(std::move(options)),
      parts_(std::move(parts)),
      questions_(std::make_shared<Questions>(parts_.size())),
      families_(with_own(std::move(tables))) {}

Collector::~Collector() {
  std::unique_lock lock(questions_->mutex);
  questions_->changed.wait(lock, [&] { return questions_->threads == 0; });
}

std::shared_ptr<const Collector::Readings> Collector::read() const {
  const std::lock_guard one_at_a_time(reading_mutex_);
  if (last_ && options_.now() - last_at_ < options_.fresh) return last_;
  std::unique_lock lock(questions_->mutex);
  for (std::size_t at = 0; at < parts_.size(); ++at) {
    Questions::One& one = questions_->all[at];
    one.expected = true;
    one.answer.reset();
    if (one.open) continue;
    try {
      std::thread([shared = questions_, ask = parts_[at].ask, at] {
        {
          const auto question = std::make_shared<Question>(shared, at);
          ask([question](Reading reading) { question->answer(std::move(reading)); });
        }
        shared->thread_ended();
      }).detach();
      one.open = true;
      ++questions_->threads;
    } catch (const std::system_error&) {
      // The process has no room for a thread now: the part is silent.
    }
  }
  questions_->changed.wait_for(lock, options_.answer, [&] {
    return std::ranges::none_of(questions_->all, &Questions::One::open);
  });
  auto readings = std::make_shared<Readings>();
  for (Questions::One& one : questions_->all) {
    one.expected = false;
    readings->push_back(std::exchange(one.answer, std::nullopt));
  }
  lock.unlock();
  for (std::size_t at = 0; at < parts_.size(); ++at) {
    if ((*readings)[at] && parts_[at].append) parts_[at].append((*readings)[at]->metrics);
  }
  last_ = std::move(readings);
  last_at_ = options_.now();
  return last_;
}

std::vector<std::string> Collector::silent(const Readings& readings) const {
  Reasons reasons;
  for (std::size_t at = 0; at < parts_.size(); ++at) {
    if (readings[at]) continue;
    reasons.add(fmt::format(
        "{}: its logic has not answered within {} ms", parts_[at].name,
        std::chrono::duration_cast<std::chrono::milliseconds>(options_.answer).count()));
  }
  return reasons.take();
}

std::vector<std::string> Collector::reasons(const Readings& readings) const {
  Reasons all;
  if (!serving_) all.add("its name is not bound in the name service yet");
  for (std::string& line : silent(readings)) all.add(std::move(line));
  for (std::size_t at = 0; at < parts_.size(); ++at) {
    if (!readings[at]) continue;
    for (const std::string& reason : readings[at]->not_ready) {
      all.add(fmt::format("{}: {}", parts_[at].name, reason));
    }
  }
  return all.take();
}

std::vector<std::string> Collector::not_healthy() const { return silent(*read()); }
std::vector<std::string> Collector::not_ready() const { return reasons(*read()); }

std::vector<prometheus::MetricFamily> Collector::Collect() const {
  const auto readings = read();
  ExporterCounts counts{parts_.size(), 0, reasons(*readings).size(), requests_, refused_};
  for (const auto& reading : *readings) counts.parts_silent += reading ? 0 : 1;
  const std::lock_guard lock(families_mutex_);
  for (std::size_t at = 0; at < parts_.size(); ++at) {
    if ((*readings)[at]) families_.add(parts_[at].labels, *(*readings)[at]);
  }
  families_.add({}, {metrics_of(counts, options_.program), {}, {}});
  return families_.take();
}

}  // namespace xbind::exporter
