#include "tests/unit/source_dir.hpp"

namespace xbind::test {

std::string source_path(const std::string& path) { return XBIND_SOURCE_DIR "/" + path; }

}  // namespace xbind::test
