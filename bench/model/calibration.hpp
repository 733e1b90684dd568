// Measurements of the real programs, to compare the model with: three switches, manager, client and
// name service on one virtual machine with two cores, loopback, omniORB 4.2.5, Release build,
// constant holding time of 0.1 s, 64 labels cached for each port, client batches of at most 64.
//
// Processor time is that of all threads of a process (/proc/PID/task/*/schedstat), per operation: a
// setup or a release. For the three SwitchServers and the three switches it is the mean.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xbind::model {

struct Measured {
  std::size_t threshold;  // T
  double rate;            // setups per second offered
  std::uint64_t calls;
  double mean_us;  // setup latency
  double p50_us;
  double client_us;  // processor time
  double manager_us;
  double switch_server_us;
  double label_switch_us;
  double invocations;  // remote ones per operation
};

inline constexpr Measured kMeasured[] = {
    {1, 100, 600, 566, 508, 192, 199.6, 104.5, 35.8, 7.98},
    {1, 2'000, 8'000, 411, 356, 38.1, 69.6, 35.8, 13.8, 7.68},
    {1, 8'000, 24'000, 14'418, 3'883, 10.6, 31.2, 17.1, 5.5, 6.40},
    {1, 12'000, 24'000, 35'084, 29'360, 8.1, 23.1, 11.8, 3.1, 5.18},
    {1, 16'000, 32'000, 42'038, 35'914, 6.1, 17.5, 9.0, 2.3, 3.97},
    {4, 2'000, 8'000, 789, 651, 27.5, 30.7, 13.8, 5.2, 2.35},
    {4, 8'000, 24'000, 503, 442, 15.0, 21.1, 9.5, 3.7, 2.32},
    {4, 30'000, 60'000, 20'590, 17'695, 4.3, 9.3, 4.5, 1.2, 1.74},
    {10, 100, 600, 4'241, 5'374, 116.7, 145.1, 58.4, 18.1, 4.31},
    {10, 2'000, 8'000, 1'613, 1'417, 20.6, 18.0, 6.5, 2.2, 1.21},
    {10, 20'000, 60'000, 594, 518, 7.2, 10.0, 4.5, 1.6, 1.02},
    {10, 50'000, 100'000, 18'039, 11'338, 2.8, 5.4, 2.5, 0.7, 0.75},
    {32, 2'000, 8'000, 3'106, 3'113, 16.9, 11.9, 4.3, 1.1, 0.81},
    {32, 20'000, 60'000, 878, 844, 6.3, 6.2, 2.4, 0.7, 0.48},
    {32, 80'000, 160'000, 6'572, 4'686, 2.0, 3.2, 1.5, 0.4, 0.33},
    {64, 100'000, 200'000, 8'617, 6'259, 1.6, 2.7, 1.2, 0.3, 0.20},
};

}  // namespace xbind::model
