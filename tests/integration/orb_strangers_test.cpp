// How orb/ handles strangers: their connections, and replies that echo what they sent.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <omniORB4/CORBA.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "core/steady_now.hpp"
#include "orb/accepted_connections.hpp"
#include "orb/connection_guard.hpp"
#include "orb/raise.hpp"
#include "orb/reply.hpp"

namespace xbind::orb {
namespace {

// A listening socket and peers that connect to it; both ends are in this process.
class Strangers : public testing::Test {
 protected:
  Strangers() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(listener_, any, size), 0);
    EXPECT_EQ(listen(listener_, 100), 0);
    EXPECT_EQ(getsockname(listener_, any, &size), 0);
    for (int i = 0; i < 8; ++i) {
      const int peer = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      EXPECT_EQ(connect(peer, any, size), 0);
      peers_.push_back(peer);
      accepted_.push_back(accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC));
    }
  }
  ~Strangers() override {
    close(listener_);
    for (const int peer : peers_) close(peer);
    for (const int accepted : accepted_) close(accepted);
  }
  // Whether the guard has closed the connection.
  static bool closed(int peer) {
    char octet = 0;
    return recv(peer, &octet, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
  }
  std::ptrdiff_t closed() const {
    return std::ranges::count_if(peers_, [](int it) { return closed(it); });
  }

  int listener_ = -1;
  std::vector<int> peers_;
  std::vector<int> accepted_;
};

TEST_F(Strangers, TheSilentAmongTooManyAreClosedAndWhoeverSpokeStays) {
  ASSERT_EQ(send(peers_[3], "x", 1, 0), 1);
  const ConnectionGuard guard(8, {});  // at most four connections
  const TimePoint give_up = steady_now() + std::chrono::seconds{20};
  while (closed() < 4 && steady_now() < give_up) std::this_thread::yield();
  EXPECT_EQ(closed(), 4);
  EXPECT_FALSE(closed(peers_[3]));
}

TEST_F(Strangers, TheGuardCountsTheConnectionsOfEachHost) {
  AcceptedConnections& counted = accepted_connections();
  counted.seen({});
  const ConnectionGuard guard(1'000, {.total = 10, .per_host = 9});
  const TimePoint give_up = steady_now() + std::chrono::seconds{20};
  while (counted.open() < 8 && steady_now() < give_up) std::this_thread::yield();
  EXPECT_GE(counted.open(), 8U);
}

TEST(AcceptedConnections, AreLimitedInTotalAndFromOneHost) {
  AcceptedConnections connections;
  connections.set_limits({.total = 3, .per_host = 2});
  EXPECT_TRUE(connections.admit("127.0.0.1"));
  EXPECT_TRUE(connections.admit("127.0.0.1"));
  EXPECT_FALSE(connections.admit("127.0.0.1"));
  EXPECT_TRUE(connections.admit("127.0.0.2"));
  EXPECT_FALSE(connections.admit("127.0.0.3"));
  EXPECT_EQ(connections.open(), 3U);
  connections.seen({"127.0.0.2"});
  EXPECT_EQ(connections.open(), 1U);
  EXPECT_TRUE(connections.admit("127.0.0.1"));
}

TEST(DescriptorLimit, IsRaisedToTheHardOneWithinABound) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit low = before;
  low.rlim_cur = std::min<rlim_t>(before.rlim_max, 256);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_EQ(raise_descriptor_limit(), std::min<rlim_t>(before.rlim_max, 65'536));
  rlimit now{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &now), 0);
  EXPECT_EQ(now.rlim_cur, std::min<rlim_t>(before.rlim_max, 65'536));
  EXPECT_EQ(now.rlim_max, before.rlim_max);
  setrlimit(RLIMIT_NOFILE, &before);
}

TEST(ReplyRoom, EndsWithTheFirstEntryThatDoesNotFit) {
  ReplyRoom room(100);
  EXPECT_TRUE(room.take(60));
  EXPECT_EQ(room.take_up_to(9, 10), 4U);
  EXPECT_FALSE(room.take(1));
  ReplyRoom other(100);
  EXPECT_FALSE(other.take(101));
  EXPECT_FALSE(other.take(1)) << "it is full: a later, shorter entry does not overtake";
}

TEST(Raise, WhatACallerSentIsNotSentBackWhole) {
  try {
    raise({ErrorCode::kBadInput, "no such thing: " + std::string(100'000, 'x') + "\n"});
  } catch (const v2::BadRequest& refused) {
    EXPECT_LT(std::strlen(refused.reason), 1'100U);
  }
}

}  // namespace
}  // namespace xbind::orb
