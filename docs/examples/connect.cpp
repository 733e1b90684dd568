// Connects two ends of a lab, waits until something happens to the connection, and releases it:
//
//   connect NAME-SERVICE FROM TO          for example: connect 127.0.0.1:2809 host-a host-b
#include <fmt/core.h>

#include <utility>

#include "client/corba/client.hpp"

int main(int argc, char** argv) {
  using namespace xbind;
  if (argc != 4) return fmt::print(stderr, "usage: connect NAME-SERVICE FROM TO\n"), 2;
  client::Options options;
  options.name_service = argv[1];
  client::Client client(options);

  std::promise<Notice> promise;
  client.on_notice([&promise, first = true](const Notice& notice) mutable {
    if (std::exchange(first, false)) promise.set_value(notice);
  });

  ServiceSpec service;
  service.cells_per_s = 100;
  const auto call = client.connect(argv[2], argv[3], service);
  if (!call) return fmt::print(stderr, "not connected: {}\n", call.error().text), 1;
  fmt::print("connected {}, ingress label {}, egress label {}\n", call->connection,
             to_string(call->ingress), to_string(call->egress));
  std::fflush(stdout);

  const Notice notice = promise.get_future().get();  // waits
  fmt::print("{} {}: {}\n", notice.connection, to_string(notice.kind), notice.element);

  const auto released = client.release(call->connection);
  if (!released) return fmt::print(stderr, "not released: {}\n", released.error().text), 1;
  fmt::print("released {}\n", call->connection);
}
