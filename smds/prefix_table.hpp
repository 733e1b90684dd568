// What is known by the beginning of an address: the entry with the longest prefix counts.
//
// A lookup tries one hash table for each length that has an entry, longest first; networks use a
// few lengths. Values only; one thread at a time, or several that only look.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "smds/address.hpp"

namespace xbind::smds {

template <class Value>
class PrefixTable {
 public:
  // `prefix`: type and the digits that count. False: the prefix has an entry, which stays.
  bool add(Address prefix, Value value) {
    const std::size_t digits = prefix.digits();
    auto at = std::ranges::find_if(lengths_,
                                   [digits](const Length& one) { return one.digits <= digits; });
    if (at == lengths_.end() || at->digits != digits) at = lengths_.insert(at, {digits, {}});
    return at->entries.emplace(prefix.wire(), std::move(value)).second;
  }

  // Null: no prefix of the address has an entry.
  const Value* find(Address address) const {
    for (const Length& length : lengths_) {
      const auto found = length.entries.find(address.first(length.digits).wire());
      if (found != length.entries.end()) return &found->second;
    }
    return nullptr;
  }

 private:
  struct Length {
    std::size_t digits = 0;
    std::unordered_map<std::uint64_t, Value> entries;  // by the prefix as an address
  };

  std::vector<Length> lengths_;  // longest first
};

}  // namespace xbind::smds
