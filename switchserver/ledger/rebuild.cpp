#include "switchserver/ledger/rebuild.hpp"

#include "switchserver/ledger/holdings.hpp"

namespace xbind {

void rebuild(LedgerParts& parts) {
  parts.labels.relist();
  parts.ports.clear_hops();
  parts.users.clear();
  parts.hops.for_each([&](HopRef ref, HopRecord& record) {
    LabelPool& outputs = parts.labels.output(record.output_port());
    LabelPool& inputs = parts.labels.input(record.input_port());
    if (const auto spot = outputs.find_spot(record.output_label())) {
      LabelUsers::enter_output(outputs, *spot, ref, record);
    }
    const Label input = record.input_label();
    if (const auto spot = inputs.find_spot(input); input.present() && spot) {
      LabelUsers::enter_input(inputs, *spot, ref, record);
    }
    parts.ports.change_hops(record.output_port(), record.manager, {}, record.charge);
    parts.ports.change_ingress(record.input_port(), 0, parts.extras.ingress(ref).value_or(0));
  });
  // Each label once: the group of hops that share it is charged together.
  parts.hops.for_each([&](HopRef ref, const HopRecord& record) {
    const PortIndex out = record.output_port();
    if (!parts.labels.output(out).contains(record.output_label()) ||
        parts.users.head_on_output(record) != ref.value()) {
      return;
    }
    if (!record.last()) parts.labels.add_in_call(out, record.manager);
    HopHoldings(parts).charge_group(out, ref.value());
  });
}

}  // namespace xbind
