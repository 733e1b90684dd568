// Shows the services of a QOSMapper's catalogue and the resources that each requires.
#include <string>
#include <vector>

#include "orb/convert.hpp"
#include "orb/remote_error.hpp"
#include "xbindctl/answers.hpp"
#include "xbindctl/commands.hpp"

namespace xbind::ctl {
namespace {

constexpr const char* kMapper = "the QOSMapper";

std::string number_of(const v2::OptionalNumber& number, double unit) {
  return number.length() == 0 ? "-" : fmt::format("{:g}", static_cast<double>(number[0]) / unit);
}

Row row_of(const std::string& name, const v2::ServiceMapping& mapping) {
  const TrafficContract contract = orb::to_core(mapping.network.contract);
  return {name,
          std::string{to_string(contract.category)},
          fmt::format("{}", contract.pcr_cells_per_s),
          contract.guaranteed_cells_per_s == 0 ? "-"
                                               : fmt::format("{}", contract.guaranteed_cells_per_s),
          fmt::format("{}", mapping.network.resources.cells_per_s),
          fmt::format("{}", mapping.network.resources.buffer_cells),
          number_of(mapping.whole.clr, 1e12),
          number_of(mapping.whole.ctd_us, 1e3),
          number_of(mapping.whole.cdv_us, 1e3)};
}

}  // namespace

v2::ServiceSpec service_named(const char* name) {
  ServiceSpec service;
  service.kind = ServiceKind::kClass;
  service.terms = ServiceTerms{};
  service.terms->name = name;
  return orb::to_idl(service);
}

int services(v2::QOSMapper_ptr mapper) {
  return guarded(PeerKind::kQosMapper, kMapper, mapper, [&] {
    const v2::NameSeq_var names = mapper->services();
    std::vector<Row> rows{{"service", "category", "peak", "guaranteed", "takes", "buffer", "loss",
                           "delay ms", "variation ms"}};
    for (CORBA::ULong i = 0; i < names->length(); ++i) {
      const char* const name = names.in()[i].in();
      const auto mapping = orb::remote(kMapper, [&] {
        return v2::ServiceMapping_var{mapper->describe_service(service_named(name), 0)};
      });
      if (!mapping) return explain(mapping.error().text);
      rows.push_back(row_of(name, mapping->in()));
    }
    print_table(2, rows);
    say("peak, guaranteed: cells/s of the contract; takes: cells/s, and buffer: cells, of every "
        "link; "
        "the others are asked of the whole path, - is not asked");
    return 0;
  });
}

}  // namespace xbind::ctl
