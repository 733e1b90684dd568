// Version 1.1 (RFC 1987) for the structs of version 3. Called only by the codec of version 3 and
// the frame writer, which select by header.version.
//
// Messages that version 1.1 lacks have no encode() here. exists_in() (header.hpp) checks the type,
// lacks() the content of a message of an existing type.
#pragma once

#include <concepts>
#include <optional>
#include <string>

#include "gsmp/messages/header_v1.hpp"
#include "gsmp/messages/opaque.hpp"
#include "gsmp/v1/connections.hpp"
#include "gsmp/v1/ports.hpp"
#include "gsmp/v1/traffic.hpp"

namespace xbind::gsmp::v1 {

void encode(const Opaque& message, wire::Writer& out);

// Messages of type M can be encoded in version 1.1.
template <class M>
concept Exists = requires(const M& message, wire::Writer& out) {
  { v1::encode(message, out) } -> std::same_as<void>;
};

// Describes what version 1.1 cannot encode: "service CBR.1 capset 1 (version 1.1 has priorities
// only)". Ignores hints (M). The owner of a session calls this before sending.
std::optional<std::string> lacks(const AddBranch& message);
std::optional<std::string> lacks(const DeleteBranches& message);
std::optional<std::string> lacks(const DeleteTree& message);
std::optional<std::string> lacks(const VerifyTree& message);
std::optional<std::string> lacks(const DeleteAll& message);
std::optional<std::string> lacks(const MoveOutputBranch& message);
std::optional<std::string> lacks(const PortManagement& message);
std::optional<std::string> lacks(const SwitchConfiguration& message);
std::optional<std::string> lacks(const PortConfigurationRequest& message);
std::optional<std::string> lacks(const PortConfiguration& message);
std::optional<std::string> lacks(const AllPortsRequest& message);
std::optional<std::string> lacks(const AllPortsPart& message);
std::optional<std::string> lacks(const Event& message);
std::optional<std::string> lacks(const ConnectionActivity& message);
std::optional<std::string> lacks(const StatisticsRequest& message);
std::optional<std::string> lacks(const Statistics& message);
std::optional<std::string> lacks(const Opaque& message);

}  // namespace xbind::gsmp::v1
