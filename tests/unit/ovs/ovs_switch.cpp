#include "tests/unit/ovs/ovs_switch.hpp"

#include <utility>

#include "core/check.hpp"

namespace xbind::ovs::test {

SwitchParts parts_for(const std::vector<std::string>& words) {
  Options options;
  config::OptionSet set("xbind-gsmp-ovs", "A switch.");
  declare(set, options);
  std::vector<const char*> line{"xbind-gsmp-ovs", "--bridge", "unix:/memory"};
  for (const std::string& word : words) line.push_back(word.c_str());
  const auto refused = set.load(static_cast<int>(line.size()), line.data(),
                                [](const std::string&) { return std::nullopt; });
  XB_CHECK(!refused, refused->text);
  return parts_of(options);
}

OvsSwitch::OvsSwitch(MemoryBridge& bridge, const SwitchParts& parts)
    : bridge_(bridge),
      layout_(parts.table.layout),
      fabric_(parts.fabric, [this] { return ++drawn_; }),
      table_(fabric_, parts.table) {
  for (std::uint32_t port = 1; port <= fabric_.ports(); ++port)
    table_.set_line(PortId(port), false);  // as the daemon does until the bridge is read
}

void OvsSwitch::connect(TimePoint now) {
  bridge_.connect();
  table_.bridge().connected(now);
  settle(now);
}

void OvsSwitch::cut() {
  bridge_.disconnect();
  table_.bridge().closed();
}

bool OvsSwitch::carry_to_bridge() {
  table_.flush();
  wire::Buffer sent;
  table_.bridge().take_output(sent);
  bridge_.receive(sent);
  return !sent.empty();
}

bool OvsSwitch::carry_to_table(TimePoint now) {
  const wire::Buffer answers = bridge_.take_output();
  if (answers.empty()) return false;
  table_.bridge().receive(answers, now);
  return true;
}

void OvsSwitch::settle(TimePoint now) {
  for (;;) {
    const bool sent = carry_to_bridge();
    const bool answered = carry_to_table(now);
    if (!sent && !answered) return;
  }
}

openflow::FlowStats* OvsSwitch::flow(const Place& input) {
  const Input at = input_of(layout_, input);
  return bridge_.tables().flow(at.match, at.priority);
}

std::map<Place, std::vector<Place>> OvsSwitch::connections() const {
  std::map<Place, std::vector<Place>> found;
  for (const openflow::FlowStats& flow : bridge_.tables().flows()) {
    if ((flow.cookie & kCookieMask) != layout_.cookie) continue;
    const auto input = place_of(layout_, flow.match, flow.priority);
    if (!input) continue;
    found[*input] = outputs_of(layout_, *input, flow.actions, bridge_.tables().groups())
                        .value_or(std::vector<Place>{});
  }
  return found;
}

}  // namespace xbind::ovs::test
