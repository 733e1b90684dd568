// The frames of an interface as a line: what needs no rights. tests/integration/hosts_test.py has
// interfaces.
#include "dataplane/links/packet_line.hpp"

#include <gtest/gtest.h>

#include "dataplane/links/link_set.hpp"

namespace xbind::dataplane {
namespace {

TEST(PacketLine, AnInterfaceThatIsNotThereIsNamed) {
  const auto line = open_packet_line({.interface = "xb-none"});
  ASSERT_FALSE(line.has_value());
  EXPECT_EQ(line.error().code, ErrorCode::kSystem);
  // Without the right to open such a socket, that is the reason.
  EXPECT_TRUE(line.error().text == "interface xb-none: No such device" ||
              line.error().text == "interface xb-none: Operation not permitted")
      << line.error().text;
}

TEST(PacketLine, TheSetNamesThePlace) {
  const std::vector<LinkPlace> places{
      {.node = "a", .port = PortId{1}, .link = *parse_link_spec("frames:xb-none")}};
  const auto set = LinkSet::open(places);
  ASSERT_FALSE(set.has_value());
  EXPECT_EQ(set.error().text.rfind("'a' port 1: frames:xb-none: interface xb-none: ", 0), 0U)
      << set.error().text;
}

}  // namespace
}  // namespace xbind::dataplane
