// The server over real sockets of the loopback, with ports that the system chooses.
#include "exporter/http_server.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <vector>

namespace xbind::exporter {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// A connection to the server; nothing waits for longer than 20 s.
class Peer {
 public:
  explicit Peer(const std::string& address) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval patience{20, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    const auto at = parse_host_port(address);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(at ? at->port : std::uint16_t{0});
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  }
  ~Peer() { ::close(socket_); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  bool send(std::string_view text) {
    return connected_ && ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) ==
                             static_cast<ssize_t>(text.size());
  }
  // Whether the server has closed it, without waiting.
  bool is_closed() const {
    char next = 0;
    return ::recv(socket_, &next, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
  }
  // Everything until the server closes; "(silence)" at the end if it does not.
  std::string rest() {
    std::string text;
    char part[4'096];
    for (;;) {
      const ssize_t octets = ::recv(socket_, part, sizeof part, 0);
      if (octets == 0) return text;
      if (octets < 0) return text + (errno == EAGAIN ? "(silence)" : "(reset)");
      text.append(part, static_cast<std::size_t>(octets));
    }
  }

 private:
  int socket_;
  bool connected_ = false;
};

class HttpServerTest : public ::testing::Test {
 protected:
  HttpServerTest() { open(); }

  void open(HttpServer::OnGet on_get = nullptr) {
    server.reset();
    if (!on_get) {
      on_get = [this](std::string_view path) {
        const std::lock_guard lock(mutex);
        paths.emplace_back(path);
        return HttpAnswer{.body = "of " + std::string{path} + "\n"};
      };
    }
    auto opened = HttpServer::open({"127.0.0.1", 0}, std::move(on_get), [this] { ++refused; });
    ASSERT_TRUE(opened) << opened.error().text;
    server = std::move(*opened);
  }

  std::string exchange(std::string_view request) const {
    Peer peer(server->address());
    return peer.send(request) ? peer.rest() : "(not sent)";
  }

  std::mutex mutex;
  std::vector<std::string> paths;  // asked of the owner
  std::atomic<int> refused = 0;
  std::unique_ptr<HttpServer> server;
};

TEST_F(HttpServerTest, AGetIsAnsweredByTheOwnerAndTheConnectionCloses) {
  EXPECT_EQ(exchange("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: "
            "12\r\nConnection: close\r\n\r\nof /metrics\n");
  EXPECT_EQ(refused, 0);
}

TEST_F(HttpServerTest, TheOwnerSetsStatusTypeAndBody) {
  open([](std::string_view) { return HttpAnswer{503, "application/json", "{}"}; });
  EXPECT_EQ(exchange("GET / HTTP/1.1\r\n\r\n"),
            "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: "
            "2\r\nConnection: close\r\n\r\n{}");
}

TEST_F(HttpServerTest, AHeadHasTheLengthAndNoBody) {
  EXPECT_THAT(exchange("HEAD /metrics HTTP/1.1\r\n\r\n"),
              AllOf(HasSubstr("Content-Length: 12\r\n"), EndsWith("\r\n\r\n")));
}

TEST_F(HttpServerTest, ThePathIsWithoutQueryAndHost) {
  for (const char* const target : {"/a/b?c=d", "/a#b", "http://host:1/a?b", "http://host"}) {
    EXPECT_THAT(exchange("GET " + std::string{target} + " HTTP/1.1\r\n\r\n"),
                StartsWith("HTTP/1.1 200 "));
  }
  EXPECT_THAT(paths, ElementsAre("/a/b", "/a", "/a", "/"));
}

TEST_F(HttpServerTest, OtherMethodsAreRefusedByName) {
  for (const char* const method : {"POST", "PUT", "DELETE", "OPTIONS"}) {
    EXPECT_THAT(exchange(std::string{method} + " / HTTP/1.1\r\nContent-Length: 0\r\n\r\n"),
                AllOf(StartsWith("HTTP/1.1 405 Method Not Allowed\r\n"),
                      HasSubstr("Allow: GET, HEAD\r\n"), EndsWith("only GET and HEAD\n")));
  }
  EXPECT_EQ(refused, 4);
  EXPECT_THAT(paths, IsEmpty());
}

TEST_F(HttpServerTest, ARequestWithABodyGetsItsAnswer) {
  // Closing with the body unread would reset the connection.
  const std::string body(60'000, 'x');
  const std::string headers = "POST / HTTP/1.1\r\nContent-Length: 60000\r\n\r\n";
  EXPECT_THAT(exchange(headers + body),
              AllOf(StartsWith("HTTP/1.1 405 "), Not(HasSubstr("(reset)"))));
}

TEST_F(HttpServerTest, WhatIsNoRequestIsRefused) {
  for (const char* const octets :
       {"\x16\x03\x01\r\n\r\n", "GET\r\n\r\n", "GET / SIP/2.0\r\n\r\n"}) {
    EXPECT_THAT(exchange(octets),
                AllOf(StartsWith("HTTP/1.1 400 Bad Request\r\n"), HasSubstr("no request of HTTP")));
  }
  EXPECT_EQ(refused, 3);
  EXPECT_THAT(paths, IsEmpty());
}

TEST_F(HttpServerTest, RequestLineAndHeadersAreBounded) {
  const std::string begin = "GET / HTTP/1.1\r\nA: ";
  const std::string end = "\r\n\r\n";
  // Which of the line ends count is the library's matter.
  const std::size_t room = HttpServer::kRequestOctetsMax - begin.size() - end.size();
  EXPECT_THAT(exchange(begin + std::string(room, 'x') + end), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(exchange(begin + std::string(HttpServer::kRequestOctetsMax, 'x') + end),
              AllOf(StartsWith("HTTP/1.1 431 "), EndsWith("have at most 4096 octets\n")));
  EXPECT_EQ(refused, 1);
}

TEST_F(HttpServerTest, APeerThatLeavesWithoutARequestIsNoRefusal) {
  { const Peer gone(server->address()); }
  {
    Peer half(server->address());
    EXPECT_TRUE(half.send("GET / HT"));
  }
  EXPECT_THAT(exchange("GET / HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(refused, 0);
}

TEST_F(HttpServerTest, ASilentPeerHoldsNoWorker) {
  std::vector<std::unique_ptr<Peer>> silent;
  for (int i = 0; i < 2 * HttpServer::kWorkers; ++i) {
    silent.push_back(std::make_unique<Peer>(server->address()));
    ASSERT_TRUE(silent.back()->send("GET / HT"));
  }
  EXPECT_THAT(exchange("GET / HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpServerTest, BeyondTheBoundAConnectionWaitsUntilASilentOneIsCutOff) {
  std::vector<std::unique_ptr<Peer>> silent;
  for (int i = 0; i < HttpServer::kWorkers + HttpServer::kQueued; ++i) {
    silent.push_back(std::make_unique<Peer>(server->address()));
  }
  Peer waiting(server->address());
  ASSERT_TRUE(waiting.send("GET /waited HTTP/1.1\r\n\r\n"));
  EXPECT_THAT(waiting.rest(), EndsWith("of /waited\n"));
  EXPECT_TRUE(std::ranges::any_of(silent, [](const auto& peer) { return peer->is_closed(); }));
  for (const auto& peer : silent) EXPECT_EQ(peer->rest(), "");
}

TEST_F(HttpServerTest, RequestsUnderWayAreAwaitedAtTheEnd) {
  std::promise<void> begun;
  std::promise<void> go_on;
  std::atomic<bool> over = false;
  open([&](std::string_view) {
    begun.set_value();
    go_on.get_future().wait();
    over = true;
    return HttpAnswer{};
  });
  Peer peer(server->address());
  ASSERT_TRUE(peer.send("GET / HTTP/1.1\r\n\r\n"));
  begun.get_future().wait();
  const auto ended = std::async(std::launch::async, [this] { server.reset(); });
  go_on.set_value();
  ended.wait();
  EXPECT_TRUE(over);
  EXPECT_THAT(peer.rest(), Not(HasSubstr("(silence)")));
}

TEST_F(HttpServerTest, ATakenAddressIsRefusedByName) {
  const auto at = parse_host_port(server->address());
  ASSERT_TRUE(at);
  const auto second = HttpServer::open(
      *at, [](auto) { return HttpAnswer{}; }, [] {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kSystem);
  EXPECT_EQ(second.error().text,
            "cannot listen on " + server->address() + ": Address already in use");
}

TEST_F(HttpServerTest, AnAddressThatIsNotOfThisHostIsRefused) {
  // Of RFC 5737, for documents.
  const auto none = HttpServer::open(
      {"192.0.2.1", 0}, [](auto) { return HttpAnswer{}; }, [] {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().text, "cannot listen on 192.0.2.1:0: Cannot assign requested address");
}

TEST_F(HttpServerTest, ANameIsShownAsItWasGiven) {
  const auto named = HttpServer::open(
      {"localhost", 0}, [](auto) { return HttpAnswer{}; }, [] {});
  ASSERT_TRUE(named) << named.error().text;
  EXPECT_THAT((*named)->address(), AllOf(StartsWith("localhost:"), Not(EndsWith(":0"))));
}

}  // namespace
}  // namespace xbind::exporter
