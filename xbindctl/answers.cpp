#include "xbindctl/answers.hpp"

#include <cstdio>

#include "connection_manager.hh"
#include "core/name.hpp"
#include "orb/convert.hpp"
#include "orb/remote_error.hpp"

namespace xbind::ctl {
namespace {

constexpr std::size_t kLineOctetsMax = 4'096;
constexpr std::size_t kCellOctetsMax = 160;  // "host-a -> host-b" of two longest names

}  // namespace

int explain(const std::string& text) {
  std::fprintf(stderr, "xbindctl: %s\n", printable(text, kLineOctetsMax).c_str());
  return 1;
}

void say(const std::string& line) { std::printf("%s\n", printable(line, kLineOctetsMax).c_str()); }

int guarded(const std::string& peer, CORBA::Object_ptr object,
            const std::function<int()>& command) {
  // What the contract says for itself; the rest names the peer.
  const auto done = orb::remote(peer, object, [&] {
    try {
      return command();
    } catch (const v2::Refused& refused) {
      const auto outcome = orb::to_core(refused.why);
      return explain(outcome
                         ? fmt::format("{}: {}", to_string(outcome->kind), xbind::explain(*outcome))
                         : outcome.error().text);
    } catch (const v2::UnknownConnection& unknown) {
      return explain(fmt::format("connection {} is not known", unknown.connection));
    } catch (const v2::Unavailable& refused) {
      return explain(refused.reason.in());
    } catch (const v2::BadRequest& refused) {
      return explain(refused.reason.in());
    }
  });
  return done ? *done : explain(done.error().text);
}

std::string counted(std::uint64_t count, const std::string& one, const std::string& ending) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : ending);
}

void print_table(std::size_t word_columns, std::vector<Row> rows) {
  for (Row& row : rows) {
    for (std::string& cell : row) cell = printable(cell, kCellOctetsMax);
  }
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i != 0) line += "  ";
      line += i < word_columns ? fmt::format("{:<{}}", row[i], widths[i])
                               : fmt::format("{:>{}}", row[i], widths[i]);
    }
    say(line);
  }
}

}  // namespace xbind::ctl
