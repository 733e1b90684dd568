// How orb/ handles whatever is bound under a name.
#include <gmock/gmock.h>

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "orb/addresses.hpp"
#include "orb/convert.hpp"
#include "orb/name_client.hpp"
#include "orb/name_keeper.hpp"
#include "orb/remote_error.hpp"
#include "peers_world.hpp"
#include "qos_mapper.hh"
#include "switch_server.hh"

namespace xbind::orb {
namespace {

using testing::HasSubstr;
using testing::Not;

class OtherKind : public POA_xbind::v2::HopInbox {
 public:
  void submit_hops(v2::SessionId, v2::BatchSeq, v2::BatchSeq, const v2::HopBatch&) override {}
};

class Inbox : public POA_xbind::v2::RequestInbox {
 public:
  void submit_requests(v2::SessionId, v2::BatchSeq, v2::BatchSeq,
                       const v2::RequestBatch&) override {}
};

const auto* const kEnvironment = testing::AddGlobalTestEnvironment(new OrbEnvironment);

constexpr const char* kPath = "xbind/inbox/one";

class BehindNames : public Behind {
 protected:
  static CORBA::Object_var inbox() {
    const PortableServer::Servant_var<Inbox> servant = new Inbox;
    return world().runtime.activate(servant.in());
  }

