// Which address of a name a daemon listens on. "localhost" has ::1 before 127.0.0.1 in most hosts
// files, also on a machine without IPv6.
#pragma once

#include <boost/system/error_code.hpp>
#include <system_error>

namespace xbind {

// Calls `listen` with each of `addresses` until this host has one; any other failure, such as an
// address that is taken, ends the search. `listen` returns an error code that converts to
// std::error_code. Returns the last one; no error: it listens.
template <class Addresses, class Listen>
std::error_code listen_on_first_usable(const Addresses& addresses, const Listen& listen) {
  std::error_code error = std::make_error_code(std::errc::address_not_available);
  for (const auto& address : addresses) {
    error = listen(address);
    if (error != std::errc::address_family_not_supported &&
        error != std::errc::address_not_available) {
      break;
    }
  }
  return error;
}

// Has the acceptor, of Boost.Asio, listen at the endpoint, in the place of one where it could not.
template <class Acceptor>
boost::system::error_code listen_at(Acceptor& acceptor,
                                    const typename Acceptor::endpoint_type& endpoint) {
  boost::system::error_code error;
  boost::system::error_code ignored;
  acceptor.close(ignored);
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(typename Acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(Acceptor::max_listen_connections, error);
  return error;
}

}  // namespace xbind
