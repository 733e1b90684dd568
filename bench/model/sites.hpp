// The processes of the model: a client, the real ConnectionManager, the real SwitchServer of each
// switch on the path, and the switches. Each is a Process of machine.hpp around a step machine.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

#include "bench/model/costs.hpp"
#include "bench/model/machine.hpp"
#include "callgen/load/holding_time.hpp"
#include "callgen/load/pacer.hpp"
#include "client/requester.hpp"
#include "cmgr/connection_manager.hpp"
#include "core/metrics/histogram.hpp"
#include "core/session/session.hpp"
#include "switchserver/switch_server.hpp"

namespace xbind::model {

// The messages of a step, with their costs and destinations.
class Outbox {
 public:
  Outbox(const Process& sender, const Machine& machine, Duration network)
      : sender_(sender), machine_(machine), network_(network) {}
  void put(Process& to, Message message, Duration cost) {
    waiting_.push_back({&to, std::move(message), cost,
                        machine_.same_host(sender_, to) ? Duration::zero() : network_});
  }
  // A message of the process to itself, later and without cost.
  void remind(Process& self, std::uint64_t number, Duration later) {
    waiting_.push_back({&self, {{}, Reminder{number}}, {}, later});
  }
  void take(std::vector<Outgoing>& out) {
    std::move(waiting_.begin(), waiting_.end(), std::back_inserter(out));
    waiting_.clear();
  }

 private:
  const Process& sender_;
  const Machine& machine_;
  Duration network_;
  std::vector<Outgoing> waiting_;
};

// The switch: answers every request in order and refuses none.
class LabelSwitchSite final : public Process {
 public:
  LabelSwitchSite(std::string name, const Machine& machine, const Costs& costs);
  void connect(Process& server) { server_ = &server; }

  Duration cost_of(const Message& message) const override;
  void step(std::vector<Message>& messages, TimePoint now, std::vector<Outgoing>& out) override;

 private:
  const ProcessCosts& costs_;
  Outbox outbox_;
  Process* server_ = nullptr;
};

// RouteObject or QOSMapper: answers every query at once.
class MapperSite final : public Process {
 public:
  MapperSite(std::string name, const Machine& machine, const Costs& costs);
  void connect(Process& manager) { manager_ = &manager; }

  Duration cost_of(const Message& message) const override;
  void step(std::vector<Message>& messages, TimePoint now, std::vector<Outgoing>& out) override;

 private:
  const ProcessCosts& costs_;
  Outbox outbox_;
  Process* manager_ = nullptr;
};

class SwitchServerSite final : public Process, private SwitchDriver, private ManagerOutlet {
 public:
  static constexpr PortId kIn{1};
  static constexpr PortId kOut{2};

  SwitchServerSite(std::string name, std::uint64_t session_base,
                   const session::Limits& session_limits, const Machine& machine,
                   const Costs& costs);
  // Sets the other ends; from then on the switch is up.
  void connect(Process& manager, Process& label_switch, TimePoint now);
  SwitchServer& server() { return server_; }

  Duration cost_of(const Message& message) const override;
  void step(std::vector<Message>& messages, TimePoint now, std::vector<Outgoing>& out) override;
  TimePoint next_deadline() const override { return server_.next_deadline(); }

 private:
  void add(const CrossConnect& cross_connect, const TrafficContract& contract,
           driver::Cookie cookie) override;
  void remove(const CrossConnect& cross_connect, driver::Cookie cookie) override;
  void move(const CrossConnect& cross_connect, PortId new_output_port, Label new_output_label,
            const TrafficContract& contract, driver::Cookie cookie) override;
  void read_table(driver::Cookie cookie) override;
  void read_statistics(PortId port, Label label, driver::Cookie cookie) override;
  void flush() override {}
  void to_manager(SessionId session, session::Frame<HopResultBatch> frame) override;
  void audited(std::uint64_t, LedgerReport) override {}
  void executed(std::uint64_t token, Result<HopResultBatch> results) override;

  const ProcessCosts& costs_;
  Duration hand_over_;
  Outbox outbox_;
  Outbox to_manager_;  // sent after the messages to the switch
  Process* manager_ = nullptr;
  Process* label_switch_ = nullptr;
  SwitchRequests requests_;  // of the current step
  SwitchServer server_;
};

class ManagerSite final : public Process, private cmgr::Peers {
 public:
  ManagerSite(std::string name, cmgr::Config config, Duration route_validity,
              const Machine& machine, const Costs& costs);
  struct Others {
    Process& client;
    Process& route_object;
    Process& qos_mapper;
    std::vector<SwitchServerSite*> path;
  };
  void connect(Others others, TimePoint now);
  cmgr::ConnectionManager& manager() { return manager_; }

  Duration cost_of(const Message& message) const override;
  void step(std::vector<Message>& messages, TimePoint now, std::vector<Outgoing>& out) override;
  TimePoint next_deadline() const override { return manager_.next_deadline(); }

  // Batches of commands (including two-way ones), and the commands in them; repeats count.
  struct Exchanged {
    std::uint64_t batches = 0;
    std::uint64_t commands = 0;
    std::uint64_t questions = 0;  // messages to RouteObject and QOSMapper
    std::uint64_t requests = 0;   // GIOP requests sent and received, of all kinds; without replies
  };
  const Exchanged& exchanged() const { return exchanged_; }

