// Shared by the tests of xbindctl's commands: the ORB of the process, and a command's output.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <omniORB4/CORBA.h>

#include <memory>
#include <string>

#include "orb/runtime.hpp"

namespace xbind::ctl {

class OrbEnvironment : public testing::Environment {
 public:
  void SetUp() override {
    char name[] = "xbindctl_test";
    char* argv[] = {name, nullptr};
    runtime = std::make_unique<orb::Runtime>(1, argv, orb::RuntimeOptions{});
  }
  void TearDown() override { runtime.reset(); }
  static inline std::unique_ptr<orb::Runtime> runtime;
};

inline CORBA::Object_var active(PortableServer::ServantBase* servant) {
  return OrbEnvironment::runtime->activate(servant);
}

// Runs a command; returns its exit code followed by the output of both streams.
template <class Command>
std::string said(Command command) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = command();
  const std::string output = testing::internal::GetCapturedStdout();
  return fmt::format("{}: {}{}", code, output, testing::internal::GetCapturedStderr());
}

}  // namespace xbind::ctl
