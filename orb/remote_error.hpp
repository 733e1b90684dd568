// The only place where an exception of a remote call becomes an Error, with cause, peer, address
// and advice. No exception of a remote call leaves a function of this file, whatever object a name
// leads to: neither system exceptions, nor those of our contracts, of the name service, or of a
// foreign object.
//
// Make every outgoing invocation within remote(). tests/tidy refuses a catch clause for an
// exception of CORBA or of a contract in any file that it does not list.
//
// Thread-safe. orb/peer_log.hpp logs such errors without filling the log.
#pragma once

#include <omniORB4/CORBA.h>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "core/result.hpp"

namespace xbind::orb {

// "switchserver host-a cannot be reached (TRANSIENT, ...): is it running?"
//
// The peer did not serve the call: kUnreachable, kTimeout, kVersion (it does not understand us). It
// refused according to its contract or that of the name service: kBadInput (BadRequest), kExhausted
// (Refused, Unavailable), kFenced, kVersion, kNotFound. The peer's text is made printable and cut.
Error to_error(const CORBA::Exception& exception, const std::string& peer);

// The address in the reference, "127.0.0.1:41234"; empty if it has none.
std::string address_of(CORBA::Object_ptr object);

// `peer` with that address: "switchserver host-a at 127.0.0.1:41234".
std::string with_address(const std::string& peer, CORBA::Object_ptr object);

namespace remote_detail {

// The exception class that a function takes: E of `[](const E& exception) { ... }`.
template <class Function>
struct Taken : Taken<decltype(&Function::operator())> {};
template <class Object, class Returned, class Exception>
struct Taken<Returned (Object::*)(const Exception&) const> {
  using Type = Exception;
};

// The result type of remote() for a call that returns T. A call that can fail itself returns its
// own Result.
template <class T>
struct Returned {
  using Type = Result<T>;
};
template <class T>
struct Returned<Result<T>> {
  using Type = Result<T>;
};

// The result of `answer` for `exception`; nullopt: `answer` takes another exception class.
template <class R, class Answer>
std::optional<R> taken_by(const Answer& answer, const CORBA::Exception& exception) {
  const auto* it = Taken<Answer>::Type::_downcast(&exception);
  if (it == nullptr) return std::nullopt;
  if constexpr (std::is_void_v<decltype(answer(*it))>) {
    answer(*it);
    return std::optional<R>(std::in_place);
  } else {
    return std::optional<R>(std::in_place, answer(*it));
  }
}

}  // namespace remote_detail

// Runs a remote call and returns one of three things:
//   the value of `call`, or its Result if it returns one;
//   for an exception that one of `answers` takes: what that function returns, either a value of the
//   type that `call` returns or an Error. The first that takes the exception is used;
//   for every other exception: an Error that names the peer and the address of `object`.
// An exception that the caller did not list is therefore an Error. No exception of CORBA leaves
// this function.
//
//   const auto bound = remote("the name service", context,
//                             [&] { context->bind(name, object); return true; },
//                             [](const CosNaming::NamingContext::AlreadyBound&) { return false; });
//
// Each of `answers` is a lambda that takes one exception class by const reference, and thus also
// its derived classes. It makes no remote call and throws nothing.
template <class Call, class... Answers>
auto remote(const std::string& peer, CORBA::Object_ptr object, Call&& call,
            const Answers&... answers) {
  using T = std::invoke_result_t<Call&>;
  using R = typename remote_detail::Returned<T>::Type;
  try {
    if constexpr (std::is_void_v<T>) {
      call();
      return R{};
    } else {
      return R(call());
    }
  } catch (const CORBA::Exception& exception) {
    std::optional<R> answer;  // of the first that takes the exception
    (void)((answer = remote_detail::taken_by<R>(answers, exception)).has_value() || ...);
    if (answer) return *std::move(answer);
    return R(tl::make_unexpected(to_error(exception, with_address(peer, object))));
  } catch (const omniORB::fatalException& fatal) {
    return R(fail(ErrorCode::kVersion, "{} does not understand the call (the ORB: {})",
                  with_address(peer, object), fatal.errmsg()));
  }
}

// For a peer whose address is in its name, or does not help in an Error.
template <class Call, class... Answers>
requires std::is_invocable_v<Call&>
auto remote(const std::string& peer, Call&& call, const Answers&... answers) {
  return remote(peer, CORBA::Object::_nil(), call, answers...);
}

}  // namespace xbind::orb
