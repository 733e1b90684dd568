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

}  // namespace xbind::ctl
