// Ethernet frames as cells, and back: what a line of kind frames:IFACE does between its interface
// and its switch.
//
// To a host (frames:IFACE) the label of the cells says which frames of the port they are
// (core/frame_traffic.hpp), so a call names its frames by its label at this port:
//
//   frame       | destination 6 | source 6 | [802.1Q tag 4] | type 2 | ... |          without FCS
//   AAL5 frame  | AA AA 03 | 00 80 C2 | 00 07 | pad 2 | frame without its tag |
//
// The AAL5 frame is RFC 2684 section 5.2: LLC encapsulation of a bridged 802.3 frame without FCS.
// Because the whole frame travels, so do ARP and IPv6. The tag does not travel: a frame leaves with
// the tag of its output label's VLAN, or with none. So a call may join VLAN 5 at one end and
// untagged frames at the other, and the tag's priority bits are lost.
//
//   frame                                         label
//   ────────────────────────────────────────────  ─────────────────────────────────────────────────
//   tagged, VID 1..4094                           vlan VID
//   untagged or VID 0, IPv4 to a class's prefix   class N of the longest prefix that has a call
//   any other untagged frame, or VID 0            port
//
// To a bridge of Open vSwitch (frames:IFACE/labels) the frames have MPLS labels (mpls_frame.hpp),
// and the cells have the label of their frame. The AAL5 frame is the same: a host's frame, whose
// addresses and packet the bridge leaves unchanged. So a call may lead from a host at a bridge to
// one at an emulated switch. Only IPv4 crosses, and a cell of OAM does not.
//
// Frames that cannot be carried are dropped and counted by reason (FrameDrop). So are those of no
// call: hosts send some at any time, and a bridge does while a call is released, which are no fault
// to tell the controller, as cells of an unknown label are.
//
// Cells are reassembled per label, and only the length and the CRC find a frame with lost cells:
// there is no clock here. An incomplete frame waits for the next cells of its label, and both
// frames are then dropped.
//
// Pure; one thread at a time. Sources: RFC 2684, I.363.5, IEEE 802.1Q.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/frame_classes.hpp"
#include "core/result.hpp"
#include "dataplane/cells/aal5_frame.hpp"
#include "dataplane/links/ethernet.hpp"

namespace xbind::dataplane {

inline constexpr std::size_t kBridgedOctets = 10;  // in front of the frame, RFC 2684
// MTU of an interface: the octets that may follow the Ethernet header and the tag.
inline constexpr std::size_t kFrameMtuMin = 46;
inline constexpr std::size_t kFrameMtuMax = 16'384;
// The longest frame of an interface with this MTU.
constexpr std::size_t frame_octets_max(std::size_t mtu) {
  return kEthernetOctets + kVlanTagOctets + mtu;
}

struct ReceivedFrame {
  std::span<const std::byte> octets;  // the tag may be among them, or taken out
  // TPID << 16 | TCI of a tag that was taken out; nullopt: none was.
  std::optional<std::uint32_t> tag{};
  bool cut = false;                  // longer than the receiver's buffer
  bool checksum_unfinished = false;  // its sender left a checksum to its interface
};

enum class FrameDrop : std::uint8_t {
  kTooLong,     // longer than the MTU of the interface, received or to be sent
  kTooShort,    // shorter than an Ethernet header
  kChecksum,    // received with an unfinished checksum
  kTag,         // received with a tag that no label stands for
  kBadTrailer,  // from the switch: AAL5 refuses length or CRC, or cells were lost
  kBadHeader,   // from the switch: no bridged frame of RFC 2684
  kNotSent,     // the interface is down or away, or has refused the frame
  kNoCall,      // received, and no call has its label at this port
  // At a line with labels alone:
  kNotMpls,  // received without a label, or with one assigned upstream
  kLabel,    // received with two labels, or a reserved one; to be sent under no label of MPLS
  kExpired,  // received with a time to live of 0
  kNotIpv4,  // received or to be sent, and its packet is not of IPv4
  kOam,      // from the switch: a cell of OAM or resource management, which is in no frame
};
inline constexpr std::size_t kFrameDrops = 13;
std::string_view to_string(FrameDrop reason);  // "too_long", "bad_trailer"

// Free-running.
struct FrameCounters {
  std::uint64_t in = 0;                              // became cells, those of kNoCall among them
  std::uint64_t out = 0;                             // became frames and were sent
  std::array<std::uint64_t, kFrameDrops> dropped{};  // by FrameDrop
  // The cells of dropped frames: of received ones the cells they would have become, and the
  // switch's.
  std::uint64_t cells_dropped_in = 0;
  std::uint64_t cells_dropped_out = 0;

