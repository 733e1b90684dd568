#include "dataplane/capture_file.hpp"

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace xbind::dataplane {
namespace {

constexpr std::size_t kPcapHead = 24;

std::optional<CaptureForm> form_of(std::string_view path) {
  if (path.ends_with(".pcap")) return CaptureForm::kPcap;
  if (path.ends_with(".erf")) return CaptureForm::kErf;
  return std::nullopt;
}

}  // namespace

Result<std::unique_ptr<CaptureFile>> CaptureFile::open(const CaptureOptions& options) {
  const auto form = form_of(options.path);
  if (!form)
    return fail(ErrorCode::kBadInput, "capture '{}': its name ends in neither .pcap nor .erf",
                options.path);
  if (options.octets_max < kPcapHead) {
    return fail(ErrorCode::kBadInput, "capture '{}': at most {} octets, must be {} or more",
                options.path, options.octets_max, kPcapHead);
  }
  File file(std::fopen(options.path.c_str(), "wbe"));
  if (!file)
    return fail(ErrorCode::kSystem, "capture '{}': {}", options.path, std::strerror(errno));
  std::setvbuf(file.get(), nullptr, _IONBF, 0);  // block_ is the buffer
  auto capture = std::unique_ptr<CaptureFile>(new CaptureFile(options, *form, std::move(file)));
  // The header is written at once, so that a reader can follow and a full disk is detected early.
  if (auto written = capture->flush(); !written) return tl::make_unexpected(written.error());
  return capture;
}

CaptureFile::CaptureFile(const CaptureOptions& options, CaptureForm form, File file)
    : options_(options),
      file_(std::move(file)),
      writer_(form, block_),
      in_(options.aal5),
      out_(options.aal5) {
  counters_.octets = block_.size();
}

CaptureFile::~CaptureFile() { write_out(); }

void CaptureFile::cells(Direction direction, std::span<const Cell> cells, CaptureTime time) {
  const auto interface = static_cast<std::uint8_t>(direction == Direction::kIn ? 0 : 1);
  Aal5Receiver& receiver = direction == Direction::kIn ? in_ : out_;
  for (const Cell& cell : cells) {
    if (options_.content != CaptureContent::kFrames) {
      const std::size_t before = block_.size();
      writer_.cell(time, interface, cell);
      ++(keep(before) ? counters_.cells : counters_.cells_left_out);
    }
    if (options_.content == CaptureContent::kCells) continue;
    if (receiver.push(cell, TimePoint(time)) != Aal5Outcome::kFrame) continue;
    const std::size_t before = block_.size();
    writer_.aal5(time, interface, cell.vpi(), cell.vci(), receiver.frame().pdu);
    ++(keep(before) ? counters_.frames : counters_.frames_left_out);
  }
}

bool CaptureFile::keep(std::size_t before) {
  const std::size_t record = block_.size() - before;
  full_ = full_ || counters_.octets + record > options_.octets_max;
  if (full_ || error_) {
    block_.resize(before);
    return false;
  }
  counters_.octets += record;
  if (block_.size() >= kBlockOctets) write_out();
  return true;
}

void CaptureFile::write_out() {
  if (block_.empty()) return;
  if (!error_ && std::fwrite(block_.data(), 1, block_.size(), file_.get()) != block_.size()) {
    error_ = Error{ErrorCode::kSystem,
                   fmt::format("capture '{}': {}", options_.path, std::strerror(errno))};
  }
  block_.clear();
}

Result<void> CaptureFile::flush() {
  write_out();
  if (error_) return tl::make_unexpected(*error_);
  return {};
}

const Aal5Counters& CaptureFile::aal5(Direction direction) const {
  return (direction == Direction::kIn ? in_ : out_).counters();
}

}  // namespace xbind::dataplane
