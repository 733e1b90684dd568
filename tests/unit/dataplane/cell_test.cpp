#include "dataplane/cells/cell.hpp"

#include <gtest/gtest.h>

namespace xbind::dataplane {
namespace {

TEST(Cell, HasTheFieldsOfItsHeader) {
  const Cell cell{.header = cell_header(0xabc, 0x1234, 5, true)};
  EXPECT_EQ(cell.header, 0xabc1234bU);
  EXPECT_EQ(cell.vpi(), 0xabc);
  EXPECT_EQ(cell.vci(), 0x1234);
  EXPECT_EQ(cell.pt(), 5);
  EXPECT_TRUE(cell.clp());
  EXPECT_FALSE(cell.user_data());
  EXPECT_TRUE((Cell{.header = cell_header(0, 32, 3)}.user_data()));
}

TEST(Cell, FieldsAreCutToTheirWidth) {
  EXPECT_EQ(cell_header(0x1000, 0x10000, 8), 0u);
  EXPECT_EQ(cell_header(0xffff, 0xfffff, 0xff, true), 0xffffffffU);
}

// I.361 tables 1 and 3: cells that a receiver must not assign to a connection.
TEST(Cell, IdleAndUnassignedOnesAreKnown) {
  EXPECT_EQ(kind_of(0x00000000), CellKind::kUnassigned);
  EXPECT_EQ(kind_of(cell_header(0, 0, 7)), CellKind::kUnassigned);
  EXPECT_EQ(kind_of(0x00000001), CellKind::kPhysicalLayer);
  EXPECT_EQ(kind_of(cell_header(0, 0, 4, true)), CellKind::kPhysicalLayer);
  EXPECT_EQ(kind_of(cell_header(0, 1)), CellKind::kAssigned);
  EXPECT_EQ(kind_of(cell_header(1, 0)), CellKind::kAssigned);
  EXPECT_EQ(kind_of(cell_header(0, 5, 0, true)), CellKind::kAssigned);
}

TEST(Cell, AUniPutsTheGfcWhereTheNniHasMoreVpi) {
  const std::uint32_t header = cell_header(0x2a, 77, 1);
  EXPECT_EQ(wire_header(header, HeaderForm::kNni, 9), header);
  EXPECT_EQ(wire_header(header, HeaderForm::kUni, 9), header | 0x90000000U);
  EXPECT_EQ(from_wire_header(header | 0x90000000U, HeaderForm::kUni), header);
  EXPECT_EQ(from_wire_header(header | 0x90000000U, HeaderForm::kNni), cell_header(0x92a, 77, 1));
}

}  // namespace
}  // namespace xbind::dataplane