  struct Kept {
    std::promise<void> bound;
    std::promise<Holder> taken;
    std::promise<bool> was_ours;
  };
  static std::unique_ptr<NameKeeper> keep(const CORBA::Object_var& object, Kept& kept) {
    return std::make_unique<NameKeeper>(
        world().runtime.orb(), world().service, std::vector<Binding>{{kPath, object}},
        NameKeeper::Callbacks{{},
                              [&kept](std::size_t) { kept.bound.set_value(); },
                              [&kept](const Binding&, const Held& held, bool was_ours) {
                                kept.was_ours.set_value(was_ours);
                                kept.taken.set_value(held.holder);
                              }});
  }
  template <class T>
  static bool comes(std::promise<T>& promise, std::future<T>& future) {
    future = promise.get_future();
    return future.wait_for(20s) == std::future_status::ready;
  }
};

TEST_F(BehindNames, every_exception_becomes_an_error_that_names_the_peer) {
  const auto error = [](auto exception) {
    const auto result = remote("the peer", [&] { throw exception; });
    EXPECT_FALSE(result);
    EXPECT_THAT(result.error().text, testing::StartsWith("the peer"));
    return result.error();
  };
  EXPECT_EQ(error(CORBA::TRANSIENT()).code, ErrorCode::kUnreachable);
  EXPECT_EQ(error(CORBA::INV_OBJREF()).code, ErrorCode::kUnreachable);
  EXPECT_EQ(error(CORBA::UNKNOWN()).code, ErrorCode::kUnreachable);
  EXPECT_EQ(error(v2::BadRequest("no\nport")).code, ErrorCode::kBadInput);
  EXPECT_THAT(error(v2::BadRequest("no\nport")).text, HasSubstr("no\\nport"));
  EXPECT_THAT(error(v2::BadRequest(std::string(5'000, 'x').c_str())).text.size(),
              testing::Lt(500U));
  EXPECT_EQ(error(v2::Unavailable("full")).code, ErrorCode::kExhausted);
  EXPECT_EQ(error(v2::Fenced(7, 8, "epoch 8")).code, ErrorCode::kFenced);
  EXPECT_THAT(error(v2::Fenced(7, 8, "epoch 8")).text, HasSubstr("epoch 8"));
  EXPECT_EQ(error(v2::VersionMismatch(3, 4)).code, ErrorCode::kVersion);
  EXPECT_EQ(error(v2::UnknownService("x")).code, ErrorCode::kNotFound);
  EXPECT_EQ(error(v2::UnknownConnection(9)).code, ErrorCode::kNotFound);
  EXPECT_EQ(error(v2::UnknownRequest("mia", 5)).code, ErrorCode::kNotFound);
  Outcome no_bandwidth;
  no_bandwidth.kind = OutcomeKind::kRefused;
  no_bandwidth.cause = Cause::kNoBandwidth;
  EXPECT_EQ(error(v2::Refused(refusal_of(no_bandwidth))).code, ErrorCode::kExhausted);
  EXPECT_THAT(error(v2::Refused(refusal_of(no_bandwidth))).text, HasSubstr("no bandwidth"));
  EXPECT_EQ(error(Context::NotFound(Context::missing_node, {})).code, ErrorCode::kNotFound);
  EXPECT_EQ(error(Context::NotFound(Context::not_context, {})).code, ErrorCode::kBadInput);
  EXPECT_EQ(error(Context::CannotProceed()).code, ErrorCode::kBadInput);
  EXPECT_EQ(error(Context::InvalidName()).code, ErrorCode::kBadInput);
  EXPECT_EQ(error(Context::AlreadyBound()).code, ErrorCode::kVersion);
  EXPECT_EQ(error(omniORB::fatalException("file", 1, "odd")).code, ErrorCode::kVersion);
}

TEST_F(BehindNames, an_exception_that_the_caller_names_is_an_answer) {
  const auto asked = [](auto exception) {
    return remote(
        "the peer", [&]() -> std::string { throw exception; },
        [](const v2::BadRequest& bad) { return "bad: " + std::string{bad.reason}; },
        [](const v2::Unavailable& full) -> Result<std::string> {
          return fail(ErrorCode::kSystem, "full: {}", full.reason.in());
        },
        [](const CORBA::SystemException& system) { return std::string{system._name()}; },
        [](const v2::BadRequest&) { return std::string{"the first one is used"}; });
  };
  EXPECT_EQ(asked(v2::BadRequest("x")).value(), "bad: x");
  EXPECT_EQ(asked(v2::Unavailable("y")).error(), (Error{ErrorCode::kSystem, "full: y"}));
  EXPECT_EQ(asked(CORBA::TRANSIENT()).value(), "TRANSIENT")
      << "a class takes those derived from it";
  // Exceptions that no handler names.
  EXPECT_THAT(asked(v2::Fenced(7, 8, "epoch 8")).error().text, HasSubstr("epoch 8"));
  EXPECT_EQ(asked(omniORB::fatalException("file", 1, "odd")).error().code, ErrorCode::kVersion);

  bool named = false;
  EXPECT_TRUE(remote(
      "the peer", nobody(), [] { throw v2::UnknownConnection(7); },
      [&](const v2::UnknownConnection&) { named = true; }));
  EXPECT_TRUE(named);
  // A call that returns an Error itself.
  const Result<int> own = remote(
      "the peer", []() -> Result<int> { return fail(ErrorCode::kProtocol, "seven is no answer"); });
  EXPECT_EQ(own.error().text, "seven is no answer");
}

TEST_F(BehindNames, an_error_names_the_address_that_was_tried) {
  const v2::QOSMapper_var mapper = v2::QOSMapper::_unchecked_narrow(nobody());
  const auto asked =
      remote("qosmapper q", mapper, [&] { const v2::MetricSeq_var all = mapper->status(); });
  ASSERT_FALSE(asked);
  EXPECT_THAT(asked.error().text, HasSubstr("qosmapper q at 127.0.0.1:9 cannot be reached"));
  EXPECT_EQ(address_of(CORBA::Object::_nil()), "");
}

TEST_F(BehindNames, a_nil_reference_and_an_object_of_another_kind_are_errors) {
  v2::SwitchServer_var server = v2::SwitchServer::_nil();
  const auto ask = [&] { const v2::MetricSeq_var all = server->status(); };
  EXPECT_EQ(remote("s", server, ask).error().code, ErrorCode::kUnreachable);
  server = v2::SwitchServer::_unchecked_narrow(inbox());
  EXPECT_EQ(remote("s", server, ask).error().code, ErrorCode::kVersion);
  server = v2::SwitchServer::_unchecked_narrow(gone());
  EXPECT_EQ(remote("s", server, ask).error().code, ErrorCode::kUnreachable);
}

TEST_F(BehindNames, paths_that_are_none_are_refused_before_anybody_is_asked) {
  NameClient client(world().runtime.orb(), world().service);
  const int before = names().asked();
  for (const std::string path : {"", "/", "a//b", "a/", "/a"}) {
    EXPECT_EQ(client.resolve(path).error().code, ErrorCode::kBadInput) << path;
    EXPECT_EQ(client.unbind(path).error().code, ErrorCode::kBadInput) << path;
    EXPECT_EQ(client.bind(path, CORBA::Object::_nil()).error().code, ErrorCode::kBadInput) << path;
    EXPECT_EQ(client.rebind(path, CORBA::Object::_nil()).error().code, ErrorCode::kBadInput)
        << path;
  }
  for (const std::string& path : {std::string("a b"), std::string("a\nb"), std::string(64, 'x')}) {
    const auto refused = client.bind(path, CORBA::Object::_nil());
    EXPECT_EQ(refused.error().code, ErrorCode::kBadInput) << path;
    EXPECT_THAT(refused.error().text, Not(HasSubstr("\n")));
  }
  EXPECT_EQ(client.resolve(std::string(300, 'x')).error().code, ErrorCode::kBadInput);
  EXPECT_EQ(client.list("a//b").error().code, ErrorCode::kBadInput);
  EXPECT_EQ(names().asked(), before);
  EXPECT_EQ(NameClient(world().runtime.orb(), "nowhere:at all").resolve("a").error().code,
            ErrorCode::kUnreachable);
}

TEST_F(BehindNames, whatever_the_name_service_raises_is_an_error) {
  NameClient client(world().runtime.orb(), world().service);
  const std::vector<std::function<void()>> troubles{
      [] { throw Context::CannotProceed(); }, [] { throw Context::InvalidName(); },
      [] { throw Context::NotFound(Context::not_context, {}); }, [] { throw CORBA::INTERNAL(); },
      [] { throw CORBA::TRANSIENT(); }};
  for (const auto& trouble : troubles) {
    names().set_trouble(trouble);
    EXPECT_FALSE(client.resolve(kPath));
    EXPECT_FALSE(client.bind(kPath, inbox()));
    EXPECT_FALSE(client.rebind(kPath, inbox()));
    EXPECT_FALSE(client.list("xbind"));
  }
  names().set_trouble({});
  names().put(kPath, CORBA::Object::_nil());
  EXPECT_THAT(client.resolve(kPath).error().text, HasSubstr("bound to no object"));
}

TEST_F(BehindNames, a_keeper_outlives_all_of_it_and_binds_in_the_end) {
  const int before = names().asked();
  names().set_trouble([] { throw Context::CannotProceed(); });
  Kept kept;
  const CORBA::Object_var ours = inbox();
  const auto keeper = keep(ours, kept);
  ASSERT_TRUE(names().wait_for([&] { return names().asked() > before + 2; }));
  names().set_trouble([] { throw CORBA::INTERNAL(); });
  ASSERT_TRUE(names().wait_for([&] { return names().asked() > before + 5; }));
  names().set_trouble({});
  std::future<void> bound;
  ASSERT_TRUE(comes(kept.bound, bound));
  EXPECT_TRUE(names().at(kPath)->_is_equivalent(ours));
  names().lose();
  EXPECT_TRUE(names().wait_for([&] { return !CORBA::is_nil(names().at(kPath)); }));
}

TEST_F(BehindNames, what_does_not_answer_or_is_of_another_kind_is_taken_over) {
  const PortableServer::Servant_var<OtherKind> other_kind = new OtherKind;
  const CORBA::Object_var stranger = world().runtime.activate(other_kind.in());
  for (const CORBA::Object_var& other :
       {nobody(), gone(), stranger, CORBA::Object_var(CORBA::Object::_nil())}) {
    names().put(kPath, other);
    Kept kept;
    const CORBA::Object_var ours = inbox();
    const auto keeper = keep(ours, kept);
    std::future<void> bound;
    ASSERT_TRUE(comes(kept.bound, bound));
    EXPECT_TRUE(names().at(kPath)->_is_equivalent(ours));
  }
}

TEST_F(BehindNames, a_living_one_of_our_kind_keeps_the_name) {
  const CORBA::Object_var other = inbox();
  names().put(kPath, other);
  Kept kept;
  {
    const auto keeper = keep(inbox(), kept);
    std::future<Holder> taken;
    ASSERT_TRUE(comes(kept.taken, taken));
    EXPECT_EQ(taken.get(), Holder::kLiving);
    EXPECT_FALSE(kept.was_ours.get_future().get());
  }
  EXPECT_TRUE(names().at(kPath)->_is_equivalent(other));  // not unbound either
}

TEST_F(BehindNames, a_keeper_gives_up_when_a_living_one_has_taken_the_name) {
  Kept kept;
  const CORBA::Object_var other = inbox();
  {
    const auto keeper = keep(inbox(), kept);
    std::future<void> bound;
    ASSERT_TRUE(comes(kept.bound, bound));
    names().put(kPath, other);
    std::future<Holder> taken;
    ASSERT_TRUE(comes(kept.taken, taken));
    EXPECT_TRUE(kept.was_ours.get_future().get());
  }
  EXPECT_TRUE(names().at(kPath)->_is_equivalent(other));
}

TEST(Addresses, a_loopback_address_is_warned_of_where_the_name_service_is_elsewhere) {
  const std::vector<std::string> own{"127.0.0.1", "192.0.2.7", "fe80::1"};
  const auto warning = loopback_warning("127.0.0.1", "192.0.2.8:2809", own);
  ASSERT_TRUE(warning);
  EXPECT_THAT(*warning, HasSubstr("127.0.0.1"));
  EXPECT_THAT(*warning, HasSubstr("192.0.2.8:2809"));
  EXPECT_TRUE(loopback_warning("127.3.0.1", "192.0.2.8:2809", own));
  EXPECT_TRUE(loopback_warning("::1", "[2001:db8::1]:2809", own));
  for (const char* here : {"127.0.0.1:2809", "127.1.2.3:2809", "192.0.2.7:2809", "[::1]:2809"}) {
    EXPECT_FALSE(loopback_warning("127.0.0.1", here, own)) << here;
  }
  EXPECT_FALSE(loopback_warning("192.0.2.7", "192.0.2.8:2809", own));
  EXPECT_THAT(own_addresses(), testing::Contains("127.0.0.1"));
}

}  // namespace
}  // namespace xbind::orb
