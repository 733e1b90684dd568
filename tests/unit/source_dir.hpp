// The folder of the source tree, for unit tests that read a document or a sample of the tree.
#pragma once

#include <string>

namespace xbind::test {

// Returns the absolute path of `path`, which begins at the root of the tree. One object alone
// contains the root's path, so that a compiler cache can use the other objects in another clone.
std::string source_path(const std::string& path);

}  // namespace xbind::test
