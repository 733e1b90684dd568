// gsmpdump: prints GSMP messages from hexadecimal text, a capture file, an interface or a proxied
// connection.
//
// Exit code 0: all input was read; 1: some octets were no message, a file has no message, or the
// input could not be opened; 2: wrong options; 74: the output could not be written.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "core/output.hpp"
#include "core/read_file.hpp"
#include "gsmp/gsmpdump/capture.hpp"
#include "gsmp/gsmpdump/hex_text.hpp"
#include "gsmp/gsmpdump/options.hpp"
#include "gsmp/gsmpdump/proxy.hpp"

namespace xbind::gsmpdump {
namespace {

constexpr std::size_t kHexOctetsMax = 64U << 20;

Micros wall_clock() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(since).count();
}

Result<void> dump_hex(Dump& dump, const std::string& text) {
  const auto messages = parse_hex(text);
  if (!messages) return tl::make_unexpected(messages.error());
  if (messages->empty()) return fail(ErrorCode::kBadInput, "the text has no octets");
  for (const wire::Buffer& message : *messages) dump_typed(dump, message);
  return {};
}

Result<std::string> standard_input() {
  std::string text;
  char letter = 0;
  while (text.size() < kHexOctetsMax && std::cin.get(letter)) text += letter;
  if (std::cin) {
    return fail(ErrorCode::kBadInput, "standard input is longer than {} octets", kHexOctetsMax);
  }
  return text;
}

std::string beginning_of(const std::string& path) {
  std::string octets(4, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(octets.data(), static_cast<std::streamsize>(octets.size()));
  octets.resize(static_cast<std::size_t>(file.gcount()));
  return octets;
}

bool nothing(const Dump& dump) { return dump.messages() == 0 && dump.troubles() == 0; }

Result<void> run(const Options& options, Dump& dump) {
  if (!options.listen.empty()) {
    const ProxyOptions between{*parse_host_port(options.listen),
                               *parse_host_port(options.to)};  // the options parser has
                                                               // checked both
    const auto proxy = Proxy::listen(between, dump, wall_clock);
    if (!proxy) return tl::make_unexpected(proxy.error());
    announce(fmt::format("gsmpdump listening on {}", (*proxy)->address()));
    (*proxy)->run();
    return {};
  }
  ConversationOptions conversation;
  conversation.port = options.port;
  Conversations conversations(dump, conversation);
  if (!options.interface.empty()) {
    const auto done = listen_to(options.interface, options.port, conversations);
    if (done && nothing(dump)) {
      fmt::print(stderr, "gsmpdump: {}: no GSMP message in {}\n", options.interface,
                 conversations.seen());
    }
    return done;
  }
  if (!options.read.empty() && is_capture(beginning_of(options.read))) {
    auto done = read_capture(options.read, conversations);
    if (done && nothing(dump)) {
      return fail(ErrorCode::kNotFound, "{}: no GSMP message in {}", options.read,
                  conversations.seen());
    }
    return done;
  }
  if (!options.hex.empty()) {
    std::string text;
    for (const std::string& word : options.hex) text += word + ' ';
    return dump_hex(dump, text);
  }
  const auto text =
      options.read.empty() ? standard_input() : read_file(options.read, kHexOctetsMax);
  if (!text) return tl::make_unexpected(text.error());
  return dump_hex(dump, *text);
}

// Ends the process when nobody can read the line: it may listen for ever.
void print(std::string_view line) {
  print_output(line);
  print_output("\n");
  if (output_fault()) std::exit(end_output("gsmpdump", 0));
}

int main_of(int argc, char** argv) {
  Options options;
  config::OptionSet set = declare(options);
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  Dump dump(options.octets, print);
  if (const auto done = run(options, dump); !done) {
    fmt::print(stderr, "gsmpdump: {}\n", done.error().text);
    return 1;
  }
  return dump.troubles() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace xbind::gsmpdump

int main(int argc, char** argv) {
  return xbind::end_output("gsmpdump", xbind::gsmpdump::main_of(argc, argv));
}
