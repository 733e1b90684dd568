#include "smds/network_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/smds/pdus.hpp"

namespace xbind::smds {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kServers = R"([[server]]
name = "s2"
id = 2
endpoint = "n2"
[[server]]
name = "s1"
id = 1
endpoint = "n1"
)";

TEST(NetworkFileTest, HasServersByIdAndAllOthersByIndex) {
  const Network network = network_of(std::string(kServers) + R"(
    [[trunk]]
    between = ["s2", "s1"]
    mbit-per-s = 100
    adaptation = "aal34"
    [[subscriber]]
    name = "anna"
    server = "s2"
    endpoint = "h1"
    addresses = ["C11", "C12"]
    class = 10
    mcdus = 16
    individual-allow = ["C22", "C21"]
    group-deny = ["E1"]
    [[subscriber]]
    name = "bert"
    server = "s1"
    adaptation = "udp"
    addresses = ["C13"]
    [[group]]
    address = "E1"
    members = ["C11", "C13"]
    [[prefix]]
    prefix = "C2"
    server = "s1"
  )");
  ASSERT_EQ(network.servers.size(), 2U);
  EXPECT_EQ(network.servers[0].name, "s1");
  ASSERT_EQ(network.trunks.size(), 1U);
  EXPECT_EQ(network.trunks[0].one, 0U);
  EXPECT_EQ(network.trunks[0].other, 1U);
  EXPECT_EQ(network.trunks[0].adaptation, Adaptation::kAal34);
  ASSERT_EQ(network.subscribers.size(), 2U);
  const SubscriberSpec& anna = network.subscribers[0];
  EXPECT_EQ(anna.server, 1U);
  EXPECT_EQ(anna.access_class, 10U);
  EXPECT_EQ(anna.mcdus, 16U);
  EXPECT_TRUE(anna.individual.allow);
  EXPECT_THAT(anna.individual.listed, ElementsAre(address("C21"), address("C22")));
  EXPECT_TRUE(anna.individual.passes(address("C21")));
  EXPECT_FALSE(anna.individual.passes(address("C23")));
  EXPECT_FALSE(anna.group.passes(address("E1")));
  EXPECT_TRUE(anna.group.passes(address("E2")));
  EXPECT_TRUE(network.subscribers[1].individual.passes(address("C99")));
  EXPECT_EQ(network.subscribers[1].adaptation, Adaptation::kUdp);
  EXPECT_EQ(network.groups.at(0).members.size(), 2U);
  EXPECT_EQ(network.prefixes.at(0).server, 0U);
}

// Text behind the two servers, the line that is named, and what is said.
struct Mistake {
  const char* text;
  const char* line;
  const char* words;
};

TEST(NetworkFileTest, NamesTheLineOfAMistake) {
  const std::string seventeen = [] {
    std::string list;
    for (int at = 0; at < 17; ++at) list += "\"C1" + std::to_string(at) + "\", ";
    return "[[subscriber]]\nname = \"a\"\nserver = \"s1\"\nendpoint = \"h\"\naddresses = [" + list +
           "]\n";
  }();
  const Mistake mistakes[] = {
      {"[[server]]\nname = \"s1\"\nid = 3\nendpoint = \"n3\"\n", "line 10", "is called 's1'"},
      {"[[server]]\nname = \"s3\"\nid = 1\nendpoint = \"n3\"\n", "line 11", "another server has 1"},
      {"[[server]]\nname = \"s3\"\nid = 3\nendpoint = \"n1\"\n", "line 12", "n1 is taken"},
      {"[[trunk]]\nbetween = [\"s1\", \"s3\"]\n", "line 10", "there is no server 's3'"},
      {"[[trunk]]\nbetween = [\"s1\", \"s1\"]\n", "line 10", "two different servers"},
      {"[[trunk]]\nbetween = [\"s1\", \"s2\"]\n[[trunk]]\nbetween = [\"s2\", \"s1\"]\n", "line 12",
       "another trunk joins"},
      {"[[trunk]]\nbetween = [\"s1\", \"s2\"]\nspeed = 3\n", "line 11", "speed"},
      {seventeen.c_str(), "line 13", "more than 16 addresses"},
      {"[[subscriber]]\nname = \"a\"\nserver = \"s1\"\naddresses = [\"C1\"]\n", "line 9",
       "either udp or has an endpoint"},
      {"[[subscriber]]\nname = \"a\"\nserver = \"s1\"\nendpoint = \"h\"\naddresses = [\"E1\"]\n",
       "line 13", "is a group address"},
      {"[[subscriber]]\nname = \"a\"\nserver = \"s1\"\nendpoint = \"h\"\naddresses = [\"C1\"]\n"
       "class = 5\n",
       "line 14", "not one of 4, 10, 16, 25, 34"},
      {"[[subscriber]]\nname = \"a\"\nserver = \"s1\"\nendpoint = \"h\"\naddresses = [\"C1\"]\n"
       "group-allow = [\"E1\"]\ngroup-deny = [\"E2\"]\n",
       "line 14", "do not go together"},
      {"[[group]]\naddress = \"E1\"\nmembers = [\"C1\"]\n", "line 11", "no subscriber has"},
      {"[[group]]\naddress = \"C1\"\nmembers = [\"C1\"]\n", "line 10", "is an individual address"},
      {"[[prefix]]\nprefix = \"C1\"\nserver = \"s9\"\n", "line 11", "there is no server 's9'"},
      {"[[bridge]]\nname = \"a\"\n", "line 9", "bridge"},
  };
  for (const Mistake& mistake : mistakes) {
    const auto read = parse_network(std::string(kServers) + mistake.text, "net.toml");
    ASSERT_FALSE(read) << mistake.text;
    EXPECT_THAT(read.error().text, HasSubstr(std::string("net.toml ") + mistake.line))
        << mistake.text;
    EXPECT_THAT(read.error().text, HasSubstr(mistake.words)) << mistake.text;
  }
}

}  // namespace
}  // namespace xbind::smds
