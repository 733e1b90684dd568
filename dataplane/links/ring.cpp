#include "dataplane/links/ring.hpp"

#include <boost/lockfree/spsc_queue.hpp>

namespace xbind::dataplane {
namespace {

using Ring = boost::lockfree::spsc_queue<Cell>;

class RingLink final : public Link {
 public:
  RingLink(std::shared_ptr<Ring> in, std::shared_ptr<Ring> out)
      : in_(std::move(in)), out_(std::move(out)) {}

  std::size_t receive(std::span<Cell> cells) override {
    const std::size_t count = in_->pop(cells.data(), cells.size());
    counters_.cells_in += count;
    return count;
  }
  std::size_t send(std::span<const Cell> cells) override {
    const std::size_t count = out_->push(cells.data(), cells.size());
    counters_.cells_out += count;
    if (count < cells.size()) ++counters_.full;
    return count;
  }
  const LinkCounters& counters() const override { return counters_; }

 private:
  std::shared_ptr<Ring> in_;
  std::shared_ptr<Ring> out_;
  LinkCounters counters_;
};

}  // namespace

std::pair<std::unique_ptr<Link>, std::unique_ptr<Link>> make_ring(std::size_t cells_max) {
  auto there = std::make_shared<Ring>(cells_max);
  auto back = std::make_shared<Ring>(cells_max);
  return {std::make_unique<RingLink>(back, there), std::make_unique<RingLink>(there, back)};
}

}  // namespace xbind::dataplane
