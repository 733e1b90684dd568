#include "orb/remote_error.hpp"

#include <omniORB4/omniIOR.h>
#include <omniORB4/Naming.hh>

#include <optional>

#include "connection_manager.hh"
#include "core/name.hpp"
#include "orb/convert.hpp"
#include "qos_mapper.hh"
#include "types.hh"

namespace xbind::orb {
namespace {

constexpr std::size_t kPeerTextOctetsMax = 400;

using Context = CosNaming::NamingContext;

std::string reason_of(const char* text) { return printable(text, kPeerTextOctetsMax); }

std::string words_of(const CosNaming::Name& name) {
  std::string words;
  for (CORBA::ULong step = 0; step < name.length(); ++step) {
    if (step != 0) words += '/';
    words += name[step].id.in();
  }
  return printable(words);
}

std::string_view why_not_found(Context::NotFoundReason why) {
  switch (why) {
    case Context::missing_node: return "is not bound";
    case Context::not_context: return "is bound to an object where a context must be";
    case Context::not_object: return "is bound to a context where an object must be";
  }
  return "is not found";
}

std::optional<Error> of_contract(const CORBA::Exception& exception, const std::string& peer) {
  const auto refused = [&](ErrorCode code, const char* reason) {
    return Error{code, fmt::format("{}: {}", peer, reason_of(reason))};
  };
  if (const auto* it = v2::BadRequest::_downcast(&exception)) {
    return refused(ErrorCode::kBadInput, it->reason);
  }
  if (const auto* it = v2::Unavailable::_downcast(&exception)) {
    return refused(ErrorCode::kExhausted, it->reason);
  }
  if (const auto* it = v2::Refused::_downcast(&exception)) {
    const auto outcome = orb::to_core(it->why);
    return refused(ErrorCode::kExhausted,
                   outcome ? explain(*outcome).c_str() : outcome.error().text.c_str());
  }
  if (const auto* it = v2::Fenced::_downcast(&exception)) {
    return refused(ErrorCode::kFenced, it->reason);
  }
  if (const auto* it = v2::UnknownService::_downcast(&exception)) {
    return refused(ErrorCode::kNotFound, it->reason);
  }
  if (const auto* it = v2::UnknownConnection::_downcast(&exception)) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("{}: connection {} is not known", peer, it->connection)};
  }
  if (const auto* it = v2::UnknownRequest::_downcast(&exception)) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("{}: no outcome of request {} of client '{}' is remembered", peer,
                             it->request, printable(it->client.in()))};
  }
  if (const auto* it = v2::VersionMismatch::_downcast(&exception)) {
    return Error{ErrorCode::kVersion, fmt::format("{} speaks protocol version {}, this program {}",
                                                  peer, it->supported, it->offered)};
  }
  return std::nullopt;
}

std::optional<Error> of_naming(const CORBA::Exception& exception, const std::string& peer) {
  if (const auto* it = Context::NotFound::_downcast(&exception)) {
    const bool missing = it->why == Context::missing_node;
    return Error{
        missing ? ErrorCode::kNotFound : ErrorCode::kBadInput,
        fmt::format("{}: '{}' {}", peer, words_of(it->rest_of_name), why_not_found(it->why))};
  }
  if (const auto* it = Context::CannotProceed::_downcast(&exception)) {
    return Error{ErrorCode::kBadInput,
                 fmt::format("{} cannot proceed at '{}'", peer, words_of(it->rest_of_name))};
  }
  if (Context::InvalidName::_downcast(&exception) != nullptr) {
    return Error{ErrorCode::kBadInput, fmt::format("{} takes no such name", peer)};
  }
  return std::nullopt;
}

Error of_system(const CORBA::SystemException& exception, const std::string& peer) {
  const char* minor = exception.NP_minorString();
  const std::string detail =
      minor ? fmt::format("{}, {}", exception._name(), minor) : std::string{exception._name()};
  if (CORBA::TIMEOUT::_downcast(&exception) != nullptr) {
    return {ErrorCode::kTimeout, fmt::format("{} did not answer in time ({})", peer, detail)};
  }
  if (CORBA::TRANSIENT::_downcast(&exception) != nullptr ||
      CORBA::COMM_FAILURE::_downcast(&exception) != nullptr) {
    return {ErrorCode::kUnreachable,
            fmt::format("{} cannot be reached ({}): is it running?", peer, detail)};
  }
  if (CORBA::OBJECT_NOT_EXIST::_downcast(&exception) != nullptr) {
    return {ErrorCode::kUnreachable,
            fmt::format("{} has been restarted and its old reference is void ({})", peer, detail)};
  }
  if (CORBA::MARSHAL::_downcast(&exception) != nullptr ||
      CORBA::BAD_OPERATION::_downcast(&exception) != nullptr) {
    return {ErrorCode::kVersion,
            fmt::format("{} does not understand the call ({}): is it of another version or kind?",
                        peer, detail)};
  }
  if (CORBA::INV_OBJREF::_downcast(&exception) != nullptr) {
    return {ErrorCode::kUnreachable,
            fmt::format("{} has no usable reference ({}); check its binding in the name service",
                        peer, detail)};
  }
  return {ErrorCode::kUnreachable, fmt::format("{} failed the call ({})", peer, detail)};
}

}  // namespace

Error to_error(const CORBA::Exception& exception, const std::string& peer) {
  if (const auto* system = CORBA::SystemException::_downcast(&exception)) {
    return of_system(*system, peer);
  }
  if (auto error = of_contract(exception, peer)) return *error;
  if (auto error = of_naming(exception, peer)) return *error;
  return {ErrorCode::kVersion,
          fmt::format("{} raised {}, which its contract does not have", peer, exception._name())};
}

std::string address_of(CORBA::Object_ptr object) {
  if (CORBA::is_nil(object)) return {};
  // Makes no remote call, but throws if it cannot read the reference: that of an ORB without TCP.
  const auto address = remote("the reference", [&]() -> std::string {
    const omniIOR_var ior = object->_PR_getobj()->_getIOR();
    auto& addresses = ior->getIORInfo()->addresses();
    return addresses.empty() ? "" : addresses.front()->address();  // "giop:tcp:127.0.0.1:41234"
  });
  if (!address) return {};
  const std::size_t transport = address->find(':', address->find(':') + 1);
  return printable(transport == std::string::npos ? *address : address->substr(transport + 1));
}

std::string with_address(const std::string& peer, CORBA::Object_ptr object) {
  const std::string address = address_of(object);
  return address.empty() ? peer : fmt::format("{} at {}", peer, address);
}

}  // namespace xbind::orb
