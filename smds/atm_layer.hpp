// The lower layer of all lines that are calls: frames in AAL5 or AAL3/4, each line with a label of
// its own in each direction, all over the one line between the endpoint and its switch.
//
// A line is closed until its labels are known: open() may be called again when they change. Cells
// with other labels are counted and dropped.
//
// Pure; one thread at a time.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/label.hpp"
#include "dataplane/aal34.hpp"
#include "dataplane/aal5.hpp"
#include "dataplane/host/host_line.hpp"
#include "smds/lower_layer.hpp"

namespace xbind::smds {

// Free-running.
struct AtmLayerCounters {
  std::uint64_t frames_in = 0;
  std::uint64_t frames_out = 0;
  std::uint64_t frames_refused = 0;    // by the line, which had no room
  std::uint64_t bad_frames = 0;        // errors of AAL5 and AAL3/4
  std::uint64_t too_many_at_once = 0;  // AAL3/4: more data units at a time than the line may have
  std::uint64_t unknown_label_cells = 0;
};

class AtmLayer : public LowerLayer {
 public:
  // `frame_octets_max`: of a frame with its envelope.
  AtmLayer(dataplane::HostLine& line, std::size_t frame_octets_max);

  // The labels of a port; a label that is not present closes that direction. `mcdus`: data units
  // that AAL3/4 may have in transit.
  void open(PortIndex port, Adaptation adaptation, Label send, Label receive, std::uint32_t mcdus);

  bool room() const override;
  void send(PortIndex port, std::span<const std::byte> head,
            std::span<const std::byte> body) override;
  std::size_t poll(TimePoint now, const Deliver& deliver) override;
  // Drops frames that began too long ago.
  void expire(TimePoint now);

  const AtmLayerCounters& counters() const { return counters_; }
  // Frames of the port that were refused because too many were in transit.
  std::uint64_t too_many(PortIndex port) const;

 private:
  struct Open {
    Adaptation adaptation = Adaptation::kAal5;
    Label send;
    Label receive;
    std::uint32_t mcdus = 1;
    std::uint8_t tag = 0;  // of the last AAL3/4 frame
    std::uint64_t too_many = 0;
  };

  void take(const dataplane::Cell& cell, TimePoint now);
  void take_aal34(PortIndex port, const dataplane::Cell& cell, TimePoint now);

  dataplane::HostLine& line_;
  const std::size_t frame_octets_max_;
  dataplane::Aal5Receiver aal5_;
  std::unordered_map<PortIndex, Open> open_;
  std::unordered_map<std::uint32_t, PortIndex> port_of_;  // by label of received cells
  std::unordered_map<PortIndex, dataplane::Aal34Receiver> aal34_;
  std::vector<dataplane::Cell> cells_;  // of the frame that is being sent
  const Deliver* deliver_ = nullptr;    // during poll()
  AtmLayerCounters counters_;
};

}  // namespace xbind::smds
