#include "orb/oneway.hpp"

// omniORB's headers need this order.
// clang-format off
#include <omniORB4/giopEndpoint.h>
#include <omniORB4/omniInterceptors.h>
#include <omniORB4/internal/giopRope.h>
#include <omniORB4/internal/giopStrand.h>
#include <omniORB4/internal/giopStream.h>
#include <omniORB4/internal/GIOP_C.h>
#include <omniORB4/internal/SocketCollection.h>
// clang-format on
#include <linux/sockios.h>
#include <sys/ioctl.h>

#include <atomic>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>

#include "orb/runtime.hpp"

namespace xbind::orb {
namespace {

enum class Held : std::uint8_t { kNothing, kWithoutConnection, kWithoutRoom };

enum class Mode : std::uint8_t { kWaiting, kOpening, kUnblocked };

thread_local Mode mode = Mode::kWaiting;
thread_local Held held = Held::kNothing;

std::atomic<std::uint64_t> without_room_count = 0;

// Addresses to which a thread opens a connection. A oneway holds the lock shared while it is sent,
// which takes microseconds; so none begins unnoticed while a connection is being opened.
std::shared_mutex openings_mutex;
std::multiset<std::string> openings;

// The socket of a connection; -1 for a transport without one. omniORB's connections are such
// holders, which keep the descriptor for classes derived from them.
int socket_of(omni::giopConnection* connection) {
  struct Reader : omni::SocketHolder {
    static int of(omni::SocketHolder& holder) { return holder.*&Reader::pd_socket; }
  };
  auto* const holder = dynamic_cast<omni::SocketHolder*>(connection);
  return holder == nullptr ? -1 : Reader::of(*holder);
}

// Whether the connection takes a whole frame now. The kernel counts what the other end has not
// acknowledged; a transport that does not count always has room.
bool has_room(omni::giopConnection* connection) {
  int waiting = 0;
  const int socket = socket_of(connection);
  if (socket < 0 || ioctl(socket, SIOCOUTQ, &waiting) != 0) return true;
  return static_cast<std::size_t>(waiting) <= connection_credit();
}

// omniORB runs this after it has chosen a connection and before it opens it or writes to it.
CORBA::Boolean on_send(omni::omniInterceptors::clientSendRequest_T::info_T& info) {
  if (mode == Mode::kWaiting) return true;
  omni::giopConnection* const connection = info.giop_c.strand().connection;
  if (connection == nullptr) {
    if (mode == Mode::kOpening) return true;
    held = Held::kWithoutConnection;
  } else if (!has_room(connection)) {
    held = Held::kWithoutRoom;
    ++without_room_count;
  } else {
    return true;
  }
  throw CORBA::NO_RESOURCES(0, CORBA::COMPLETED_NO);
}

}  // namespace

void guard_oneways() {
  static std::once_flag once;
  std::call_once(once, [] { omniORB::getInterceptors()->clientSendRequest.add(on_send); });
}

std::uint64_t oneways_without_room() { return without_room_count; }

namespace oneway_detail {

Unblocked::Unblocked(CORBA::Object_ptr object) {
  openings_mutex.lock_shared();
  must_wait_ = !openings.empty() && openings.contains(address_of(object));
  if (must_wait_) ++without_room_count;
  mode = Mode::kUnblocked;
  held = Held::kNothing;
}

Unblocked::~Unblocked() {
  mode = Mode::kWaiting;
  openings_mutex.unlock_shared();
}

Opening::Opening(CORBA::Object_ptr object) : address_(address_of(object)) {
  // An empty address is unknown: other objects that have one are elsewhere, and need not wait.
  if (!address_.empty()) {
    const std::lock_guard lock(openings_mutex);
    openings.insert(address_);
  }
  mode = Mode::kOpening;
  held = Held::kNothing;
}

Opening::~Opening() {
  mode = Mode::kWaiting;
  const std::lock_guard lock(openings_mutex);
  openings.extract(address_);
}

bool Opening::without_room() const { return held == Held::kWithoutRoom; }

bool Unblocked::without_connection() const { return held == Held::kWithoutConnection; }

bool Unblocked::without_room() const { return held == Held::kWithoutRoom; }

}  // namespace oneway_detail
}  // namespace xbind::orb