 private:
  void to_switch(SessionId session, const std::string& switch_name,
                 session::Frame<HopBatch> frame) override;
  void to_client(SessionId session, session::Frame<OutcomeBatch> frame) override;
  void local_outcome(RequestId, Outcome) override {}
  void ask_routes(std::vector<cmgr::RouteQuery> queries) override;
  void ask_services(std::vector<ServiceSpec> services) override;
  void invoke(SessionId session, const std::string& switch_name, HopBatch batch) override;
  void attach_switch(const std::string& switch_name, AttachTable::Lost lost) override;
  void claim_lost(const std::string&) override {}  // no process ends here
  void finish_claims(SessionId, const std::string&) override {}
  void switch_session_over(SessionId /*session*/) override {}  // the sites live as long as the run
  void client_session_over(SessionId /*session*/, const SessionEnding& /*ending*/) override {}

  SwitchServerSite& site_of(const std::string& switch_name);
  void ask(Process& mapper, std::size_t questions);
  void answer_routes(std::size_t count, TimePoint now);
  void answer_services(std::size_t count, TimePoint now);
  void attach(const std::string& switch_name, TimePoint now);

  struct Invoked {
    SessionId session;
    HopBatch batch;
  };

  const ProcessCosts& costs_;
  Duration hand_over_;
  Duration route_validity_;
  Outbox outbox_;
  Outbox to_client_;  // sent after the messages to the switches
  Process* client_ = nullptr;
  Process* route_object_ = nullptr;
  Process* qos_mapper_ = nullptr;
  std::vector<SwitchServerSite*> path_;
  std::vector<std::string> to_attach_;
  std::deque<cmgr::RouteQuery> queries_;  // pending; answers arrive in the same order
  std::deque<ServiceSpec> services_;
  std::uint64_t next_invocation_ = 1;
  std::unordered_map<std::uint64_t, Invoked> invoked_;
  Exchanged exchanged_;
  cmgr::ConnectionManager manager_;  // last, because it may call the others
};

struct ClientPlan {
  double rate = 1;  // calls per second; Poisson
  std::uint64_t calls = 1;
  callgen::HoldDistribution hold_distribution = callgen::HoldDistribution::kConstant;
  Duration hold_mean{};
  std::uint64_t seed = 1;
  std::size_t batch = 64;        // most requests in one message
  std::uint64_t warm_calls = 0;  // the first calls, whose latencies are not recorded
  std::size_t callers = 1;       // sessions; calls use them in turn
  bool one_at_a_time = false;    // a call begins when the previous one is over; the rate is ignored
  session::Limits session;
};

// Offers calls independently of the outcomes of earlier ones (unless one at a time), and releases
// them after their holding time. Each caller is a client::Requester, as in a program. No message is
// lost here, so it attaches once and repeats no request.
class ClientSite final : public Process {
 public:
  ClientSite(std::string name, const ClientPlan& plan, const Machine& machine, const Costs& costs);
  // `on_arrival`: called for each call after the warm-up, when it begins.
  void connect(ManagerSite& manager, std::function<void()> on_arrival, TimePoint now);

  Duration cost_of(const Message& message) const override;
  void step(std::vector<Message>& messages, TimePoint now, std::vector<Outgoing>& out) override;
  TimePoint next_deadline() const override;

  bool over() const { return next_call_ == plan_.calls && open_ == 0; }

  struct Figures {
    std::uint64_t offered = 0;
    std::uint64_t connected = 0;
    std::uint64_t refused = 0;  // including busy answers
    std::uint64_t released = 0;
    Histogram
        setup;  // from the intended start to the outcome; of calls connected after the warm-up
  };
  const Figures& figures() const { return figures_; }
  std::uint64_t answered() const { return figures_.connected + figures_.refused; }
  bool warm() const { return next_call_ >= plan_.warm_calls; }
  bool all_offered() const { return next_call_ == plan_.calls; }

 private:
  struct End {
    TimePoint due;
    std::uint64_t call;
    bool operator>(const End& other) const {
      return due != other.due ? due > other.due : call > other.call;
    }
  };
  struct Caller {
    client::Requester requester;
    bool stepped = false;  // something happened since its last flush
  };
  struct Call {
    TimePoint intended;
    Duration hold;
    ConnectionId connection;
  };

  void plan_next_call(TimePoint now);
  void offer(TimePoint now);
  void judge(const Outcome& outcome, TimePoint now);
  void ask(std::uint64_t call, client::Request request);
  // Sends the callers' messages; true: one of them received an answer.
  bool flush(TimePoint now);
  Caller& caller_of(SessionId session);

  const ProcessCosts& costs_;
  ClientPlan plan_;
  Outbox outbox_;
  Process* manager_ = nullptr;
  std::vector<Caller> callers_;
  client::Actions actions_;  // kept to reuse its memory
  std::function<void()> on_arrival_;
  callgen::Pacer pacer_;
  callgen::HoldingTime holding_;
  TimePoint began_{};
  TimePoint next_arrival_ = kNever;
  std::uint64_t next_call_ =
      0;                    // number of the next call; call k has the requests 2k + 1 and 2k + 2
  std::uint64_t open_ = 0;  // begun and not over
  std::vector<Call> calls_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  Figures figures_;
};

}  // namespace xbind::model
