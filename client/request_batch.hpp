// Requests of every kind as one type, and functions on batches of them. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "core/call.hpp"

namespace xbind::client {

// Every request that a client can send. Each alternative has a member `request`, its number.
using Request =
    std::variant<ConnectRequest, ReleaseRequest, ModifyRequest, LeafRequest, CommitRequest>;

// Position of a request in its batch: which of the vectors, and the index in it.
struct Place {
  enum class List : std::uint8_t { kConnects, kReleases, kModifies, kLeaves, kCommits };
  List list = List::kConnects;
  std::uint32_t index = 0;

  friend bool operator==(const Place&, const Place&) = default;
};

std::size_t count(const RequestBatch& batch);

void append(Request request, RequestBatch& to);
// Copies one request of `from`.
void append(const RequestBatch& from, Place place, RequestBatch& to);

// Calls visit(RequestId, Place) for every request of the batch.
template <class Visit>
void for_each_number(const RequestBatch& batch, Visit&& visit) {
  const auto each = [&](const auto& requests, Place::List list) {
    std::uint32_t index = 0;
    for (const auto& request : requests) visit(request.request, Place{list, index++});
  };
  each(batch.connects, Place::List::kConnects);
  each(batch.releases, Place::List::kReleases);
  each(batch.modifies, Place::List::kModifies);
  each(batch.leaves, Place::List::kLeaves);
  each(batch.commits, Place::List::kCommits);
}

// Returns a copy without the requests at `places`, which are in the order of for_each_number().
RequestBatch without(const RequestBatch& batch, const std::vector<Place>& places);

}  // namespace xbind::client
