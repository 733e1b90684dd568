// One line in a file for every request of a run, written when the request ends. All figures can be
// computed again from it.
//
//   call,kind,ended,cause,manager,planned_ns,sent_ns,answered_ns,element
//
// Times count from the start of the run; an empty one means never. The cause is that of
// core/cause.hpp, empty if the request was done or given up. The element is quoted; quotes in it
// are doubled.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "callgen/statistics/record.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

// "12,setup,refused,no label,0,1000,1200,2300,\"switch-1 port 2\"\n"
std::string line_of(const RequestRecord& record);

// Its buffer takes a mebibyte, however long the run. One thread at a time.
class RecordsFile final : public RecordSink {
 public:
  // Replaces an existing file. kSystem if it cannot be opened.
  static Result<std::unique_ptr<RecordsFile>> open(const std::string& path);

  void take(const RequestRecord& record) override;
  // kSystem if anything could not be written, now or before, as on a full disk. Call once, at the
  // end.
  Result<void> finish(std::string_view mark = {});

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  RecordsFile(std::string path, std::FILE* file);
  void flush();

  std::string path_;
  std::unique_ptr<std::FILE, Closer> file_;
  std::string buffer_;
  int error_ = 0;  // errno of the first failure; later writes are skipped
};

}  // namespace xbind::callgen
