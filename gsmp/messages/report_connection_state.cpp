#include "gsmp/messages/report_connection_state.hpp"

#include <fmt/format.h>

namespace xbind::gsmp {

void encode(const ReportRequest& message, wire::Writer& out) {
  const std::size_t start = begin_message(out, message.header);
  out.u32(message.input_port.value());
  encode(message.input_label, out);
  finish_message(out, start);
}

void encode(const ReportPart& message, wire::Writer& out) {
  const std::size_t start = begin_message(out, message.header);
  out.u32(message.input_port.value());
  out.u32(message.sequence);
  for (const ReportRecord& record : message.records) {
    const auto count = static_cast<std::uint32_t>(record.branches.size());
    const std::uint32_t flags =
        (record.all ? 4U : 0U) | (record.whole_vpi ? 2U : 0U) | (record.vpc ? 1U : 0U);
    out.u32(flags << 29 | (count & kReportBranchesMax) << 18 |
            count * static_cast<std::uint32_t>(kReportBranchOctets));
    encode(record.input_label, out);
    for (const ReportBranch& branch : record.branches) {
      out.u32(branch.output_port.value());
      encode(branch.output_label, out);
    }
  }
  finish_message(out, start);
}

Decoded<ReportRequest> decode_report_request(const Header& header,
                                             std::span<const std::byte> body) {
  wire::Reader in(body);
  Problem problem;
  ReportRequest out;
  out.header = header;
  out.input_port = PortId(in.u32());
  out.input_label = decode_label(in, problem);
  if (const auto error = trouble(in, problem, body.size())) return tl::make_unexpected(*error);
  return out;
}

Decoded<ReportPart> decode_report_part(const Header& header, std::span<const std::byte> body) {
  wire::Reader in(body);
  Problem problem;
  ReportPart out;
  out.header = header;
  out.input_port = PortId(in.u32());
  out.sequence = in.u32();
  while (in.ok() && in.remaining() > 0) {
    ReportRecord record;
    const std::uint32_t first = in.u32();
    record.all = (first & 0x80000000) != 0;
    record.whole_vpi = (first & 0x40000000) != 0;
    record.vpc = (first & 0x20000000) != 0;
    const std::uint32_t length = first & 0xffff;
    if (length % kReportBranchOctets != 0) return refuse(Refusal::kRecordLength, length);
    record.input_label = decode_label(in, problem);
    if (length > in.remaining()) {
      in.skip(length);  // fails; the check below reports it
      break;
    }
    record.branches.resize(length / kReportBranchOctets);
    for (ReportBranch& branch : record.branches) {
      branch.output_port = PortId(in.u32());
      branch.output_label = decode_label(in, problem);
    }
    out.records.push_back(std::move(record));
  }
  if (const auto error = trouble(in, problem, body.size())) return tl::make_unexpected(*error);
  return out;
}

std::string to_string(const ReportRequest& message) {
  const LabelField label = message.input_label;
  std::string what = to_string(label);
  if (label.has(kFlagAll)) {
    what = "all connections";
  } else if (label.has(kFlagVpi)) {
    what = fmt::format("vpi {}", vpi_of(label_of(label)));
  }
  return fmt::format("{}: port {}, {}", to_string(message.header), message.input_port, what);
}

std::string to_string(const ReportPart& message) {
  std::string text = fmt::format("{}: port {}, part {}, {} records", to_string(message.header),
                                 message.input_port, message.sequence, message.records.size());
  for (const ReportRecord& record : message.records) {
    text +=
        fmt::format("; {}{}{}{} ->", record.all ? "(all) " : "", record.whole_vpi ? "(vpi) " : "",
                    record.vpc ? "(vpc) " : "", to_string(record.input_label));
    for (const ReportBranch& branch : record.branches) {
      text += fmt::format(" {}:{}", branch.output_port, to_string(branch.output_label));
    }
  }
  return text;
}

}  // namespace xbind::gsmp
