#include "bench/forms/records_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

namespace xbind::callgen {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20;
constexpr std::string_view kHead =
    "call,kind,ended,cause,manager,planned_ns,sent_ns,answered_ns,element\n";

void append(const RequestRecord& record, std::string& text) {
  const auto out = std::back_inserter(text);
  const bool has_cause = record.ended == Ended::kRefused || record.ended == Ended::kBusy;
  fmt::format_to(out, "{},{},{},{},{},{},", record.call, to_string(record.kind),
                 to_string(record.ended), has_cause ? to_string(record.cause) : "", record.manager,
                 record.planned.count());
  if (record.sent != RequestRecord::kNever) fmt::format_to(out, "{}", record.sent.count());
  text += ',';
  if (record.answered != RequestRecord::kNever) fmt::format_to(out, "{}", record.answered.count());
  text += ',';
  if (!record.element.empty()) {
    text += '"';
    for (const char c : record.element) {
      if (c == '"') text += '"';
      text += c == '\n' || c == '\r' ? ' ' : c;
    }
    text += '"';
  }
  text += '\n';
}

}  // namespace

std::string line_of(const RequestRecord& record) {
  std::string text;
  append(record, text);
  return text;
}

RecordsFile::RecordsFile(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {
  buffer_.reserve(kBuffer + 4096);
  buffer_ = kHead;
}

Result<std::unique_ptr<RecordsFile>> RecordsFile::open(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr)
    return fail(ErrorCode::kSystem, "cannot write {}: {}", path, std::strerror(errno));
  return std::unique_ptr<RecordsFile>(new RecordsFile(path, file));
}

void RecordsFile::take(const RequestRecord& record) {
  append(record, buffer_);
  if (buffer_.size() >= kBuffer) flush();
}

void RecordsFile::flush() {
  if (error_ == 0 && std::fwrite(buffer_.data(), 1, buffer_.size(), file_.get()) != buffer_.size())
    error_ = errno;
  buffer_.clear();
}

Result<void> RecordsFile::finish(std::string_view mark) {
  buffer_ += mark;
  flush();
  if (std::fclose(file_.release()) != 0 && error_ == 0) error_ = errno;
  if (error_ != 0)
    return fail(ErrorCode::kSystem, "cannot write {}: {}", path_, std::strerror(error_));
  return {};
}

}  // namespace xbind::callgen
