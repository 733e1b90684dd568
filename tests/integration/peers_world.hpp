// Shared by the tests of peers_test: an ORB, a name service that fails on demand, and addresses of
// peers that do not exist. Everything runs in this process.
#pragma once

#include <gmock/gmock.h>
#include <omniORB4/CORBA.h>
#include <omniORB4/Naming.hh>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "connection_manager.hh"
#include "orb/remote_error.hpp"
#include "orb/runtime.hpp"

namespace xbind::orb {

using namespace std::chrono_literals;
using Context = CosNaming::NamingContext;

// The root context. It stores whole paths and has no contexts below.
class Names : public POA_CosNaming::NamingContext {
 public:
  // Runs at the start of every operation and may throw any exception.
  std::function<void()> trouble;

  CORBA::Object_var at(const std::string& path) {
    const std::lock_guard lock(mutex_);
    return bound_[path];
  }
  void put(const std::string& path, CORBA::Object_ptr object) {
    const std::lock_guard lock(mutex_);
    bound_[path] = CORBA::Object::_duplicate(object);
  }
  void lose() {
    const std::lock_guard lock(mutex_);
    bound_.clear();
  }
  void set_trouble(std::function<void()> what) {
    const std::lock_guard lock(mutex_);
    trouble = std::move(what);
  }
  int asked() const { return asked_; }
  // Waits until `condition` holds; returns false after 20 s. Checks it after every operation and
  // every 10 ms, since some conditions do not depend on an operation. The condition may call this
  // servant on the caller's thread, so no lock is held while it runs.
  bool wait_for(const std::function<bool()>& condition) {
    const auto until = std::chrono::steady_clock::now() + 20s;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > until) return false;
      std::unique_lock lock(wake_mutex_);
      wake_.wait_for(lock, 10ms);
    }
    return true;
  }

  void bind(const CosNaming::Name& name, CORBA::Object_ptr object) override {
    enter();
    const std::lock_guard lock(mutex_);
    if (!bound_.try_emplace(words(name), CORBA::Object::_duplicate(object)).second) {
      throw Context::AlreadyBound();
    }
  }
  void rebind(const CosNaming::Name& name, CORBA::Object_ptr object) override {
    enter();
    put(words(name), object);
  }
  CORBA::Object_ptr resolve(const CosNaming::Name& name) override {
    enter();
    const std::lock_guard lock(mutex_);
    const auto found = bound_.find(words(name));
    if (found == bound_.end()) throw Context::NotFound(Context::missing_node, name);
    return CORBA::Object::_duplicate(found->second);
  }
  void unbind(const CosNaming::Name& name) override {
    enter();
    const std::lock_guard lock(mutex_);
    bound_.erase(words(name));
  }
  CosNaming::NamingContext_ptr bind_new_context(const CosNaming::Name&) override {
    enter();
    throw Context::AlreadyBound();
  }
  void bind_context(const CosNaming::Name&, CosNaming::NamingContext_ptr) override {}
  void rebind_context(const CosNaming::Name&, CosNaming::NamingContext_ptr) override {}
  CosNaming::NamingContext_ptr new_context() override { throw CORBA::NO_IMPLEMENT(); }
  void destroy() override {}
  void list(CORBA::ULong, CosNaming::BindingList_out, CosNaming::BindingIterator_out) override {
    enter();
    throw CORBA::NO_IMPLEMENT();
  }

 private:
  static std::string words(const CosNaming::Name& name) {
    std::string path;
    for (CORBA::ULong step = 0; step < name.length(); ++step) {
      if (step != 0) path += '/';
      path += name[step].id.in();
    }
    return path;
  }
  void enter() {
    const Woken woken{*this};
    ++asked_;
    std::function<void()> what;
    {
      const std::lock_guard lock(mutex_);
      what = trouble;
    }
    if (what) what();
  }

  struct Woken {
    Names& names;
    ~Woken() { names.wake_.notify_all(); }
  };

  std::atomic<int> asked_ = 0;
  std::mutex wake_mutex_;
  std::condition_variable wake_;
  std::mutex mutex_;
  std::map<std::string, CORBA::Object_var> bound_;
};

struct World {
  World(int argc, char** argv)
      : runtime(argc, argv, RuntimeOptions{}),
        names(new Names),
        names_object(runtime.activate_apart(names.in(), "NameService")),
        service(address_of(names_object)) {}

  Runtime runtime;
  PortableServer::Servant_var<Names> names;
  CORBA::Object_var names_object;
  std::string service;
};

// One ORB for all tests, because a process can have only one.
class OrbEnvironment : public testing::Environment {
 public:
  void SetUp() override {
    char name[] = "peers_test";
    char* argv[] = {name, nullptr};
    world = std::make_unique<World>(1, argv);
  }
  void TearDown() override { world.reset(); }
  static inline std::unique_ptr<World> world;
};

// Nothing listens on the discard port here.
inline constexpr const char* kNobody = "corbaloc:iiop:1.2@127.0.0.1:9/nobody";

class Behind : public testing::Test {
 protected:
  Behind() {
    names().set_trouble({});
    names().lose();
  }
  static World& world() { return *OrbEnvironment::world; }
  static Names& names() { return *world().names.in(); }
  static CORBA::Object_var nobody() { return world().runtime.orb()->string_to_object(kNobody); }
  // A reference to an object of an earlier process: it no longer leads anywhere.
  static CORBA::Object_var gone() {
    const std::string away = "corbaloc:iiop:1.2@" + world().service + "/away";
    return world().runtime.orb()->string_to_object(away.c_str());
  }
};

}  // namespace xbind::orb
