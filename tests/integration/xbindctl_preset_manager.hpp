// Fixture for xbindctl's commands with a manager that gives preset answers.
#pragma once

#include "client/corba/two_way.hpp"
#include "orb/convert.hpp"
#include "preset_manager.hpp"
#include "xbindctl_test.hpp"

namespace xbind::ctl {

// A call that is up over one hop, at switch-1.
inline v2::ConnectionState call_of(std::uint64_t id, const char* from, const char* to,
                                   std::uint64_t cells_per_s) {
  v2::ConnectionState state;
  state.connection = id;
  state.phase = v2::phase_connected;
  state.generation = 1;
  state.request = 0;
  state.client = "mia";
  state.from_end = from;
  state.to_end = to;
  state.resources = {cells_per_s, 0};
  state.reverse_resources = {0, 0};
  state.reroutes = 0;
  state.up_since_s = state.changed_s = 0;
  state.condition = v2::path_up;
  state.hops.length(1);
  state.hops[0].leg = state.hops[0].number = 0;
  state.hops[0].switch_name = "switch-1";
  state.hops[0].input_port = 1;
  state.hops[0].input_label = orb::to_idl(atm_label(0, 32));
  state.hops[0].output_port = 2;
  state.hops[0].output_label = orb::to_idl(atm_label(0, 33));
  return state;
}

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
