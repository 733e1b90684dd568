// Every request of a run as a line of a file, as it ends: what all figures can be made of again.
//
//   call,kind,ended,cause,manager,planned_ns,sent_ns,answered_ns,element
//
// Times count from the start of the run; an empty one was never. The cause is that of core/cause.hpp, empty
// when the request was done or given up; the element is quoted, quotes in it are doubled.
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

// Buffers a mebibyte, whatever the run. One thread at a time.
class RecordsFile final : public RecordSink {
 public:
  // Replaces what is there. kSystem.
  static Result<std::unique_ptr<RecordsFile>> open(const std::string& path);

  void take(const RequestRecord& record) override;
  // kSystem when anything was not written, now or before: a disk that is full. Once, at the end.
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
  int error_ = 0;  // errno of the first failure; nothing is written after it
};

}  // namespace xbind::callgen