  std::uint64_t of(FrameDrop reason) const { return dropped[static_cast<std::size_t>(reason)]; }
  friend bool operator==(const FrameCounters&, const FrameCounters&) = default;
};

class FrameLine {
 public:
  // Whether a call has this label at the port now.
  using HasCall = std::function<bool(std::uint32_t label)>;
  using OnDrop = std::function<void(FrameDrop)>;  // after it was counted

  // What the frames of the interface are.
  enum class Form : std::uint8_t {
    kHost,    // a host's own
    kLabels,  // with MPLS labels, of a bridge; there are no classes
  };

  explicit FrameLine(FrameClasses classes, Form form = Form::kHost)
      : classes_(std::move(classes)), form_(form) {}

  // Of the interface, kFrameMtuMin to kFrameMtuMax; values beyond count as these.
  void set_mtu(std::size_t mtu);
  std::size_t mtu() const { return mtu_; }
  // Empty: every label has a call.
  void set_has_call(HasCall has_call) { has_call_ = std::move(has_call); }
  void set_on_drop(OnDrop on_drop) { on_drop_ = std::move(on_drop); }

  // A frame from the interface: appends its cells. False: it was dropped and counted.
  bool take_frame(const ReceivedFrame& frame, std::vector<Cell>& cells);
  // A cell from the switch. If it completes a frame, returns the frame as it is to be sent, valid
  // until the next call; otherwise an empty span. Frames with errors are dropped and counted.
  std::span<const std::byte> take_cell(const Cell& cell);
  // What became of the frame of take_cell(): call one of them.
  void sent() { ++counters_.out; }
  void not_sent(std::span<const std::byte> frame, FrameDrop reason);

  const FrameCounters& counters() const { return counters_; }

 private:
  // The label of the untagged frame in scratch_, behind kBridgedOctets. The second takes it out.
  tl::expected<std::uint32_t, FrameDrop> label_of(std::optional<std::uint32_t> tag) const;
  tl::expected<std::uint32_t, FrameDrop> pop_label(std::optional<std::uint32_t> tag);
  std::uint32_t untagged_label(std::span<const std::byte> untagged) const;
  void count(FrameDrop reason);
  void drop_in(FrameDrop reason, std::size_t octets);
  void drop_out(FrameDrop reason, std::size_t cells);
  std::span<const std::byte> finish(std::uint32_t label, std::span<const std::byte> octets);
  // Writes the frame to be sent to frame_. An error: it cannot be sent.
  std::optional<FrameDrop> leave(std::uint32_t label, std::span<const std::byte> untagged);
  std::optional<FrameDrop> leave_labelled(std::uint32_t label, std::span<const std::byte> untagged);

  FrameClasses classes_;
  Form form_;
  std::size_t mtu_ = 1'500;
  HasCall has_call_;
  OnDrop on_drop_;
  FrameCounters counters_;
  std::vector<std::byte> scratch_;  // the AAL5 frame to cut into cells
  std::vector<std::byte> frame_;    // the frame to send
  // By label; bounded by the labels of the port, because the switch sends no others.
  std::unordered_map<std::uint32_t, Aal5Reassembly> reassembly_;
};

}  // namespace xbind::dataplane
