// A capture of what goes over a port, into a file that tshark and Wireshark read (erf.hpp): cells as
// they come, AAL5 frames put together again, or both. The end of the file's name says the form: ".erf"
// bare records, ".pcap" link type 197.
//
// Bounded: a capture that has reached octets_max writes no more and counts what it leaves out. The
// file is made anew; records are gathered and written in blocks of kBlockOctets, and by flush().
//
// One thread at a time. A write that fails ends the capture: error() says why from then on.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "dataplane/aal5.hpp"
#include "dataplane/cells/cell.hpp"
#include "dataplane/erf.hpp"

namespace xbind::dataplane {

enum class CaptureContent : std::uint8_t { kCells, kFrames, kCellsAndFrames };

struct CaptureOptions {
  std::string path{};
  CaptureContent content = CaptureContent::kCells;
  std::uint64_t octets_max = 64U << 20;  // of the file, its head included; 24 or more
  // Of frames: each direction has connections_max of them.
  Aal5ReceiverOptions aal5{.connections_max = 256};
};

// Free-running.
struct CaptureCounters {
  std::uint64_t cells = 0;           // written
  std::uint64_t frames = 0;          // written
  std::uint64_t octets = 0;          // of the file, its head included
  std::uint64_t cells_left_out = 0;  // after octets_max or an error
  std::uint64_t frames_left_out = 0;

  friend bool operator==(const CaptureCounters&, const CaptureCounters&) = default;
};

class CaptureFile {
 public:
  static constexpr std::size_t kBlockOctets = 1U << 16;

  // kBadInput: another ending than the two, or an octets_max that holds nothing; kSystem: the file
  // cannot be written. The text has the path.
  static Result<std::unique_ptr<CaptureFile>> open(const CaptureOptions& options);
  ~CaptureFile();  // flush() and close; who wants to know of errors calls flush() before
  CaptureFile(const CaptureFile&) = delete;
  CaptureFile& operator=(const CaptureFile&) = delete;

  // Cells of one port, as FabricCallbacks::on_cells has them. `time` is since 1970. The record's
  // interface is 0 for kIn, 1 for kOut. Counted as written once they are in the block: error() tells of
  // a block that did not reach the file.
  void cells(Direction direction, std::span<const Cell> cells, CaptureTime time);
  // kSystem: the file took not all of it, now or before.
  Result<void> flush();

  bool full() const { return full_; }
  const std::optional<Error>& error() const { return error_; }
  const CaptureCounters& counters() const { return counters_; }
  // Of the frames of one direction that could not be put together.
  const Aal5Counters& aal5(Direction direction) const;
  const std::string& path() const { return options_.path; }

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, Closer>;

  CaptureFile(const CaptureOptions& options, CaptureForm form, File file);
  // Of the record that begins at `before` in block_: whether it stays, else it is taken out again.
  bool keep(std::size_t before);
  void write_out();

  CaptureOptions options_;
  File file_;
  wire::Buffer block_;
  ErfWriter writer_;
  Aal5Receiver in_;
  Aal5Receiver out_;
  CaptureCounters counters_;
  std::optional<Error> error_;
  bool full_ = false;
};

}  // namespace xbind::dataplane
