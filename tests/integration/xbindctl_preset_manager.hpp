// Fixture for xbindctl's commands with a manager that gives preset answers.
#pragma once

#include "client/corba/two_way.hpp"
#include "preset_manager.hpp"
#include "xbindctl_test.hpp"

namespace xbind::ctl {

class Commands : public testing::Test {
 protected:
  Commands()
      : servant_(new PresetManager),
        reported_(*dynamic_cast<PresetManager*>(servant_.in())),
        operations_(new PresetOperations(reported_)),
        manager_(two_way(servant_.in())) {
    reported_.operations = v2::ManagerOperations::_unchecked_narrow(active(operations_.in()));
  }

  static client::TwoWay two_way(PortableServer::ServantBase* servant) {
    const v2::ConnectionManager_var manager =
        v2::ConnectionManager::_unchecked_narrow(active(servant));
    return client::TwoWay(manager);
  }

  void answer(OutcomeKind kind, Label ingress = {}, Label egress = {}) {
    reported_.answer = {};
    reported_.answer.kind = kind;
    reported_.answer.connection = ConnectionId{7};
    reported_.answer.ingress = ingress;
    reported_.answer.egress = egress;
  }
  void refuse() {
    reported_.answer = {};
    reported_.answer.kind = OutcomeKind::kRefused;
    reported_.answer.cause = Cause::kNoBandwidth;
    reported_.answer.element = "switch-1 port 2";
    reported_.answer.asked = 12'000;
    reported_.answer.free = 9'700;
  }

  PortableServer::Servant_var<PortableServer::ServantBase> servant_;
  PresetManager& reported_;
  PortableServer::Servant_var<PortableServer::ServantBase> operations_;
  client::TwoWay manager_;
};

}  // namespace xbind::ctl
