// Version 1.1 (RFC 1987) behind the structs of version 3. Nobody but the codec of version 3 and the
// frame writer calls this: both look at header.version.
//
// What version 1.1 does not have has no encode() here: exists_in() (header.hpp) says so for a type,
// lacks() for what a message of a type that exists wants to say.
#pragma once

#include <concepts>
#include <optional>
#include <string>

#include "gsmp/opaque.hpp"
#include "gsmp/v1/connections.hpp"
#include "gsmp/v1/header.hpp"
#include "gsmp/v1/ports.hpp"
#include "gsmp/v1/traffic.hpp"

namespace xbind::gsmp::v1 {

void encode(const Opaque& message, wire::Writer& out);

// Messages of this form can be written in version 1.1.
template <class M>
concept Exists = requires(const M& message, wire::Writer& out) {
  { v1::encode(message, out) } -> std::same_as<void>;
};

// What of the message would be lost or wrong, in words: "service CBR.1 capset 1 (version 1.1 has
// priorities only)". Hints (M) are not missed. For the owner of a session to ask before it sends.
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
