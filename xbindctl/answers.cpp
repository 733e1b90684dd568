#include "xbindctl/answers.hpp"

#include <cstdio>

#include "connection_manager.hh"
#include "orb/remote_error.hpp"

namespace xbind::ctl {

int explain(const std::string& text) {
  std::fprintf(stderr, "xbindctl: %s\n", text.c_str());
  return 1;
}

int guarded(const std::string& peer, const std::function<int()>& command) {
  try {
    return command();
  } catch (const v1::UnknownConnection& unknown) {
    return explain(fmt::format("connection {} is not known", unknown.connection));
  } catch (const v1::Unavailable& refused) {
    return explain(refused.reason.in());
  } catch (const v1::BadRequest& refused) {
    return explain(refused.reason.in());
  } catch (const CORBA::SystemException& exception) {
    return explain(orb::to_error(exception, peer).text);
  }
}

void print_table(std::size_t word_columns, const std::vector<Row>& rows) {
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
    std::printf("%s\n", line.c_str());
  }
}

}  // namespace xbind::ctl
