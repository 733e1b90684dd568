// The connection messages of version 1.1 (RFC 1987 section 3): Add Branch 16, Delete Branch 17,
// Delete Tree 18, Verify Tree 19 and Delete All 20 share one layout of 32 octets; Move Branch 22
// has 40. Request and answers have the same layout.
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                        header, 8 octets                       ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                      Port Session Number                      |  of the input port
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                          Input Port                           |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |  zero |     Input VPI         |          Input VCI            |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                          Output Port                          |  Move: old, then the label
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+        and both again, new
// |  zero |     Output VPI        |          Output VCI           |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |      Number of Branches       |   Reserved    |   Priority    |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// Mapping to the structs of version 3: both selectors have the priority, in the priority model.
// Delete Branch is DeleteBranches with one element; after a failure the element's `error` has the
// Code and the header's code is kGeneral. Delete All is kDeleteAllInput, Move Branch
// kMoveOutputBranch. Number of Branches is used in Verify Tree only, elsewhere sent as 0 and not
// read. The hints M are not sent.
#pragma once

#include <span>

#include "gsmp/messages/add_branch.hpp"
#include "gsmp/messages/delete_all.hpp"
#include "gsmp/messages/delete_branches.hpp"
#include "gsmp/messages/delete_tree.hpp"
#include "gsmp/messages/move_output_branch.hpp"
#include "gsmp/v1/verify_tree.hpp"

namespace xbind::gsmp::v1 {

inline constexpr std::uint32_t kPriorityMax = 0xff;

// The output selector is encoded as the priority. DeleteBranches may have one element at most;
// without elements (a success of version 3) zeros are encoded.
void encode(const AddBranch& message, wire::Writer& out);
void encode(const DeleteBranches& message, wire::Writer& out);
void encode(const DeleteTree& message, wire::Writer& out);
void encode(const VerifyTree& message, wire::Writer& out);
void encode(const DeleteAll& message, wire::Writer& out);
void encode(const MoveOutputBranch& message, wire::Writer& out);

// All refuse kTruncated only.
Decoded<AddBranch> decode_add_branch(const Header& header, std::span<const std::byte> body);
Decoded<DeleteBranches> decode_delete_branch(const Header& header, std::span<const std::byte> body);
Decoded<DeleteTree> decode_delete_tree(const Header& header, std::span<const std::byte> body);
Decoded<VerifyTree> decode_verify_tree(const Header& header, std::span<const std::byte> body);
Decoded<DeleteAll> decode_delete_all(const Header& header, std::span<const std::byte> body);
Decoded<MoveOutputBranch> decode_move_branch(const Header& header, std::span<const std::byte> body);

}  // namespace xbind::gsmp::v1
