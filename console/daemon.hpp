// The parts of xbind-console, put together: what is read, who asks, and the routes.
#pragma once

#include <omniORB4/CORBA.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "console/guard.hpp"
#include "console/http_server.hpp"
#include "console/live_board.hpp"
#include "console/remote_alarms.hpp"
#include "console/remote_calls.hpp"
#include "console/remote_questions.hpp"
#include "console/remote_reader.hpp"
#include "console/remote_watch.hpp"
#include "console/router.hpp"
#include "console/workers.hpp"
#include "core/result.hpp"
#include "exporter/reading.hpp"

namespace xbind::console {

struct ConsoleOptions {
  HostPort http;
  std::vector<HostMaybePort> hosts;  // further ones in Host headers
  bool writable = false;
  std::chrono::milliseconds interval{};
  HttpLimits limits;
  RemoteQuestions::Names names;
};

class ConsoleDaemon {
 public:
  // kSystem: the address cannot be listened on.
  static Result<std::unique_ptr<ConsoleDaemon>> open(CORBA::ORB_ptr orb,
                                                     const std::string& name_service,
                                                     const ConsoleOptions& options,
                                                     std::function<RequestId()> new_request);
  // Ends every connection and thread; waits for the calls of peers under way.
  ~ConsoleDaemon();

  // "127.0.0.1:9480"
  std::string address() const;
  // Begins to read and to serve.
  void start();

  // For --metrics. Any thread.
  exporter::Part exposed_part() const;

 private:
  ConsoleDaemon(const orb::NameClient& names, const ConsoleOptions& options,
                std::function<RequestId()> new_request, std::unique_ptr<HttpServer> server);

  std::vector<Route> routes();
  void add_assets(std::vector<Route>& routes);
  void add_sections(std::vector<Route>& routes);
  void add_calls(std::vector<Route>& routes);
  void add_questions(std::vector<Route>& routes);
  void add_changes(std::vector<Route>& routes);

  void about(RoutedRequest request, const Reply& reply) const;
  void history(RoutedRequest request, const Reply& reply) const;
  void list_calls(RoutedRequest request, Reply reply);
  void list_events(RoutedRequest request, const Reply& reply) const;
  // Runs the question on a thread that may wait. Refuses it while the manager is known as silent.
  void ask(const std::string& manager, Workers& workers, Reply reply,
           std::function<HttpAnswer()> question);
  // The same for a question about one call; the request is its path.
  void ask_about(RoutedRequest request, Reply reply, Workers& workers,
                 HttpAnswer (RemoteQuestions::*question)(const std::string&, ConnectionId));

  const ConsoleOptions options_;
  LiveBoard board_;
  std::unique_ptr<HttpServer> server_;  // before all that keeps a Reply
  RemoteCalls calls_;
  RemoteEvents events_;
  RemoteReader reader_;
  RemoteQuestions questions_;
  const Guard guard_;
  const Router router_;
  RemoteWatch watch_;
  RemoteAlarms alarms_;
  Workers questioners_;
  Workers changers_;
};

}  // namespace xbind::console
