// The folder of the source tree, for unit tests that read a document or a sample of the tree.
#pragma once

#include <string>

namespace xbind::test {

// The absolute path of PATH, which begins at the root of the tree. One object alone holds the root's path, so that
// a compiler cache can use the objects of the tests in another clone.
std::string source_path(const std::string& path);

}  // namespace xbind::test
