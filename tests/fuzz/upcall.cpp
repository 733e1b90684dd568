#include "tests/fuzz/upcall.hpp"

#include <omniORB4/callDescriptor.h>
#include <omniORB4/callHandle.h>

#include <cstddef>

#include "orb/reply.hpp"
#include "tests/fuzz/property.hpp"

namespace xbind::fuzz {
namespace {

// The server's side of one request, which omniORB implements for a connection (GIOP_S).
class Request : public omni::IOP_S {
 public:
  Request(const char* operation, std::span<const std::uint8_t> arguments)
      : operation_(operation),
        body_(const_cast<std::uint8_t*>(arguments.data()), arguments.size()) {}

  cdrStream& getStream() override { return body_; }
  const char* operation_name() const override { return operation_; }
  void ReceiveRequest(omniCallDescriptor& call) override {
    call_ = &call;
    call.unmarshalArguments(body_);
    understood_ = true;
  }
  void SkipRequestBody() override {}
  void SendReply() override {
    if (call_->is_oneway()) return;
    cdrMemoryStream reply;
    call_->marshalReturnedValues(reply);
    require(reply.bufSize() <= orb::kReplyOctetsMax + 1024, "a reply is too long", operation_);
  }
  void SendException(CORBA::Exception*) override {}

  bool understood() const { return understood_; }

 private:
  const char* operation_;
  cdrMemoryStream body_;
  omniCallDescriptor* call_ = nullptr;
  bool understood_ = false;
};

}  // namespace

UpcallEnd upcall(omniServant& servant, const char* operation,
                 std::span<const std::uint8_t> arguments) {
  Request request(operation, arguments);
  omniCallHandle handle(&request, nullptr);
  // omniORB demands the servant's entry in a POA, and passes it to nobody but POACurrent.
  static std::byte entry;
  handle.localId(reinterpret_cast<omniLocalIdentity*>(&entry));
  try {
    require(servant._dispatch(handle), "a servant lacks an operation", operation);
    return UpcallEnd::kAnswered;
  } catch (const CORBA::UserException&) {
    return UpcallEnd::kRefused;
  } catch (const CORBA::SystemException& exception) {
    // Everything else is a defect: above all INTERNAL, which Dispatch makes of C++ exceptions.
    require(!request.understood(), operation, exception._name());
    return UpcallEnd::kNotUnderstood;
  }
}

}  // namespace xbind::fuzz
