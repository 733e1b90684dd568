// Runs a fuzz target over files and folders of inputs: where libFuzzer is
// missing, and to reproduce a finding.
//
//   fuzz_gsmp FILE|FOLDER...
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

bool replay(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> octets{std::istreambuf_iterator<char>(file), {}};
  if (!file) {
    std::fprintf(stderr, "%s: cannot be read\n", path.c_str());
    return false;
  }
  const std::vector<std::uint8_t> input(octets.begin(), octets.end());
  LLVMFuzzerTestOneInput(input.data(), input.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t inputs = 0;
  for (const char* word : std::span(argv, static_cast<std::size_t>(argc)).subspan(1)) {
    if (!std::filesystem::is_directory(word)) {
      if (!replay(word)) return 1;
      ++inputs;
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(word)) {
      if (!replay(entry.path())) return 1;
      ++inputs;
    }
  }
  std::fprintf(stderr, "%zu inputs\n", inputs);
  return inputs == 0 ? 1 : 0;
}
