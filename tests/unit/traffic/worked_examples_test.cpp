// The worked examples of docs/qos.md, number by number: the document and the code must agree.
#include <gtest/gtest.h>

#include "tests/unit/source_dir.hpp"
#include "traffic/catalogue.hpp"
#include "worked_table.hpp"

namespace xbind {
namespace {

using Table = std::map<std::string, std::uint64_t>;

// The code's results under the names that the document uses.
Table computed(const Catalogue::Entry& entry) {
  const FrameShape shape = frame_shape(entry.service).value();
  const TrafficContract& contract = entry.mapped.contract;
  const NetworkQos& qos = entry.mapped.qos;
  const UserQos back = to_user(entry.service, entry.mapped).value();
  Table table{{"largest frame, cells", shape.largest_cells},
              {"mean frame, cells / 1000", shape.mean_cells},
              {"PCR", contract.pcr_cells_per_s},
              {"CDVT, us", contract.cdvt_us},
              {"CLR, 10^-12", qos.clr.value()},
              {"frame loss, 10^-12", back.frame_loss.value()}};
  const bool gfr = contract.category == ServiceCategory::kGfr;
  if (entry.service.bits_per_s != 0) table["frames in 1000 s"] = shape.frames_per_1000_s;
  if (has_guaranteed_rate(contract.category)) {
    table[gfr ? "MCR" : "SCR"] = contract.guaranteed_cells_per_s;
    table["MBS"] = contract.mbs_cells;
  }
  if (gfr) table["MFS"] = contract.mfs_cells;
  if (qos.ctd_us) {
    table["sending, us"] = sending_delay_us(shape, contract);
    table["CTD, us"] = *qos.ctd_us;
    table["CDV, us"] = qos.cdv_us.value();
    table["frame delay, us"] = back.delay_us.value();
  }
  return table;
}

struct Example {
  const char* name;
  ServiceCategory category;
};

class WorkedExampleTest : public testing::TestWithParam<Example> {};

TEST_P(WorkedExampleTest, TheDocumentSaysWhatTheCodeComputes) {
  const auto catalogue = read_catalogue_file(test::source_path("traffic/catalogue.toml"));
  ASSERT_TRUE(catalogue) << catalogue.error().text;
  const Catalogue::Entry* entry = catalogue->find(GetParam().name);
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->mapped.contract.category, GetParam().category);
  EXPECT_EQ(worked_table("`" + std::string(GetParam().name) + "`"), computed(*entry));
}

INSTANTIATE_TEST_SUITE_P(Classes, WorkedExampleTest,
                         testing::Values(Example{"video-conference", ServiceCategory::kRtVbr},
                                         Example{"voice-g711", ServiceCategory::kCbr},
                                         Example{"constant-mpeg2", ServiceCategory::kCbr},
                                         Example{"data-guaranteed", ServiceCategory::kGfr}),
                         [](const auto& one) {
                           std::string name = one.param.name;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace xbind
