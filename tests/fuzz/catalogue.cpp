// QOSMapper's catalogue under libFuzzer.
//
// Every service that is accepted has a contract that switches accept, keeps its own promise when it
// is mapped back, and is accepted again by an empty catalogue.
#include <fmt/format.h>

#include "core/traffic_contract.hpp"
#include "tests/fuzz/property.hpp"
#include "traffic/catalogue.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace xbind;
  using namespace xbind::fuzz;
  const auto read = parse_catalogue(text_of({data, size}), kFile);
  if (!read) {
    require_refusal(read.error());
    return 0;
  }
  require(!read->names().empty() && read->names().size() <= kCatalogueServicesMax,
          "a catalogue has too few or too many services");
  Catalogue again;
  for (const std::string& name : read->names()) {
    const Catalogue::Entry* const entry = read->find(name);
    require(entry != nullptr, "a service is not found by its name", name);
    require(!check(entry->mapped.contract), "a contract is invalid", name);
    const auto seen = to_user(entry->service, entry->mapped);
    require(seen.has_value(), "a mapped service is refused on its way back",
            seen ? name : seen.error().text);
    require(again.add(name, entry->service).has_value(), "a service is refused again", name);
    require(again.find(name)->mapped == entry->mapped, "a service has two mappings", name);
  }
  return 0;
}
