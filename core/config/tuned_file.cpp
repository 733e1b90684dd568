#include "core/config/tuned_file.hpp"

#include <filesystem>
#include <system_error>

#include "core/name.hpp"

namespace xbind::config {

namespace fs = std::filesystem;

Result<void> check_tuned_file(const std::string& option, const std::string& configured,
                              const std::string& asked) {
  if (asked.empty()) return {};
  if (configured.empty()) {
    return fail(ErrorCode::kBadInput,
                "option --{} names no file in the configuration, so none can be named at run time; "
                "{} was asked for",
                option, printable(asked));
  }
  std::error_code error;
  const fs::path directory = fs::weakly_canonical(fs::absolute(configured), error).parent_path();
  if (error) {
    return fail(ErrorCode::kSystem, "option --{}: {}: {}", option, configured, error.message());
  }
  // Of a path that does not exist, the part that does is resolved.
  const fs::path path = fs::weakly_canonical(fs::absolute(asked), error);
  if (error || path.parent_path() != directory) {
    return fail(ErrorCode::kBadInput,
                "option --{}: {} is not in {}, the directory of the configured file; no other can "
                "be named at run time",
                option, printable(asked), directory.string());
  }
  if (!fs::is_regular_file(path, error)) {
    return fail(ErrorCode::kBadInput, "option --{}: {} is no regular file", option,
                printable(asked));
  }
  return {};
}

}  // namespace xbind::config
