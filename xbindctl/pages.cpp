// What comes page by page.
#include "xbindctl/commands.hpp"

namespace xbind::ctl {
namespace {

constexpr CORBA::ULong kListPage = 1'000;

}  // namespace

void for_each_connection(v2::ConnectionManager_ptr manager,
                         const std::optional<std::string>& client,
                         const std::function<void(const v2::ConnectionState&)>& look) {
  std::uint64_t after = 0;
  for (;;) {
    const v2::ConnectionStateSeq_var page = manager->list_connections(after, kListPage);
    if (page->length() == 0) return;  // a page may be shorter than asked
    for (CORBA::ULong i = 0; i < page->length(); ++i) {
      const v2::ConnectionState& state = page.in()[i];
      if (!client || *client == state.client.in()) look(state);
    }
    after = page.in()[page->length() - 1].connection;
  }
}

}  // namespace xbind::ctl
