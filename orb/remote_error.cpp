#include "orb/remote_error.hpp"

namespace xbind::orb {

Error to_error(const CORBA::SystemException& exception, const std::string& peer) {
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
            fmt::format("{} does not understand us ({}): is it of another version?", peer, detail)};
  }
  return {ErrorCode::kUnreachable, fmt::format("the call to {} failed ({})", peer, detail)};
}

}  // namespace xbind::orb
