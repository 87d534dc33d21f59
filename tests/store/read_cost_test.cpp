// SPDX-License-Identifier: GPL-3.0-or-later
/// Counts the cost of reading one medium in steps of SQLite's virtual machine, so that the test does not depend on
/// time.
#include <fmt/format.h>
#include <sqlite3.h>

#include <utility>

#include "host/store/sqlite/open_store.hpp"
#include "tests/catch.hpp"
#include "tests/sample.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::store;

namespace {

/// Counts the steps of every statement of the process while this object exists.
class CountedSteps {
public:
    CountedSteps() { sqlite3_auto_extension(reinterpret_cast<void (*)()>(attach)); }
    CountedSteps(const CountedSteps&) = delete;
    CountedSteps& operator=(const CountedSteps&) = delete;
    ~CountedSteps() { sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(attach)); }

    [[nodiscard]] static int take() { return std::exchange(steps, 0); }

private:
    static int count(unsigned, void*, void* statement, void*) {
        steps += sqlite3_stmt_status(static_cast<sqlite3_stmt*>(statement), SQLITE_STMTSTATUS_VM_STEP, 1);
        return 0;
    }
    static int attach(sqlite3* database, char**, const void*) {
        return sqlite3_trace_v2(database, SQLITE_TRACE_PROFILE, count, nullptr);
    }
    static inline int steps = 0;
};

void put_media(Store& store, std::size_t from, std::size_t to) {
    const auto put = store.together([&]() -> Result<void> {
        for (std::size_t medium = from; medium < to; ++medium) {
            const std::string key = fmt::format("card {}", medium), id = fmt::format("m{}.r1.raw.quickbench", medium);
            workload::CellResult cell;
            cell.cell = {.id = "standard.seq_write.4096", .table = "standard", .block = 4_KiB, .volume = 1_MiB};
            cell.moved = 1_MiB;
            cell.elapsed = std::chrono::seconds(1);
            PassRecord pass{.id = id, .device = key, .format = "raw"};
            pass.job.suite = "quickbench";
            pass.job.kind = workload::SweepJob{.cells = {cell.cell}, .span = 1_MiB};
            const measure::Finding slow{.kind = measure::FindingKind::slow_region, .detail = "slow", .pass = id};
            DeviceRecord device{.key = key, .name = key};
            device.identity.node = "/dev/sdx";
            if (auto kept = store.put("c", device); !kept) return kept;
            if (auto kept = store.put("c", pass); !kept) return kept;
            if (auto kept = store.put_cell("c", id, cell); !kept) return kept;
            if (auto kept = store.add("c", key, slow); !kept) return kept;
            if (auto kept = store.add("c", key, measure::Untested{.key = id, .why = "no driver"}); !kept) return kept;
        }
        return {};
    });
    REQUIRE(reason(put) == "success");
}

} // namespace

TEST_CASE("the cost of reading a medium does not grow with the number of other media") {
    const CountedSteps counted;
    const tests::Scratch scratch;
    const auto store = open_store(scratch / "s.db");
    REQUIRE(store);
    REQUIRE((*store)->begin({.id = "c"}));
    const auto cost_of_one = [&] {
        (void)CountedSteps::take();
        const auto read = (*store)->load_device("c", "card 1");
        REQUIRE(read);
        CHECK(read->passes.at(0).cells.size() == 1);
        return CountedSteps::take();
    };
    put_media(**store, 0, 3);
    const int among_three = cost_of_one();
    CHECK(among_three > 100);
    put_media(**store, 3, test::is_sample() ? 1'000 : 10'000);
    CHECK(cost_of_one() == among_three);
}
