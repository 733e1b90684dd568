// Captures the traffic of a port into a file that tshark and Wireshark read (erf.hpp): cells as
// received, reassembled AAL5 frames, or both. The extension of the file name selects the form:
// ".erf" for bare records, ".pcap" for link type 197.
//
// Bounded: a capture that has reached octets_max writes nothing more and counts what it omits. The
// file is created anew. Records are buffered and written in blocks of kBlockOctets, and by flush().
//
// One thread at a time. A failed write ends the capture; error() returns the reason from then on.
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
  std::uint64_t octets_max = 64U << 20;  // of the file with its header; 24 or more
  // For frames: each direction has connections_max of them.
  Aal5ReceiverOptions aal5{.connections_max = 256};
};

// Free-running.
struct CaptureCounters {
  std::uint64_t cells = 0;           // written
  std::uint64_t frames = 0;          // written
  std::uint64_t octets = 0;          // of the file with its header
  std::uint64_t cells_left_out = 0;  // after octets_max or an error
  std::uint64_t frames_left_out = 0;

  friend bool operator==(const CaptureCounters&, const CaptureCounters&) = default;
};

class CaptureFile {
 public:
  static constexpr std::size_t kBlockOctets = 1U << 16;

  // kBadInput: an unknown extension, or an octets_max that is too small for any record; kSystem:
  // the file cannot be written. The text has the path.
  static Result<std::unique_ptr<CaptureFile>> open(const CaptureOptions& options);
  ~CaptureFile();  // flushes and closes; call flush() before to see errors
  CaptureFile(const CaptureFile&) = delete;
  CaptureFile& operator=(const CaptureFile&) = delete;

  // Captures cells of one port, as passed to FabricCallbacks::on_cells. `time` is since 1970. The
  // record's interface is 0 for kIn, 1 for kOut. Cells count as written once they are in the block;
  // error() reports a block that could not be written.
  void cells(Direction direction, std::span<const Cell> cells, CaptureTime time);
  // kSystem: the file did not accept all data, now or earlier.
  Result<void> flush();

  bool full() const { return full_; }
  const std::optional<Error>& error() const { return error_; }
  const CaptureCounters& counters() const { return counters_; }
  // Counters of frames that could not be reassembled in one direction.
  const Aal5Counters& aal5(Direction direction) const;
  const std::string& path() const { return options_.path; }

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, Closer>;

  CaptureFile(const CaptureOptions& options, CaptureForm form, File file);
  // Decides whether the record that begins at `before` in block_ fits; if not, removes it.
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
