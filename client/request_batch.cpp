#include "client/request_batch.hpp"

#include <utility>

#include "core/overloaded.hpp"

namespace xbind::client {

std::size_t count(const RequestBatch& batch) {
  return batch.connects.size() + batch.releases.size() + batch.modifies.size() +
         batch.leaves.size() + batch.commits.size();
}

void append(Request request, RequestBatch& to) {
  std::visit(Overloaded{
                 [&](ConnectRequest& connect) { to.connects.push_back(std::move(connect)); },
                 [&](ReleaseRequest& release) { to.releases.push_back(release); },
                 [&](ModifyRequest& modify) { to.modifies.push_back(std::move(modify)); },
                 [&](LeafRequest& leaf) { to.leaves.push_back(std::move(leaf)); },
                 [&](CommitRequest& commit) { to.commits.push_back(commit); },
             },
             request);
}

void append(const RequestBatch& from, Place place, RequestBatch& to) {
  switch (place.list) {
    case Place::List::kConnects: to.connects.push_back(from.connects[place.index]); return;
    case Place::List::kReleases: to.releases.push_back(from.releases[place.index]); return;
    case Place::List::kModifies: to.modifies.push_back(from.modifies[place.index]); return;
    case Place::List::kLeaves: to.leaves.push_back(from.leaves[place.index]); return;
    case Place::List::kCommits: to.commits.push_back(from.commits[place.index]); return;
  }
}

RequestBatch without(const RequestBatch& batch, const std::vector<Place>& places) {
  RequestBatch rest;
  auto skip = places.begin();
  for_each_number(batch, [&](RequestId, Place place) {
    if (skip != places.end() && *skip == place) {
      ++skip;
    } else {
      append(batch, place, rest);
    }
  });
  return rest;
}

}  // namespace xbind::client
