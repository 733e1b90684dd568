// All the lines of one process, opened from their specifications: a trunk for every LOCAL address
// of pseudowires, a socket for every plain and every MPLS line and every interface with frames, a
// ring for every name that two ends have.
//
//   auto set = LinkSet::open({{{"a", PortId{2}, *parse_link_spec("ring:a-b")},
//                              {"b", PortId{1}, *parse_link_spec("ring:a-b")}}});
//   fabric.attach(PortId{2}, set->take("a", PortId{2}));
//   poll set->descriptors()
//
// One thread for the set and for all links over UDP; the ends of a ring may have two.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/frame_classes.hpp"
#include "core/ids.hpp"
#include "core/result.hpp"
#include "dataplane/links/link_spec.hpp"
#include "dataplane/links/udp_trunk.hpp"

namespace xbind::dataplane {

struct LinkPlace {
  std::string node{};  // a switch, or a host
  PortId port{};       // a host has one, with any number
  LinkSpec link{};
  FrameClasses classes{};  // of a line of kind kFrames
  Duration delay{};        // of its propagation, which the set leaves to its caller
};

struct LinkSetOptions {
  UdpTrunkOptions trunk{};  // for each trunk; `local` is ignored
  std::size_t ring_cells_max = 4096;
  std::size_t links_max = 4096;
  // Of lines to a Cambridge Fast Ring, which need one. Called by the thread that has the line.
  std::function<TimePoint()> clock{};
};

class LinkSet {
 public:
  // Opens all or none. kBadInput: two links at one place, a ring with one end or with three, two
  // pseudowires of one LOCAL with the same label and peer, two lines with the frames of one
  // interface, a line to a ring without a clock, or options out of range. kExhausted: more than
  // links_max. kSystem: a socket could not be opened. The text names node, port and line.
  static Result<LinkSet> open(std::span<const LinkPlace> places,
                              const LinkSetOptions& options = {});

  // Each link can be taken once. Null: there is none, or it was taken. The set keeps the others.
  std::unique_ptr<Link> take(std::string_view node, PortId port);

  // Descriptors of sockets with a live link, taken or not. Readable while one of its links has
  // something to receive; then receive from every link. Rings have no descriptor: their owner polls
  // them.
  std::vector<int> descriptors() const;
  // Port of a UDP link that is not taken yet; 0: no such link.
  std::uint16_t local_port(std::string_view node, PortId port) const;
  // For a PEER whose port was 0. False: there is no UDP link at this place that is not taken yet.
  bool set_peer_port(std::string_view node, PortId port, std::uint16_t udp_port);

  // Counters of each trunk, in the order of their first links, to report datagrams for no link.
  struct Trunk {
    net::UdpAddress local;  // with the port in use
    UdpTrunkCounters counters;
  };
  std::vector<Trunk> trunks() const;

 private:
  struct End {
    std::unique_ptr<Link> link;  // null: taken
    UdpEnd* udp = nullptr;       // `link`, if it uses UDP
  };
  struct Opened {
    net::UdpAddress local;
    UdpTrunk trunk;
  };

  LinkSet() = default;
  const End* find(std::string_view node, PortId port) const;
  Result<std::unique_ptr<UdpEnd>> open_udp(const LinkSpec& link, const LinkSetOptions& options);

  std::vector<Opened> trunks_;
  std::vector<std::weak_ptr<const net::Descriptor>> own_sockets_;  // of lines without a trunk
  std::map<std::pair<std::string, PortId>, End> ends_;
};

}  // namespace xbind::dataplane
