#include "console/workers.hpp"

#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <utility>

namespace xbind::console {

struct Workers::Impl {
  Impl(std::size_t threads, std::size_t bound) : jobs_max(bound), pool(threads) {}

  const std::size_t jobs_max;
  std::atomic<std::size_t> jobs = 0;
  boost::asio::thread_pool pool;
};

Workers::Workers(std::size_t threads, std::size_t jobs_max)
    : impl_(std::make_unique<Impl>(threads, jobs_max)) {}

Workers::~Workers() {
  impl_->pool.stop();
  impl_->pool.join();
}

bool Workers::run(std::function<void()> job) {
  if (++impl_->jobs > impl_->jobs_max) {
    --impl_->jobs;
    return false;
  }
  boost::asio::post(impl_->pool, [this, job = std::move(job)] {
    job();
    --impl_->jobs;
  });
  return true;
}

std::size_t Workers::jobs_max() const { return impl_->jobs_max; }

}  // namespace xbind::console
