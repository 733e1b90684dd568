#include "dataplane/links/link_spec.hpp"

#include <gtest/gtest.h>

namespace xbind::dataplane {
namespace {

TEST(LinkSpec, APseudowire) {
  const auto spec = parse_link_spec("mpls:127.0.1.1:6635/127.0.1.2:6636/1001");
  ASSERT_TRUE(spec.has_value()) << spec.error().text;
  EXPECT_EQ(*spec, (LinkSpec{.kind = LinkKind::kMpls,
                             .local = {"127.0.1.1", 6635},
                             .peer = {"127.0.1.2", 6636},
                             .label = 1001}));
}

TEST(LinkSpec, APlainLineIsNniUnlessItSaysUni) {
  EXPECT_EQ(parse_link_spec("plain:127.0.0.1:1/127.0.0.1:2")->form, HeaderForm::kNni);
  EXPECT_EQ(parse_link_spec("plain:127.0.0.1:1/127.0.0.1:2/nni")->form, HeaderForm::kNni);
  EXPECT_EQ(parse_link_spec("plain:127.0.0.1:1/127.0.0.1:2/uni")->form, HeaderForm::kUni);
}

TEST(LinkSpec, AnMplsLineHasNoLabelOfItsOwn) {
  EXPECT_EQ(
      *parse_link_spec("lsp:127.0.1.1:6635/127.0.1.2:6636"),
      (LinkSpec{
          .kind = LinkKind::kLsp, .local = {"127.0.1.1", 6635}, .peer = {"127.0.1.2", 6636}}));
}

TEST(LinkSpec, ARing) {
  EXPECT_EQ(*parse_link_spec("ring:a-b_1.x"), (LinkSpec{.ring = "a-b_1.x"}));
}

TEST(LinkSpec, AnInterfaceWithFrames) {
  const LinkSpec frames = *parse_link_spec("frames:eth0");
  EXPECT_EQ(frames, (LinkSpec{.kind = LinkKind::kFrames, .interface = "eth0"}));
  EXPECT_FALSE(frames.udp());
  EXPECT_EQ(*parse_link_spec("frames:eth0/labels"),
            (LinkSpec{.kind = LinkKind::kFrames, .interface = "eth0", .labels = true}));
}

TEST(LinkSpec, WrittenAndParsedAgainItIsTheSame) {
  for (const char* text :
       {"mpls:127.0.1.1:0/127.0.1.2:65535/1048575", "plain:[::1]:1/[::2]:2/uni",
        "plain:1.2.3.4:1/5.6.7.8:2", "lsp:127.0.1.1:1/127.0.1.2:2", "cfr:[::1]:1/[::1]:2", "ring:x",
        "frames:xb12345678-h17", "frames:xb12345678-h17/labels"}) {
    const auto spec = parse_link_spec(text);
    ASSERT_TRUE(spec.has_value()) << spec.error().text;
    EXPECT_EQ(to_string(*spec), text);
    EXPECT_EQ(parse_link_spec(to_string(*spec)), spec);
  }
}

TEST(LinkSpec, EqualAddressesAreEqualHoweverTheyAreWritten) {
  EXPECT_EQ(net::parse_udp_address("[0:0::0:1]:7"), net::parse_udp_address("[::1]:7"));
}

constexpr const char* kForms =
    "may be mpls:LOCAL/PEER/LABEL, lsp:LOCAL/PEER, plain:LOCAL/PEER[/uni|/nni], cfr:LOCAL/PEER, "
    "ring:NAME or frames:IFACE[/labels]";

TEST(LinkSpec, WhatIsWrongIsNamed) {
  const std::string forms = kForms;
  const std::vector<std::pair<std::string, std::string>> refusals = {
      {"", forms},
      {"mpls", forms},
      {"atm:1", "kind 'atm', " + forms},
      {"mpls:127.0.0.1:1/127.0.0.1:2", "2 parts between '/', mpls has LOCAL/PEER/LABEL"},
      {"mpls:127.0.0.1:1/127.0.0.1:2/3/4", "4 parts between '/', mpls has LOCAL/PEER/LABEL"},
      {"mpls:127.0.0.1:1/127.0.0.1:2/15", "LABEL '15' is no number from 16 to 1048575"},
      {"mpls:127.0.0.1:1/127.0.0.1:2/1048576", "LABEL '1048576' is no number from 16 to 1048575"},
      {"mpls:127.0.0.1:1/127.0.0.1:2/20x", "LABEL '20x' is no number from 16 to 1048575"},
      {"mpls:127.0.0.1/127.0.0.1:2/20", "LOCAL: \"127.0.0.1\" is not HOST:PORT"},
      {"mpls:127.0.0.1:1/127.0.0.1:65536/20",
       "PEER: \"127.0.0.1:65536\" is not HOST:PORT with a port of 0 to 65535"},
      {"mpls:127.0.0.1:1/127.0.0.1:0/20", "PEER: '127.0.0.1:0' has an unspecified address or port"},
      {"mpls:127.0.0.1:1/0.0.0.0:7/20", "PEER: '0.0.0.0:7' has an unspecified address or port"},
      {"mpls:127.0.0.1:1/[::]:7/20", "PEER: '[::]:7' has an unspecified address or port"},
      {"mpls:127.0.0.1:1/[::1]:7/20",
       "LOCAL '127.0.0.1:1' and PEER '[::1]:7' are of two address families"},
      {"mpls:localhost:1/127.0.0.1:7/20",
       "LOCAL: 'localhost:1': host 'localhost' is no IPv4 address and no IPv6 one in brackets"},
      {"mpls:::1:1/[::1]:7/20", "LOCAL: \"::1:1\" is not HOST:PORT; write [ADDRESS]:PORT"},
      {"plain:127.0.0.1:1", "1 parts between '/', plain has LOCAL/PEER[/uni|/nni]"},
      {"plain:127.0.0.1:1/127.0.0.1:2/UNI", "header form 'UNI', may be uni or nni"},
      {"lsp:127.0.0.1:1/127.0.0.1:2/1000", "3 parts between '/', lsp has LOCAL/PEER"},
      {"cfr:127.0.0.1:1", "1 parts between '/', cfr has LOCAL/PEER"},
      {"lsp:127.0.0.1:1/127.0.0.1:0", "PEER: '127.0.0.1:0' has an unspecified address or port"},
      {"ring:", "ring name '', may be 1 to 64 letters, digits, '.', '_' and '-'"},
      {"frames:", "interface name '', may be 1 to 15 letters, digits, '.', '_' and '-'"},
      {"frames:eth0/label", "form of frames 'label', may be labels"},
      {"frames:eth0/", "form of frames '', may be labels"},
      {"frames:eth0/labels/2", "3 parts between '/', frames has IFACE[/labels]"},
      {"frames:/labels", "interface name '', may be 1 to 15 letters, digits, '.', '_' and '-'"},
      {"frames:abcdefghijklmnop",
       "interface name 'abcdefghijklmnop', may be 1 to 15 letters, digits, '.', '_' and '-'"},
      {"ring:a b", "ring name 'a b', may be 1 to 64 letters, digits, '.', '_' and '-'"},
  };
  for (const auto& [text, why] : refusals) {
    const auto spec = parse_link_spec(text);
    ASSERT_FALSE(spec.has_value()) << text;
    EXPECT_EQ(spec.error(), (Error{ErrorCode::kBadInput, "link '" + text + "': " + why}));
  }
  EXPECT_FALSE(parse_link_spec("ring:" + std::string(kRingNameMax + 1, 'a')).has_value());
  EXPECT_TRUE(parse_link_spec("ring:" + std::string(kRingNameMax, 'a')).has_value());
}

TEST(LinkSpec, OfPorts) {
  const auto ports = parse_port_links("2=ring:a,3=plain:[::1]:1/[::1]:2");
  ASSERT_TRUE(ports.has_value()) << ports.error().text;
  ASSERT_EQ(ports->size(), 2u);
  EXPECT_EQ((*ports)[0], (PortLink{PortId{2}, LinkSpec{.ring = "a"}}));
  EXPECT_EQ((*ports)[1].port, PortId{3});
  EXPECT_TRUE(parse_port_links("")->empty());
}

TEST(LinkSpec, PortsThatCannotBe) {
  const auto why = [](std::string_view text) { return parse_port_links(text, 4).error().text; };
  EXPECT_EQ(why("0=ring:a"), "port '0' is no number from 1 to 4");
  EXPECT_EQ(why("5=ring:a"), "port '5' is no number from 1 to 4");
  EXPECT_EQ(why("x=ring:a"), "port 'x' is no number from 1 to 4");
  EXPECT_EQ(why("2=ring:a,3=ring:b,2=ring:c"), "port 2 has two links");
  EXPECT_EQ(why("2=ring:a,"), "'' is no NAME=LINK");
  EXPECT_EQ(why("ring:a"), "'ring:a' is no NAME=LINK");
  EXPECT_EQ(why("2=ring"), std::string("link 'ring': ") + kForms);
}

TEST(LinkSpec, OfNames) {
  const auto links = parse_named_links("host-a=ring:a,host-b=ring:b");
  ASSERT_TRUE(links.has_value()) << links.error().text;
  EXPECT_EQ(*links, (std::vector<NamedLink>{{"host-a", LinkSpec{.ring = "a"}},
                                            {"host-b", LinkSpec{.ring = "b"}}}));
  EXPECT_EQ(parse_named_links("a=ring:a,a=ring:b").error().text, "'a' has two links");
  EXPECT_EQ(parse_named_links("=ring:a").error().text, "'=ring:a' is no NAME=LINK");
}

}  // namespace
}  // namespace xbind::dataplane
