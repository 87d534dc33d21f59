// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/io/linux/host_counters.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <fstream>
#include <sstream>

namespace mediarig::workload {
namespace {

using std::chrono::microseconds, std::chrono::nanoseconds;

/// The total of the line "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345", in microseconds. Source: the kernel's
/// Documentation/accounting/psi.rst. If the kernel has disabled this accounting, reading the file fails.
std::optional<nanoseconds> pressure_of(const std::string& path) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const auto at = line.find(" total=");
        if (!line.starts_with("some ") || at == std::string::npos) continue;
        const char* const begin = line.data() + at + std::string_view(" total=").size();
        std::uint64_t total = 0;
        const auto read = std::from_chars(begin, line.data() + line.size(), total);
        if (read.ec != std::errc{}) return std::nullopt;
        return microseconds(total);
    }
    return std::nullopt;
}

/// The time that the hypervisor gave to other guests, as a mean over the processors. The eighth number of the line
/// "cpu" is the sum over all processors. Source: proc_stat(5).
std::optional<nanoseconds> stolen_of(const std::string& path) {
    std::ifstream file(path);
    std::optional<std::uint64_t> ticks;
    std::uint64_t processors = 0;
    for (std::string line; std::getline(file, line) && line.starts_with("cpu");) {
        std::istringstream words(line);
        std::string name;
        std::uint64_t value = 0;
        words >> name;
        if (name != "cpu") {
            ++processors;
            continue;
        }
        int number = 0;
        while (number < 8 && words >> value) ++number;
        if (number == 8) ticks = value;
    }
    const long per_second = ::sysconf(_SC_CLK_TCK);
    if (!ticks || processors == 0 || per_second <= 0) return std::nullopt;
    constexpr std::uint64_t second = 1'000'000'000;
    return nanoseconds(*ticks * (second / static_cast<std::uint64_t>(per_second)) / processors);
}

std::optional<std::uint64_t> own_involuntary_switches() {
    struct rusage usage {};
    if (::getrusage(RUSAGE_SELF, &usage) != 0) return std::nullopt;
    return static_cast<std::uint64_t>(usage.ru_nivcsw);
}

} // namespace

HostCounters read_host_counters(const std::string& proc) {
    return {.at = std::chrono::steady_clock::now().time_since_epoch(),
            .processor_waits = pressure_of(proc + "/pressure/cpu"),
            .memory_waits = pressure_of(proc + "/pressure/memory"),
            .io_waits = pressure_of(proc + "/pressure/io"),
            .stolen = stolen_of(proc + "/stat"),
            .involuntary_switches = own_involuntary_switches()};
}

} // namespace mediarig::workload
