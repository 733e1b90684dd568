#include "ovs/openflow/error.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "core/wire/reader.hpp"
#include "ovs/openflow/header.hpp"

namespace xbind::ovs::openflow {
namespace {

// The names of section 7.4.4 by code.
constexpr std::array<std::string_view, 2> kHelloFailed = {"OFPHFC_INCOMPATIBLE", "OFPHFC_EPERM"};
constexpr std::array<std::string_view, 16> kBadRequest = {"OFPBRC_BAD_VERSION",
                                                          "OFPBRC_BAD_TYPE",
                                                          "OFPBRC_BAD_MULTIPART",
                                                          "OFPBRC_BAD_EXPERIMENTER",
                                                          "OFPBRC_BAD_EXP_TYPE",
                                                          "OFPBRC_EPERM",
                                                          "OFPBRC_BAD_LEN",
                                                          "OFPBRC_BUFFER_EMPTY",
                                                          "OFPBRC_BUFFER_UNKNOWN",
                                                          "OFPBRC_BAD_TABLE_ID",
                                                          "OFPBRC_IS_SLAVE",
                                                          "OFPBRC_BAD_PORT",
                                                          "OFPBRC_BAD_PACKET",
                                                          "OFPBRC_MULTIPART_BUFFER_OVERFLOW",
                                                          "OFPBRC_MULTIPART_REQUEST_TIMEOUT",
                                                          "OFPBRC_MULTIPART_REPLY_TIMEOUT"};
constexpr std::array<std::string_view, 16> kBadAction = {"OFPBAC_BAD_TYPE",
                                                         "OFPBAC_BAD_LEN",
                                                         "OFPBAC_BAD_EXPERIMENTER",
                                                         "OFPBAC_BAD_EXP_TYPE",
                                                         "OFPBAC_BAD_OUT_PORT",
                                                         "OFPBAC_BAD_ARGUMENT",
                                                         "OFPBAC_EPERM",
                                                         "OFPBAC_TOO_MANY",
                                                         "OFPBAC_BAD_QUEUE",
                                                         "OFPBAC_BAD_OUT_GROUP",
                                                         "OFPBAC_MATCH_INCONSISTENT",
                                                         "OFPBAC_UNSUPPORTED_ORDER",
                                                         "OFPBAC_BAD_TAG",
                                                         "OFPBAC_BAD_SET_TYPE",
                                                         "OFPBAC_BAD_SET_LEN",
                                                         "OFPBAC_BAD_SET_ARGUMENT"};
constexpr std::array<std::string_view, 10> kBadInstruction = {"OFPBIC_UNKNOWN_INST",
                                                              "OFPBIC_UNSUP_INST",
                                                              "OFPBIC_BAD_TABLE_ID",
                                                              "OFPBIC_UNSUP_METADATA",
                                                              "OFPBIC_UNSUP_METADATA_MASK",
                                                              "OFPBIC_BAD_EXPERIMENTER",
                                                              "OFPBIC_BAD_EXP_TYPE",
                                                              "OFPBIC_BAD_LEN",
                                                              "OFPBIC_EPERM",
                                                              "OFPBIC_DUP_INST"};
constexpr std::array<std::string_view, 12> kBadMatch = {
    "OFPBMC_BAD_TYPE",         "OFPBMC_BAD_LEN",          "OFPBMC_BAD_TAG",
    "OFPBMC_BAD_DL_ADDR_MASK", "OFPBMC_BAD_NW_ADDR_MASK", "OFPBMC_BAD_WILDCARDS",
    "OFPBMC_BAD_FIELD",        "OFPBMC_BAD_VALUE",        "OFPBMC_BAD_MASK",
    "OFPBMC_BAD_PREREQ",       "OFPBMC_DUP_FIELD",        "OFPBMC_EPERM"};
constexpr std::array<std::string_view, 11> kFlowModFailed = {
    "OFPFMFC_UNKNOWN",   "OFPFMFC_TABLE_FULL",   "OFPFMFC_BAD_TABLE_ID", "OFPFMFC_OVERLAP",
    "OFPFMFC_EPERM",     "OFPFMFC_BAD_TIMEOUT",  "OFPFMFC_BAD_COMMAND",  "OFPFMFC_BAD_FLAGS",
    "OFPFMFC_CANT_SYNC", "OFPFMFC_BAD_PRIORITY", "OFPFMFC_IS_SYNC"};
constexpr std::array<std::string_view, 15> kGroupModFailed = {
    "OFPGMFC_GROUP_EXISTS",      "OFPGMFC_INVALID_GROUP",  "OFPGMFC_WEIGHT_UNSUPPORTED",
    "OFPGMFC_OUT_OF_GROUPS",     "OFPGMFC_OUT_OF_BUCKETS", "OFPGMFC_CHAINING_UNSUPPORTED",
    "OFPGMFC_WATCH_UNSUPPORTED", "OFPGMFC_LOOP",           "OFPGMFC_UNKNOWN_GROUP",
    "OFPGMFC_CHAINED_GROUP",     "OFPGMFC_BAD_TYPE",       "OFPGMFC_BAD_COMMAND",
    "OFPGMFC_BAD_BUCKET",        "OFPGMFC_BAD_WATCH",      "OFPGMFC_EPERM"};
constexpr std::array<std::string_view, 12> kMeterModFailed = {
    "OFPMMFC_UNKNOWN",        "OFPMMFC_METER_EXISTS",  "OFPMMFC_INVALID_METER",
    "OFPMMFC_UNKNOWN_METER",  "OFPMMFC_BAD_COMMAND",   "OFPMMFC_BAD_FLAGS",
    "OFPMMFC_BAD_RATE",       "OFPMMFC_BAD_BURST",     "OFPMMFC_BAD_BAND",
    "OFPMMFC_BAD_BAND_VALUE", "OFPMMFC_OUT_OF_METERS", "OFPMMFC_OUT_OF_BANDS"};
constexpr std::array<std::string_view, 16> kBundleFailed = {
    "OFPBFC_UNKNOWN",           "OFPBFC_EPERM",         "OFPBFC_BAD_ID",
    "OFPBFC_BUNDLE_EXIST",      "OFPBFC_BUNDLE_CLOSED", "OFPBFC_OUT_OF_BUNDLES",
    "OFPBFC_BAD_TYPE",          "OFPBFC_BAD_FLAGS",     "OFPBFC_MSG_BAD_LEN",
    "OFPBFC_MSG_BAD_XID",       "OFPBFC_MSG_UNSUP",     "OFPBFC_MSG_CONFLICT",
    "OFPBFC_MSG_TOO_MANY",      "OFPBFC_MSG_FAILED",    "OFPBFC_TIMEOUT",
    "OFPBFC_BUNDLE_IN_PROGRESS"};

std::span<const std::string_view> code_names(ErrorType type) {
  switch (type) {
    case ErrorType::kHelloFailed: return kHelloFailed;
    case ErrorType::kBadRequest: return kBadRequest;
    case ErrorType::kBadAction: return kBadAction;
    case ErrorType::kBadInstruction: return kBadInstruction;
    case ErrorType::kBadMatch: return kBadMatch;
    case ErrorType::kFlowModFailed: return kFlowModFailed;
    case ErrorType::kGroupModFailed: return kGroupModFailed;
    case ErrorType::kMeterModFailed: return kMeterModFailed;
    case ErrorType::kBundleFailed: return kBundleFailed;
  }
  return {};
}

}  // namespace

std::string to_string(const Error& error) {
  const auto names = code_names(static_cast<ErrorType>(error.type));
  if (error.code < names.size()) return std::string(names[error.code]);
  return fmt::format("type {} code {}", error.type, error.code);
}

void encode(const Error& message, std::uint32_t xid, wire::Buffer& out) {
  const std::size_t start = begin_message(Type::kError, xid, out);
  wire::Writer writer(out);
  writer.u16(message.type);
  writer.u16(message.code);
  writer.bytes(message.data);
  finish_message(start, out);
}

Decoded<Error> decode_error_message(std::span<const std::byte> body) {
  wire::Reader in(body);
  Error out;
  out.type = in.u16();
  out.code = in.u16();
  if (!in.ok()) return refuse(Refusal::kTruncated, static_cast<std::uint32_t>(body.size()));
  const auto data = in.bytes(in.remaining());
  out.data.assign(data.begin(), data.end());
  return out;
}

}  // namespace xbind::ovs::openflow
