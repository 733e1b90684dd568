#include "orb/name_holder.hpp"

#include <algorithm>

#include "orb/remote_error.hpp"

namespace xbind::orb {
namespace {

// Whether an exception means that no object answered. Every other exception is an answer.
bool nobody_answered(const CORBA::SystemException& exception) {
  return CORBA::TRANSIENT::_downcast(&exception) != nullptr ||
         CORBA::COMM_FAILURE::_downcast(&exception) != nullptr ||
         CORBA::TIMEOUT::_downcast(&exception) != nullptr ||
         CORBA::INV_OBJREF::_downcast(&exception) != nullptr ||
         CORBA::OBJECT_NOT_EXIST::_downcast(&exception) != nullptr;
}

// Compares the references locally, without a remote call.
bool same(CORBA::Object_ptr one, CORBA::Object_ptr other) {
  const auto equivalent = remote("", [&] { return one->_is_equivalent(other); });
  return equivalent && *equivalent;
}

}  // namespace

Result<Held> NameHolders::look(const Binding& binding) {
  const auto found = names_.resolve(binding.path);
  if (!found) {
    if (found.error().code == ErrorCode::kNotFound) return Held{};
    return tl::make_unexpected(found.error());
  }
  Held held{Holder::kOurs, address_of(*found)};
  if (same(*found, binding.object)) return held;
  held.holder = ask(*found, binding.object, held.address);
  if (held.holder == Holder::kLiving && has_other_name(binding.path, *found)) {
    held.holder = Holder::kOtherKind;
  }
  return held;
}

bool NameHolders::has_other_name(const std::string& path, CORBA::Object_ptr object) {
  const auto beside = names_.list(path.substr(0, path.rfind('/')));
  if (!beside) return false;
  return std::ranges::any_of(*beside, [&](const std::string& other) {
    if (other == path) return false;
    const auto found = names_.resolve(other);
    return found && same(*found, object);
  });
}

bool NameHolders::is_ours(const Binding& binding) {
  const auto found = names_.resolve(binding.path);
  return found && same(*found, binding.object);
}

Holder NameHolders::ask(CORBA::Object_ptr object, CORBA::Object_ptr ours,
                        const std::string& address) {
  if (silent_.contains(address)) return Holder::kSilent;
  omniORB::setClientCallTimeout(object, static_cast<CORBA::ULong>(kAnswerPatience.count()));
  const auto silent = remote(
      address, [&] { return static_cast<bool>(object->_non_existent()); },
      [&](const CORBA::SystemException& exception) {
        if (!nobody_answered(exception)) return false;
        if (!address.empty()) silent_.insert(address);
        return true;
      });
  if (silent && *silent) return Holder::kSilent;
  // An object is of our kind if its reference or its answer says so.
  const auto kind =
      remote(address, [&] { return object->_is_a(ours->_PR_getobj()->_mostDerivedRepoId()); });
  return kind && *kind ? Holder::kLiving : Holder::kOtherKind;
}

}  // namespace xbind::orb
