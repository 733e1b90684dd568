// The values of the messages in tests/golden/openflow.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "ovs/openflow/messages.hpp"

namespace xbind::ovs::openflow::test {

struct GoldenMessage {
  std::string id;  // the name of its files
  std::uint32_t xid = 0;
  Body body;

  friend void PrintTo(const GoldenMessage& message, std::ostream* out) { *out << message.id; }
};

// Messages of a controller, encoded by us. Open vSwitch reads them as ID.txt says
// (tests/integration/openflow_vectors_test.py).
std::vector<GoldenMessage> sent_messages();

// Messages of a bridge of Open vSwitch 3.1, captured by
// tests/integration/openflow_bridge_test.py with XBIND_REWRITE_GOLDEN=1.
std::vector<GoldenMessage> captured_messages();

}  // namespace xbind::ovs::openflow::test
