#include "net/tcp_connection.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstring>
#include <utility>

namespace xbind::net {
namespace {
constexpr std::size_t kReadOctets = 64U << 10;
constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();
constexpr int kSlowSocketOctets = 16 << 10;
}  // namespace

TcpConnection::TcpConnection(StreamSocket socket, Limits limits, Callbacks callbacks)
    : socket_(std::move(socket)), limits_(limits), callbacks_(std::move(callbacks)) {
  boost::system::error_code ignored;  // a UNIX socket has no such delay
  socket_.set_option(boost::asio::ip::tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);
  read_buffer_.resize(kReadOctets);
}

void TcpConnection::start() { read(); }

void TcpConnection::read() {
  const std::size_t most = std::min(read_buffer_.size(), allowance_);
  held_ = most == 0;
  if (held_) return;
  socket_.async_read_some(
      boost::asio::buffer(read_buffer_.data(), most),
      [self = shared_from_this()](const boost::system::error_code& error, std::size_t octets) {
        if (error == boost::asio::error::operation_aborted) return;
        if (error == boost::asio::error::eof) return self->finish("closed by the peer");
        if (error) return self->finish("read: " + error.message());
        if (self->allowance_ != kUnlimited) self->allowance_ -= std::min(octets, self->allowance_);
        self->callbacks_.on_octets(std::span(self->read_buffer_).first(octets));
        self->on_readable();
      });
}

void TcpConnection::allow(std::size_t octets) {
  if (!socket_.is_open()) return;
  if (octets != kUnlimited && allowance_ == kUnlimited) {
    boost::system::error_code ignored;  // on error the buffer stays large: the peer stalls later
    socket_.set_option(boost::asio::socket_base::receive_buffer_size(kSlowSocketOctets), ignored);
  }
  allowance_ = octets;
  if (held_ && octets > 0) read();
}

// After a read: start the next one, unless the peer does not read our answers.
void TcpConnection::on_readable() {
  {
    const std::lock_guard lock(mutex_);
    if (!open_) return;
    paused_ = limits_.read_pause_octets != 0 && unsent() > limits_.read_pause_octets;
    if (paused_) return;
  }
  read();
}

Result<void> TcpConnection::send(std::span<const std::byte> octets) {
  bool full = false;
  std::size_t waiting = 0;
  {
    const std::lock_guard lock(mutex_);
    if (!open_) return fail(ErrorCode::kUnreachable, "the connection is closed");
    if (!writing_) {
      const std::ptrdiff_t sent = try_send(octets);
      // The pending read gets the error as well and reports it to the owner.
      if (sent < 0) return fail(ErrorCode::kUnreachable, "send: {}", std::strerror(errno));
      octets = octets.subspan(static_cast<std::size_t>(sent));
      if (octets.empty()) return {};
    }
    full = unsent() + octets.size() > limits_.queue_octets_max;
    waiting = unsent() + octets.size();
    if (!full) {
      queue_.insert(queue_.end(), octets.begin(), octets.end());
      if (std::exchange(writing_, true)) return {};
    } else {
      open_ = false;  // no octets may follow the lost ones
    }
  }
  if (full) {
    const auto error = fail(ErrorCode::kExhausted, "{} octets unsent, more than {}", waiting,
                            limits_.queue_octets_max);
    boost::asio::post(socket_.get_executor(), [self = shared_from_this(),
                                               text = error.value().text] { self->finish(text); });
    return error;
  }
  boost::asio::post(socket_.get_executor(), [self = shared_from_this()] { self->wait_writable(); });
  return {};
}

void TcpConnection::close(std::string reason) {
  boost::asio::post(socket_.get_executor(),
                    [self = shared_from_this(), reason = std::move(reason)] {
                      {
                        const std::lock_guard lock(self->mutex_);
                        if (self->open_) self->flush();
                      }
                      self->finish(reason);
                    });
}

void TcpConnection::reset(std::string reason) {
  boost::asio::post(
      socket_.get_executor(),
      [self = shared_from_this(), reason = std::move(reason)] { self->finish(reason, true); });
}

void TcpConnection::wait_writable() {
  if (!socket_.is_open()) return;
  socket_.async_wait(StreamSocket::wait_write,
                     [self = shared_from_this()](const boost::system::error_code& error) {
                       if (error == boost::asio::error::operation_aborted) return;
                       if (error) return self->finish("write: " + error.message());
                       self->on_writable();
                     });
}

void TcpConnection::on_writable() {
  bool again = false;
  bool resume = false;
  bool well = true;
  {
    const std::lock_guard lock(mutex_);
    if (!open_) return;
    well = flush();
    again = well && unsent() > 0;
    writing_ = again;
    if (paused_ && unsent() <= limits_.read_pause_octets / 2) {
      paused_ = false;
      resume = true;
    }
  }
  if (!well) return finish("write: connection broken");
  if (again) wait_writable();
  if (resume) read();
}

bool TcpConnection::flush() {
  while (unsent() > 0) {
    const std::ptrdiff_t sent = try_send(std::span(queue_).subspan(queue_begin_));
    if (sent < 0) return false;
    if (sent == 0) break;
    queue_begin_ += static_cast<std::size_t>(sent);
  }
  if (unsent() == 0) {
    queue_.clear();
    queue_begin_ = 0;
  } else if (queue_begin_ > queue_.size() / 2) {
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(queue_begin_));
    queue_begin_ = 0;
  }
  return true;
}

std::ptrdiff_t TcpConnection::try_send(std::span<const std::byte> octets) {
  while (true) {
    const ssize_t sent =
        ::send(socket_.native_handle(), octets.data(), octets.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) return sent;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
    if (errno != EINTR) return -1;
  }
}

void TcpConnection::finish(const std::string& reason, bool abort) {
  {
    const std::lock_guard lock(mutex_);
    if (!socket_.is_open()) return;
    open_ = false;
    boost::system::error_code ignored;
    if (abort) {
      socket_.set_option(boost::asio::socket_base::linger(true, 0), ignored);
    } else {
      socket_.shutdown(boost::asio::ip::tcp::socket::shutdown_both, ignored);
    }
    socket_.close(ignored);
  }
  callbacks_.on_closed(reason);
}

}  // namespace xbind::net
