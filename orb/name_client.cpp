#include "orb/name_client.hpp"

#include <omniORB4/giopEndpoint.h>
#include <omniORB4/omniIOR.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/name.hpp"
#include "core/steady_now.hpp"
#include "orb/remote_error.hpp"
#include "orb/timers.hpp"

namespace xbind::orb {
namespace {

constexpr int kDepthMax = 8;  // of contexts; ends a loop in the tree
constexpr CORBA::ULong kListPage = 200;

constexpr std::size_t kStepOctetsMax = 255;
constexpr std::size_t kStepsMax = 16;

// Parses a path; no step may be empty. Names that we bind must also pass check_name(). Other
// programs may have bound any name; such a name can still be inspected and unbound.
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

// The name service did not answer, as opposed to what it may answer.
bool is_away(const Error& error) {
  return error.code == ErrorCode::kUnreachable || error.code == ErrorCode::kTimeout;
}

// The NameService of omniORB's configuration; nil when it has none.
CORBA::Object_var configured_name_service(CORBA::ORB_ptr orb) {
  // A reference that the ORB cannot resolve counts as none.
  const auto configured = remote(
      "the ORB", [&] { return CORBA::Object_var(orb->resolve_initial_references("NameService")); });
  return configured ? *configured : CORBA::Object_var();
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

Result<void> NameClient::make_contexts(const std::string& path, const CosNaming::Name& name) {
  for (CORBA::ULong steps = 1; steps < name.length(); ++steps) {
    auto made = ask(
        path,
        [&] { CosNaming::NamingContext_var{root()->bind_new_context(first_steps(name, steps))}; },
        [](const CosNaming::NamingContext::AlreadyBound&) {});  // it exists, as required
    if (!made) return made;
  }
  return {};
}

Result<bool> NameClient::bind(const std::string& path, CORBA::Object_ptr object) {
  auto name = to_name_of_ours(path);
  if (!name) return tl::make_unexpected(name.error());
  if (auto made = make_contexts(path, *name); !made) return tl::make_unexpected(made.error());
  return ask(
      path,
      [&] {
        root()->bind(*name, object);
        return true;
      },
      [](const CosNaming::NamingContext::AlreadyBound&) { return false; });
}

Result<void> NameClient::rebind(const std::string& path, CORBA::Object_ptr object) {
  auto name = to_name_of_ours(path);
  if (!name) return tl::make_unexpected(name.error());
  if (auto made = make_contexts(path, *name); !made) return made;
  return ask(path, [&] { root()->rebind(*name, object); });
}

Result<void> NameClient::unbind(const std::string& path) {
  auto name = to_name(path);
  if (!name) return tl::make_unexpected(name.error());
  return ask(
      path, [&] { root()->unbind(*name); },
      [](const CosNaming::NamingContext::NotFound&) {});  // unbound already
}

Result<CORBA::Object_var> NameClient::resolve(const std::string& path) {
  auto name = to_name(path);
  if (!name) return tl::make_unexpected(name.error());
  auto object = ask(path, [&] { return CORBA::Object_var(root()->resolve(*name)); });
  if (!object && object.error().code == ErrorCode::kNotFound) {
    return fail(ErrorCode::kNotFound, "{} is not bound in the name service at {}", printable(path),
                service_);
  }
  if (object && CORBA::is_nil(*object)) {
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
  const auto start = ask(context, [&] {
    if (context.empty()) return root();
    const CORBA::Object_var object = root()->resolve(name);
    return CosNaming::NamingContext_var(CosNaming::NamingContext::_narrow(object));
  });
  if (!start) {
    // The context does not exist: nothing is bound below it.
    if (start.error().code == ErrorCode::kNotFound) return paths;
    return tl::make_unexpected(start.error());
  }
  if (CORBA::is_nil(*start)) {
    return fail(ErrorCode::kBadInput, "{} is an object, not a context", printable(context));
  }
  const auto listed =
      ask(context, [&] { list_into(*start, context.empty() ? "" : context + "/", 0, paths); });
  if (!listed) return tl::make_unexpected(listed.error());
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Here, because clang 14 takes no consteval function within a template.
constexpr Duration kAwayFor = kOrbTimers["name-service-away"];

template <class Ask>
auto NameClient::ask_unless_away(const Ask& ask) -> std::invoke_result_t<Ask> {
  if (const auto away = known_->why_away(steady_now())) return tl::make_unexpected(*away);
  auto answer = ask();
  if (answer || !is_away(answer.error())) {
    known_->answered();
  } else {
    known_->away(answer.error(), steady_now() + kAwayFor);
  }
  return answer;
}

Result<CORBA::Object_var> NameClient::resolve_or_known(const std::string& path) {
  if (known_ == nullptr) return resolve(path);
  auto object = ask_unless_away([&] { return resolve(path); });
  if (object) {
    known_->found(path, CORBA::String_var(orb_->object_to_string(*object)).in());
    return object;
  }
  if (object.error().code == ErrorCode::kNotFound) known_->gone(path);
  const auto reference = is_away(object.error()) ? known_->reference(path) : std::nullopt;
  if (!reference) return object;
  // A stored text may be damaged: then the name service is what is missing.
  auto known =
      remote(path, [&] { return CORBA::Object_var(orb_->string_to_object(reference->c_str())); });
  if (!known || CORBA::is_nil(*known)) return object;
  known_->use();
  return known;
}

Result<std::vector<std::string>> NameClient::list_or_known(const std::string& context) {
  if (known_ == nullptr) return list(context);
  auto paths = ask_unless_away([&] { return list(context); });
  if (paths) {
    known_->listed(context, *paths);
    return paths;
  }
  if (!is_away(paths.error())) return paths;
  std::vector<std::string> known = known_->below(context);
  if (known.empty()) return paths;
  known_->use();
  return known;
}

void NameClient::list_into(CosNaming::NamingContext_ptr context, const std::string& prefix,
                           int depth, std::vector<std::string>& paths) {
  CosNaming::BindingList_var bindings;
  CosNaming::BindingIterator_var more;
  context->list(kListPage, bindings, more);
  for (bool again = true; again;) {
    for (CORBA::ULong i = 0; i < bindings->length(); ++i) {
      const CosNaming::Binding& binding = bindings[i];
      if (binding.binding_name.length() == 0)
        continue;  // invalid; omniORB's name service never
                   // sends this
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
