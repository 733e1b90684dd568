// Prints a message as one line of text, for logs, dumps and the golden files.
#pragma once

#include <string>

#include "gsmp/message.hpp"

namespace xbind::gsmp {

std::string to_string(const Message& message);

}  // namespace xbind::gsmp
