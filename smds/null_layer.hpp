// A lower layer without a line, as the one with which the paper measured its headers: what is sent
// is counted, and received is a given set of frames, over and over.
//
// Pure; one thread at a time.
#pragma once

#include <utility>

#include "core/wire/writer.hpp"
#include "smds/lower_layer.hpp"

namespace xbind::smds {

class NullLayer : public LowerLayer {
 public:
  struct Given {
    PortIndex port = 0;
    wire::Buffer frame;
  };

  // poll() delivers `given`, each once, or nothing if it is empty.
  explicit NullLayer(std::vector<Given> given = {}) : given_(std::move(given)) {}

  bool room() const override { return true; }
  void send(PortIndex, std::span<const std::byte>, std::span<const std::byte>) override {
    ++frames_out_;
  }
  std::size_t poll(TimePoint now, const Deliver& deliver) override {
    for (const Given& one : given_) deliver(one.port, one.frame, now);
    return given_.size();
  }

  std::uint64_t frames_out() const { return frames_out_; }

 private:
  std::vector<Given> given_;
  std::uint64_t frames_out_ = 0;
};

}  // namespace xbind::smds
