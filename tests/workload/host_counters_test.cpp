// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/io/linux/host_counters.hpp"

#include <unistd.h>

#include "host/workload/jobs/job_checks.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/fake_system.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::tests;
using namespace mediarig::workload;
using namespace std::chrono_literals;

namespace {

/// Counts a second and ten involuntary switches for each reading.
class LoadedSystem final : public FakeSystem {
public:
    std::optional<HostCounters> host_counters() const override {
        ++readings_;
        return HostCounters{.at = readings_ * 1s,
                            .processor_waits = readings_ * 400ms,
                            .involuntary_switches = static_cast<std::uint64_t>(readings_ * 10)};
    }

private:
    mutable int readings_{};
};

class Listener final : public JobObserver {
public:
    void on_phase(const std::string&) override {}
    void on_cell(const CellResult&) override {}
    void on_finding(const measure::Finding&) override {}
};

CellResult named(const std::string& id) {
    CellResult cell;
    cell.cell.id = id;
    return cell;
}

} // namespace

TEST_CASE("the load of the host is read from proc, and missing counters are empty") {
    Scratch proc;
    proc.write("pressure/cpu", "some avg10=1.00 avg60=0.50 avg300=0.10 total=1234567\nfull avg10=0 total=99\n");
    proc.write("pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=12\n");
    proc.write("stat",
               "cpu  10 0 10 100 5 0 0 600 0 0\ncpu0 5 0 5 50 2 0 0 300 0 0\ncpu1 5 0 5 50 3 0 0 300 0 0\nintr 7\n");
    const HostCounters counters = read_host_counters(proc.path().string());
    CHECK(counters.processor_waits == std::chrono::microseconds(1'234'567));
    CHECK(counters.io_waits == 12us);
    CHECK_FALSE(counters.memory_waits);
    REQUIRE(counters.stolen);
    CHECK(counters.stolen->count() == 300 * (1'000'000'000 / ::sysconf(_SC_CLK_TCK))); // mean time per processor
    CHECK(counters.involuntary_switches);

    Scratch none;
    const HostCounters missing = read_host_counters(none.path().string());
    CHECK_FALSE(missing.processor_waits);
    CHECK_FALSE(missing.stolen);
    none.write("pressure/cpu", "some avg10=1.00 total=many\n");
    none.write("stat", "cpu 1 2 3\n");
    CHECK_FALSE(read_host_counters(none.path().string()).processor_waits);
    CHECK_FALSE(read_host_counters(none.path().string()).stolen);
}

TEST_CASE("a load is the difference of two readings, without counters that went backwards") {
    const HostCounters before{.at = 5s, .processor_waits = 1s, .memory_waits = 2s, .io_waits = {}, .stolen = 3s};
    const HostCounters after{.at = 7s, .processor_waits = 1500ms, .memory_waits = 1s, .io_waits = 1s, .stolen = 3s};
    const HostLoad load = load_between(before, after);
    CHECK(load.over == 2s);
    CHECK(load.processor_waits == 500ms);
    CHECK_FALSE(load.memory_waits);
    CHECK_FALSE(load.io_waits);
    CHECK(load.stolen == 0s);
    CHECK_FALSE(load.involuntary_switches);
}

TEST_CASE("each cell has the load of its phase") {
    const LoadedSystem system;
    Listener listener;
    JobOutcome outcome;
    Reporter reporter(listener, outcome, &system);
    reporter.phase("layout");
    reporter.phase("one");
    reporter.deliver(named("one"));
    reporter.phase("two");
    reporter.phase("cleanup");
    reporter.deliver(named("two"));     // delivered after its phase
    reporter.deliver(named("unknown")); // belongs to the present phase
    REQUIRE(outcome.cells.size() == 3);
    for (const CellResult& cell : outcome.cells) {
        REQUIRE(cell.host_load);
        CHECK(cell.host_load->over > 0s);
        CHECK(cell.host_load->processor_waits == cell.host_load->over * 2 / 5);
    }
    CHECK(outcome.cells[0].host_load->over == 1s);
    CHECK(outcome.cells[1].host_load->involuntary_switches == 10);
}

TEST_CASE("a system without load counters gives cells without a load") {
    const FakeSystem system;
    Listener listener;
    JobOutcome outcome;
    Reporter reporter(listener, outcome, &system);
    reporter.phase("one");
    reporter.deliver(named("one"));
    CHECK_FALSE(outcome.cells.at(0).host_load);
}
