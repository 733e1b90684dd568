// Labels and label ranges as text: on command lines, in orders to a switch and in files.
//
//   0/32          an ATM label, VPI/VCI             0-1/32-1023     VPI 0 to 1 times VCI 32 to 1023
//   mpls:1000     an MPLS label                     mpls:16-1023    MPLS labels 16 to 1023
//
// The output of to_string() in core/label.hpp ("mpls 1000") is accepted too. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "core/label.hpp"
#include "core/result.hpp"

namespace xbind {

// One word, without blanks: "0/32", "mpls:1000".
std::string to_word(Label label);
std::string to_word(const LabelRange& range);

// kBadInput: neither form; VPI above 4095, VCI above 65535, or an MPLS label outside 16 to 1048575.
Result<Label> parse_label(std::string_view text);
// kBadInput: as above, or an end below its beginning. A single number is a range of one: "0/32-99".
Result<LabelRange> parse_label_range(std::string_view text);

}  // namespace xbind
