// Reads the file of connections again, one reader after the other: SIGHUP and the operation
// reload() come on threads of their own, and the reader that began later must have the last word.
// Otherwise an older text, read before the file was changed, would replace the newer one.
//
// Any thread; waits for the reader whose turn it is.
#pragma once

#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "keeper/connection_file.hpp"
#include "keeper/wanted_calls.hpp"

namespace xbind::keeper {

class FileTurns {
 public:
  using Load = std::function<Result<std::vector<Wanted>>()>;
  // Makes the keeper want these connections, before it returns.
  using Take = std::function<Result<FileChange>(std::vector<Wanted>)>;
  FileTurns(Load load, Take take) : load_(std::move(load)), take_(std::move(take)) {}

  // The errors of both.
  Result<FileChange> read_again() {
    const std::lock_guard turn(turn_);
    auto tables = load_();
    if (!tables) return tl::make_unexpected(tables.error());
    return take_(std::move(*tables));
  }

 private:
  const Load load_;
  const Take take_;
  std::mutex turn_;
};

}  // namespace xbind::keeper
