// `run --live HOST:PORT`: a page that shows the run while it goes on, and the JSON behind it.
//
//   /            the page: no request to anywhere else, light and dark, for phones as well
//   /live.json   LiveState::json()
//
// Whoever fetches waits for nothing of the run: the text of the last progress is kept ready.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "bench/live/live_state.hpp"
#include "core/config/options.hpp"
#include "core/result.hpp"
#include "exporter/http_server.hpp"

namespace xbind::callgen {

void declare_live_option(config::OptionSet& set, std::string& address);

// take() from one thread; the server's threads are its own.
class LiveServer {
 public:
  // Serves at this address, HOST:PORT; prints it on standard error. kSystem: it is taken, or not
  // one of this host.
  static Result<std::unique_ptr<LiveServer>> open(const std::string& address,
                                                  const std::string& words);
  ~LiveServer();
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;

  void take(const Progress& progress);

 private:
  explicit LiveServer(const std::string& words);
  exporter::HttpAnswer answer(std::string_view path);

  LiveState state_;
  std::mutex mutex_;
  std::shared_ptr<const std::string> json_;
  std::unique_ptr<exporter::HttpServer> server_;  // destroyed first: its threads use the others
};

}  // namespace xbind::callgen
