#include "orb/name_client.hpp"

#include <omniORB4/giopEndpoint.h>
#include <omniORB4/omniIOR.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/name.hpp"
#include "orb/remote_error.hpp"

namespace xbind::orb {
namespace {

constexpr int kDepthMax = 8;  // of contexts, so that a loop in the tree ends
constexpr CORBA::ULong kListPage = 200;

constexpr std::size_t kStepOctetsMax = 255;
constexpr std::size_t kStepsMax = 16;

// Every step has octets. What we bind is held to more (check_name): others may have bound what
// they like, and it can be looked at and unbound.
Result<CosNaming::Name> to_name(const std::string& path) {
  CosNaming::Name name;
  std::string_view rest = path;
  for (bool more = true; more;) {
    const std::size_t end = rest.find('/');
    const std::string step{rest.substr(0, end)};
    more = end != std::string_view::npos;
    if (more) rest.remove_prefix(end + 1);
    if (step.empty()) {
      return fail(ErrorCode::kBadInput, "'{}' is no path in the name service: a step is empty",
                  printable(path));
    }
    const CORBA::ULong at = name.length();
    if (step.size() > kStepOctetsMax || at == kStepsMax) {
      return fail(ErrorCode::kBadInput,
                  "'{}' is no path in the name service: {} steps of {} octets are the most",
                  printable(path), kStepsMax, kStepOctetsMax);
    }
    name.length(at + 1);
    name[at].id = CORBA::string_dup(step.c_str());
    name[at].kind = CORBA::string_dup("");
  }
  return name;
}

Result<CosNaming::Name> to_name_of_ours(const std::string& path) {
  auto name = to_name(path);
  for (CORBA::ULong step = 0; name && step < name->length(); ++step) {
    if (auto good = check_name("name", (*name)[step].id.in()); !good) {
      return tl::make_unexpected(good.error());
    }
  }
  return name;
}

CosNaming::Name first_steps(const CosNaming::Name& name, CORBA::ULong count) {
  CosNaming::Name part;
  part.length(count);
  for (CORBA::ULong i = 0; i < count; ++i) part[i] = name[i];
  return part;
}

// What the configuration of omniORB names as NameService; nil when it names none.
CORBA::Object_var configured_name_service(CORBA::ORB_ptr orb) {
  try {
    return orb->resolve_initial_references("NameService");
  } catch (const CORBA::ORB::InvalidName&) {
    return CORBA::Object::_nil();
  } catch (const CORBA::SystemException&) {
    return CORBA::Object::_nil();  // a reference that the ORB cannot resolve is none
  }
}

}  // namespace

NameClient::NameClient(CORBA::ORB_ptr orb, const std::string& service)
    : orb_(CORBA::ORB::_duplicate(orb)), service_(service) {
  if (service_.empty()) {
    const CORBA::Object_var configured = configured_name_service(orb);
    if (!CORBA::is_nil(configured)) {
      location_ = CORBA::String_var(orb->object_to_string(configured)).in();
      const std::string address = address_of(configured);
      service_ = (address.empty() ? "the address" : address) + " (from omniORB's configuration)";
      return;
    }
    service_ = kDefaultNameService;
  }
  location_ = "corbaloc:iiop:1.2@" + service_ + "/NameService";
}

CosNaming::NamingContext_var NameClient::root() {
  const CORBA::Object_var object = orb_->string_to_object(location_.c_str());
  return CosNaming::NamingContext::_unchecked_narrow(object);
}

void NameClient::make_contexts(CosNaming::NamingContext_ptr context, const CosNaming::Name& name) {
  for (CORBA::ULong steps = 1; steps < name.length(); ++steps) {
    try {
      const CosNaming::NamingContext_var made = context->bind_new_context(first_steps(name, steps));
    } catch (const CosNaming::NamingContext::AlreadyBound&) {
      // It exists, which is all that is wanted.
    }
  }
}

Result<bool> NameClient::bind(const std::string& path, CORBA::Object_ptr object) {
  auto name = to_name_of_ours(path);
  if (!name) return tl::make_unexpected(name.error());
  return ask(path, [&] {
    const CosNaming::NamingContext_var context = root();
    make_contexts(context, *name);
    try {
      context->bind(*name, object);
      return true;
    } catch (const CosNaming::NamingContext::AlreadyBound&) {
      return false;
    }
  });
}

Result<void> NameClient::rebind(const std::string& path, CORBA::Object_ptr object) {
  auto name = to_name_of_ours(path);
  if (!name) return tl::make_unexpected(name.error());
  return ask(path, [&] {
    const CosNaming::NamingContext_var context = root();
    make_contexts(context, *name);
    context->rebind(*name, object);
  });
}

Result<void> NameClient::unbind(const std::string& path) {
  auto name = to_name(path);
  if (!name) return tl::make_unexpected(name.error());
  return ask(path, [&] {
    try {
      root()->unbind(*name);
    } catch (const CosNaming::NamingContext::NotFound&) {
      // Gone already.
    }
  });
}

Result<CORBA::Object_var> NameClient::resolve(const std::string& path) {
  auto name = to_name(path);
  if (!name) return tl::make_unexpected(name.error());
  bool bound = true;
  auto object = ask(path, [&] {
    try {
      return CORBA::Object_var(root()->resolve(*name));
    } catch (const CosNaming::NamingContext::NotFound& not_found) {
      if (not_found.why != CosNaming::NamingContext::missing_node) throw;
      bound = false;
      return CORBA::Object_var();
    }
  });
  if (!object) return object;
  if (!bound) {
    return fail(ErrorCode::kNotFound, "{} is not bound in the name service at {}", printable(path),
                service_);
  }
  if (CORBA::is_nil(*object)) {
    return fail(ErrorCode::kNotFound, "{} is bound to no object in the name service at {}",
                printable(path), service_);
  }
  return object;
}

Result<std::vector<std::string>> NameClient::list(const std::string& context) {
  CosNaming::Name name;
  if (!context.empty()) {
    auto steps = to_name(context);
    if (!steps) return tl::make_unexpected(steps.error());
    name = *steps;
  }
  std::vector<std::string> paths;
  bool is_context = true;
  const auto listed = ask(context, [&] {
    CosNaming::NamingContext_var start = root();
    if (!context.empty()) {
      try {
        const CORBA::Object_var object = start->resolve(name);
        start = CosNaming::NamingContext::_narrow(object);
      } catch (const CosNaming::NamingContext::NotFound& not_found) {
        if (not_found.why != CosNaming::NamingContext::missing_node) throw;
        return;  // no such context: nothing is bound below it
      }
      is_context = !CORBA::is_nil(start);
    }
    if (is_context) list_into(start, context.empty() ? "" : context + "/", 0, paths);
  });
  if (!listed) return tl::make_unexpected(listed.error());
  if (!is_context) {
    return fail(ErrorCode::kBadInput, "{} is an object, not a context", printable(context));
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

void NameClient::list_into(CosNaming::NamingContext_ptr context, const std::string& prefix,
                           int depth, std::vector<std::string>& paths) {
  CosNaming::BindingList_var bindings;
  CosNaming::BindingIterator_var more;
  context->list(kListPage, bindings, more);
  for (bool again = true; again;) {
    for (CORBA::ULong i = 0; i < bindings->length(); ++i) {
      const CosNaming::Binding& binding = bindings[i];
      if (binding.binding_name.length() == 0) continue;  // no name service of omniORB's
      const std::string path = prefix + binding.binding_name[0].id.in();
      if (binding.binding_type == CosNaming::nobject) {
        paths.push_back(path);
      } else if (depth < kDepthMax) {
        const CORBA::Object_var object = context->resolve(binding.binding_name);
        const CosNaming::NamingContext_var below = CosNaming::NamingContext::_narrow(object);
        if (!CORBA::is_nil(below)) list_into(below, path + "/", depth + 1, paths);
      }
    }
    again = !CORBA::is_nil(more) && more->next_n(kListPage, bindings);
  }
  if (!CORBA::is_nil(more)) more->destroy();
}

}  // namespace xbind::orb
