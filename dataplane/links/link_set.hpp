// All the lines of one process, from what is said of each: a trunk for every LOCAL address that
// pseudowires have, a socket for every plain and every MPLS line, a ring for every name that two ends have.
//
//   auto set = LinkSet::open({{{"a", PortId{2}, *parse_link_spec("ring:a-b")},
//                              {"b", PortId{1}, *parse_link_spec("ring:a-b")}}});
//   fabric.attach(PortId{2}, set->take("a", PortId{2}));
//   poll set->descriptors()
//
// One thread for it and for all links that go over UDP; the ends of a ring may have two.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "dataplane/links/link_spec.hpp"
#include "dataplane/links/udp_trunk.hpp"

namespace xbind::dataplane {

struct LinkPlace {
  std::string node{};  // a switch, or a host
  PortId port{};       // a host has one, whichever number the caller gives it
  LinkSpec link{};
};

struct LinkSetOptions {
  UdpTrunkOptions trunk{};  // of each; `local` is not looked at
  std::size_t ring_cells_max = 4096;
  std::size_t links_max = 4096;
};

class LinkSet {
 public:
  // Opens all or none. kBadInput: two links at one place, a ring with one end or with three, two
  // pseudowires of one LOCAL with the same label and peer, options out of their ranges. kExhausted:
  // more than links_max. kSystem: a socket that cannot be had. The text names node, port and line.
  static Result<LinkSet> open(std::span<const LinkPlace> places,
                              const LinkSetOptions& options = {});

  // Each once; null: none there, or taken already. What is not taken lives with the set.
  std::unique_ptr<Link> take(std::string_view node, PortId port);

  // Of sockets that have a link alive, taken or not. Readable while one of its links has something to
  // receive: then every link is to be asked. Rings have none: their owner looks.
  std::vector<int> descriptors() const;
  // Of a link over UDP that is not taken yet; 0: none such.
  std::uint16_t local_port(std::string_view node, PortId port) const;
  // For a PEER whose port was 0. False: no link over UDP there that is not taken yet.
  bool set_peer_port(std::string_view node, PortId port, std::uint16_t udp_port);

  // Of each trunk, in the order of their first links: for whoever reports datagrams that no link got.
  struct Trunk {
    UdpAddress local;  // with the port that it has
    UdpTrunkCounters counters;
  };
  std::vector<Trunk> trunks() const;

 private:
  struct End {
    std::unique_ptr<Link> link;  // null: taken
    UdpEnd* udp = nullptr;       // `link`, where it goes over UDP
  };
  struct Opened {
    UdpAddress local;
    UdpTrunk trunk;
  };

  LinkSet() = default;
  const End* find(std::string_view node, PortId port) const;
  Result<std::unique_ptr<UdpEnd>> open_udp(const LinkSpec& link, const LinkSetOptions& options);

  std::vector<Opened> trunks_;
  std::vector<std::weak_ptr<const Descriptor>> own_sockets_;  // of plain and MPLS lines
  std::map<std::pair<std::string, PortId>, End> ends_;
};

}  // namespace xbind::dataplane
