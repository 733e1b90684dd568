#include "orb/name_client.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include "orb/remote_error.hpp"

namespace xbind::orb {
namespace {

constexpr int kDepthMax = 8;  // of contexts, so that a loop in the tree ends
constexpr CORBA::ULong kListPage = 200;

CosNaming::Name to_name(const std::string& path) {
  CosNaming::Name name;
  std::istringstream steps(path);
  for (std::string step; std::getline(steps, step, '/');) {
    const CORBA::ULong at = name.length();
    name.length(at + 1);
    name[at].id = CORBA::string_dup(step.c_str());
    name[at].kind = CORBA::string_dup("");
  }
  return name;
}

CosNaming::Name first_steps(const CosNaming::Name& name, CORBA::ULong count) {
  CosNaming::Name part;
  part.length(count);
  for (CORBA::ULong i = 0; i < count; ++i) part[i] = name[i];
  return part;
}

}  // namespace

NameClient::NameClient(CORBA::ORB_ptr orb, std::string service)
    : orb_(CORBA::ORB::_duplicate(orb)), service_(std::move(service)) {}

CosNaming::NamingContext_var NameClient::root() {
  const std::string location = "corbaloc:iiop:1.2@" + service_ + "/NameService";
  const CORBA::Object_var object = orb_->string_to_object(location.c_str());
  return CosNaming::NamingContext::_unchecked_narrow(object);
}

Result<void> NameClient::bind(const std::string& path, CORBA::Object_ptr object) {
  return remote("the name service at " + service_, [&] {
    const CosNaming::NamingContext_var context = root();
    const CosNaming::Name name = to_name(path);
    for (CORBA::ULong steps = 1; steps < name.length(); ++steps) {
      try {
        const CosNaming::NamingContext_var made =
            context->bind_new_context(first_steps(name, steps));
      } catch (const CosNaming::NamingContext::AlreadyBound&) {
        // Somebody has made it before us: that is all we want.
      }
    }
    context->rebind(name, object);
  });
}

Result<void> NameClient::unbind(const std::string& path) {
  return remote("the name service at " + service_, [&] {
    try {
      root()->unbind(to_name(path));
    } catch (const CosNaming::NamingContext::NotFound&) {
      // Gone already.
    }
  });
}

Result<CORBA::Object_var> NameClient::resolve(const std::string& path) {
  try {
    return CORBA::Object_var(root()->resolve(to_name(path)));
  } catch (const CosNaming::NamingContext::NotFound&) {
    return fail(ErrorCode::kNotFound, "{} is not bound in the name service at {}", path, service_);
  } catch (const CosNaming::NamingContext::InvalidName&) {
    return fail(ErrorCode::kBadInput, "'{}' is no name the name service takes", path);
  } catch (const CORBA::SystemException& exception) {
    return tl::make_unexpected(to_error(exception, "the name service at " + service_));
  }
}

Result<std::vector<std::string>> NameClient::list(const std::string& context) {
  std::vector<std::string> paths;
  try {
    CosNaming::NamingContext_var start = root();
    if (!context.empty()) {
      const CORBA::Object_var object = start->resolve(to_name(context));
      start = CosNaming::NamingContext::_narrow(object);
      if (CORBA::is_nil(start)) {
        return fail(ErrorCode::kBadInput, "{} is an object, not a context", context);
      }
    }
    list_into(start, context.empty() ? "" : context + "/", 0, paths);
  } catch (const CosNaming::NamingContext::NotFound&) {
    // No such context: nothing is bound below it.
  } catch (const CORBA::SystemException& exception) {
    return tl::make_unexpected(to_error(exception, "the name service at " + service_));
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
