#include "xbindctl/network_room.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "naming/names.hpp"
#include "orb/convert.hpp"
#include "qos_mapper.hh"
#include "route_object.hh"
#include "switch_server.hh"
#include "traffic/admission.hpp"
#include "traffic/service.hpp"
#include "xbindctl/fleet.hpp"
#include "xbindctl/network.hpp"
#include "xbindctl/timers.hpp"

namespace xbind::ctl {
namespace {

// The service in the network's terms. Only the services of its catalogue need the QOSMapper.
OrFailure<NetworkService> network_service_of(orb::NameClient& names, const FitQuestion& question) {
  if (question.service.kind != ServiceKind::kClass) {
    const auto mapped = service_to_network(question.service, Catalogue{});
    if (!mapped) {
      return failed(ErrorCode::kBadInput,
                    fmt::format("{}: {}", to_string(mapped.error().cause), mapped.error().text));
    }
    return *mapped;
  }
  const auto object = resolved(names, PeerKind::kQosMapper,
                               naming::path_of(naming::kQosMappers, question.qos_mapper));
  if (!object) return tl::make_unexpected(object.error());
  const v2::QOSMapper_var mapper = v2::QOSMapper::_unchecked_narrow(*object);
  return call_peer(peer_of(PeerKind::kQosMapper, "the QOSMapper", mapper), mapper,
                   [&]() -> OrFailure<NetworkService> {
                     return orb::to_core(mapper->service_to_network(orb::to_idl(question.service)));
                   });
}

Candidate candidate_of(const v2::RouteFound& found) {
  Candidate candidate;
  candidate.line_cells_per_s = found.free_cells_per_s;
  candidate.delay_us = found.delay_us;
  for (CORBA::ULong i = 0; i < found.hops.length(); ++i) {
    const v2::RouteHop& hop = found.hops[i];
    candidate.path.push_back(
        {printable(hop.switch_name.in()), PortId{hop.input_port}, PortId{hop.output_port}});
  }
  return candidate;
}

// Fills candidates and, if RouteObject refuses the request, its reason.
OrFailure<FitAnswer> ask_routes(v2::RouteObject_ptr route_object, const FitQuestion& question,
                                const NetworkService& service) {
  const Peer peer = peer_of(PeerKind::kRouteObject, "the RouteObject", route_object);
  return call_peer(peer, route_object, [&]() -> OrFailure<FitAnswer> {
    FitAnswer answer;
    answer.takes = service.resources;
    // As the manager asks.
    RouteWish wish{question.from, question.to,
                   least_cells_per_s(service.resources, service.contract)};
    wish.alternates = kCandidatesMax;
    RoutesFound found = find_routes(route_object, wish);
    if (found.refused) {
      auto refused = orb::to_core(*found.refused);
      if (!refused) return failed(refused.error(), peer);
      answer.refused = std::move(*refused);
      answer.refused_reason = printable(found.refused->reason.in(), 1'024);
      wish.cells_per_s = 0;  // paths for less, if there are
      found = find_routes(route_object, wish);
    }
    for (const v2::RouteFound& path : found.paths) {
      if (path.hops.length() != 0) answer.candidates.push_back(candidate_of(path));
    }
    return answer;
  });
}

// The questions to one SwitchServer, and the candidates that they are about.
struct Questions {
  std::vector<HopQuestion> hops;
  std::vector<std::size_t> of;
};
using QuestionsBySwitch = std::map<std::string, Questions>;
using HopAnswers = OrFailure<std::vector<HopRoom>>;
using Answers = std::map<std::string, HopAnswers>;  // by switch

HopAnswers ask_switch(const Operators& operators, const std::string& manager,
                      const std::vector<HopQuestion>& hops) {
  const v2::SwitchOperations_var operations =
      v2::SwitchOperations::_unchecked_narrow(operators.alarms);
  omniORB::setClientCallTimeout(operations, kXbindctlTimers.ms("daemon-answer").count());
  v2::HopQuestionSeq asked;
  orb::to_idl(hops, asked);
  const v2::HopRoomSeq_var answered = operations->would_take(manager.c_str(), asked);
  auto rooms = orb::to_core(answered.in());
  if (rooms && rooms->size() != hops.size()) {
    rooms = fail(ErrorCode::kProtocol, "{} answers to {} hops", rooms->size(), hops.size());
  }
  if (!rooms) return failed(rooms.error(), Peer{});
  return *std::move(rooms);
}

// Asks all of them at a time: a dead one takes its time limit once.
Answers ask_switches(orb::NameClient& names, const std::string& manager,
                     const QuestionsBySwitch& questions) {
  std::vector<Daemon> servers;
  std::vector<const std::vector<HopQuestion>*> hops;
  for (const auto& [name, asked] : questions) {
    servers.push_back({PeerKind::kSwitchServer, naming::path_of(naming::kSwitchServers, name)});
    hops.push_back(&asked.hops);
  }
  auto found = ask_each(names, servers, [&](std::size_t i, const Operators& operators) {
    return ask_switch(operators, manager, *hops[i]);
  });
  Answers answers;
  for (std::size_t i = 0; const auto& [name, asked] : questions) {
    answers.emplace(name, std::move(found[i++]));
  }
  return answers;
}

// Whether calls fit on the candidates, and how many: see below.
class Room {
 public:
  Room(orb::NameClient& names, const FitQuestion& question, const NetworkService& service,
       FitAnswer& answer)
      : names_(names), manager_(question.manager), service_(service), answer_(answer) {}

  // Each candidate alone.
  void judge_each() {
    QuestionsBySwitch questions;
    for (std::size_t i = 0; i < answer_.candidates.size(); ++i) add(questions, i, 0);
    const Answers answers = ask_switches(names_, manager_, questions);
    for (const auto& [name, rooms] : answers) {
      if (!rooms) answer_.unread.push_back({name, rooms.error().text});
    }
    for (std::size_t i = 0; i < answer_.candidates.size(); ++i) {
      Candidate& candidate = answer_.candidates[i];
      candidate.verdict = verdict(i, questions, answers);
      candidate.verdict.most_cells_per_s =
          std::min(candidate.verdict.most_cells_per_s, candidate.line_cells_per_s);
    }
  }

  // One path after another, as calls would fill them: the ledgers count those on earlier paths.
  std::uint64_t copies_together() {
    std::vector<std::uint64_t> filled;
    std::uint64_t copies = 0;
    for (std::size_t i = 0; i < answer_.candidates.size(); ++i) {
      filled.push_back(answer_.candidates[i].verdict.copies);
      if (filled.back() != 0 && copies != 0) filled.back() = copies_after(filled);
      filled.back() = std::min(filled.back(), kCopiesMax - copies);
      copies += filled.back();
    }
    return copies;
  }

 private:
  // Asks the switches of the candidate about each of its hops; `copies` of them count for later
  // questions.
  void add(QuestionsBySwitch& questions, std::size_t candidate, std::uint64_t copies) const {
    const PathHops& path = answer_.candidates[candidate].path;
    for (std::size_t i = 0; i < path.size(); ++i) {
      Questions& of = questions[path[i].switch_name];
      of.hops.push_back({.input_port = path[i].input_port,
                         .output_port = path[i].output_port,
                         .enters = i == 0,
                         .leaves = i + 1 == path.size(),
                         .demand = service_.resources,
                         .contract = service_.contract,
                         .copies = copies});
      of.of.push_back(candidate);
    }
  }

  // How many fit on the last candidate of `filled` after the numbers of the earlier ones.
  std::uint64_t copies_after(const std::vector<std::uint64_t>& filled) const {
    const std::size_t last = filled.size() - 1;
    QuestionsBySwitch questions;
    for (std::size_t i = 0; i < last; ++i) {
      if (filled[i] != 0) add(questions, i, filled[i]);
    }
    add(questions, last, 0);
    std::erase_if(questions, [&](const auto& one) { return one.second.of.back() != last; });
    return verdict(last, questions, ask_switches(names_, manager_, questions)).copies;
  }

  PathVerdict verdict(std::size_t candidate, const QuestionsBySwitch& questions,
                      const Answers& answers) const {
    const PathHops& path = answer_.candidates[candidate].path;
    HopRooms rooms;
    for (const PathHop& hop : path) {
      const std::vector<std::size_t>& of = questions.at(hop.switch_name).of;
      const auto& answered = answers.at(hop.switch_name);
      // A path passes a switch once.
      const auto at = static_cast<std::size_t>(std::ranges::find(of, candidate) - of.begin());
      rooms.push_back(answered ? std::optional((*answered)[at]) : std::nullopt);
    }
    return verdict_of(path, rooms, kCopiesMax);
  }

  orb::NameClient& names_;
  const std::string& manager_;
  const NetworkService& service_;
  FitAnswer& answer_;
};

}  // namespace

const Candidate* FitAnswer::fitting() const {
  if (refused) return nullptr;
  const auto found = std::ranges::find_if(
      candidates, [](const Candidate& candidate) { return candidate.verdict.fits(); });
  return found == candidates.end() ? nullptr : &*found;
}

bool FitAnswer::unknown() const {
  if (refused || fitting() != nullptr) return false;
  return std::ranges::any_of(
      candidates, [](const Candidate& candidate) { return !candidate.verdict.shortage; });
}

const Candidate* FitAnswer::widest() const {
  const auto rate = [](const Candidate& it) { return it.verdict.most_cells_per_s; };
  const auto found = std::ranges::max_element(candidates, {}, rate);
  return found == candidates.end() || rate(*found) == 0 ? nullptr : &*found;
}

OrFailure<FitAnswer> fit_of(orb::NameClient& names, const FitQuestion& question) {
  const auto service = network_service_of(names, question);
  if (!service) return tl::make_unexpected(service.error());
  const auto object = resolved(names, PeerKind::kRouteObject,
                               naming::path_of(naming::kRouteObjects, question.route_object));
  if (!object) return tl::make_unexpected(object.error());
  const v2::RouteObject_var route_object = v2::RouteObject::_unchecked_narrow(*object);
  auto answer = ask_routes(route_object, question, *service);
  if (!answer) return answer;
  Room room(names, question, *service, *answer);
  room.judge_each();
  if (!answer->refused) answer->copies = room.copies_together();
  return answer;
}

std::string words_of(const PathHops& path) {
  std::string words;
  for (const PathHop& hop : path) words += (words.empty() ? "" : ", ") + hop.switch_name;
  return words;
}

}  // namespace xbind::ctl
