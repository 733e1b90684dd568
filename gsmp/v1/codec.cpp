#include "gsmp/v1/codec.hpp"

#include <fmt/format.h>

#include <initializer_list>

namespace xbind::gsmp::v1 {
namespace {

using Lack = std::optional<std::string>;

Lack type_lacks(const Header& header) {
  if (exists_in(header.type, kVersion)) return std::nullopt;
  return fmt::format("{} (not in version 1.1)", to_string(header.type));
}

// A label has at most 28 bits. An absent label is encoded as zeros.
Lack labels_lack(std::initializer_list<LabelField> labels) {
  for (const LabelField label : labels) {
    const bool atm = label.type == LabelType::kAtm && label.value <= kLabelBits;
    if (!atm && label.type != LabelType::kNone) {
      return fmt::format("label {} (version 1.1 has ATM labels only)", to_string(label));
    }
  }
  return std::nullopt;
}

Lack qos_lacks(const QosFields& qos) {
  if (qos.input_qos != QosModel::kPriority || qos.output_qos != QosModel::kPriority) {
    return fmt::format("{} to {} (version 1.1 has priorities only)",
                       selector_to_string(qos.input_qos, qos.input_selector),
                       selector_to_string(qos.output_qos, qos.output_selector));
  }
  if (qos.input_selector != qos.output_selector || qos.output_selector > kPriorityMax) {
    return fmt::format("priorities {} and {} (version 1.1 has one, up to {})", qos.input_selector,
                       qos.output_selector, kPriorityMax);
  }
  return std::nullopt;
}

}  // namespace

void encode(const Opaque& message, wire::Writer& out) {
  encode_header(message.header, out);
  out.bytes(message.body);
}

Lack lacks(const AddBranch& message) {
  if (auto lack = type_lacks(message.header)) return lack;
  if (message.reservation != 0) {
    return fmt::format("reservation {} (version 1.1 has none)", message.reservation);
  }
  if (message.input_label.has(kFlagBidirectional)) return "bidirectional (not in version 1.1)";
  if (message.output_label.has(kFlagReplace)) return "connection replace (not in version 1.1)";
  if (auto lack = labels_lack({message.input_label, message.output_label})) return lack;
  return qos_lacks(message);
}

Lack lacks(const DeleteBranches& message) {
  if (message.elements.size() != 1) {
    return fmt::format("{} branches to delete (version 1.1 deletes one a message)",
                       message.elements.size());
  }
  return labels_lack({message.elements[0].input_label, message.elements[0].output_label});
}

Lack lacks(const DeleteTree& message) { return labels_lack({message.input_label}); }
Lack lacks(const VerifyTree& message) { return labels_lack({message.input_label}); }
Lack lacks(const DeleteAll& message) { return type_lacks(message.header); }

Lack lacks(const MoveOutputBranch& message) {
  if (auto lack = type_lacks(message.header)) return lack;
  if (auto lack =
          labels_lack({message.input_label, message.old_output_label, message.new_output_label})) {
    return lack;
  }
  return qos_lacks(message);
}

Lack lacks(const PortManagement& message) {
  if (message.function > PortFunction::kResetFlags) {
    return fmt::format("{} (not in version 1.1)", to_string(message.function));
  }
  if (message.replace) return "connection replace (not in version 1.1)";
  if (message.header.request() && message.flow_control_flags != 0) {
    return fmt::format("flow control flags {} (always on in version 1.1)",
                       event_flags_to_string(message.flow_control_flags));
  }
  return std::nullopt;
}

Lack lacks(const SwitchConfiguration& message) {
  if (message.model_types[0] == 0) return std::nullopt;
  return fmt::format("mtype {} (version 1.1 has none)", message.model_types[0]);
}

Lack lacks(const PortConfigurationRequest&) { return std::nullopt; }
Lack lacks(const PortConfiguration&) { return std::nullopt; }
Lack lacks(const AllPortsRequest&) { return std::nullopt; }

Lack lacks(const AllPortsPart& message) {
  if (message.records.size() <= kPortRecordsMax) return std::nullopt;
  return fmt::format("{} port records (version 1.1 has {} a message)", message.records.size(),
                     kPortRecordsMax);
}

Lack lacks(const Event& message) {
  if (auto lack = type_lacks(message.header)) return lack;
  return labels_lack({message.label});
}

Lack lacks(const ConnectionActivity& message) {
  if (message.records.size() > kActivityRecordsMax) {
    return fmt::format("{} activity records (version 1.1 has {} a message)", message.records.size(),
                       kActivityRecordsMax);
  }
  for (const ActivityRecord& record : message.records) {
    if (auto lack = labels_lack({record.input_label})) return lack;
  }
  return std::nullopt;
}

Lack lacks(const StatisticsRequest& message) { return labels_lack({message.label}); }
Lack lacks(const Statistics& message) { return labels_lack({message.label}); }
Lack lacks(const Opaque&) { return std::nullopt; }

}  // namespace xbind::gsmp::v1
