// SPDX-License-Identifier: GPL-3.0-or-later
/// A real guest in virtual time: the kernel, the agent, the card model and the drivers, without the program mediarig.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>

#include "host/lab/lab_rig.hpp"
#include "host/lab/virtual/virtual_time_machine.hpp"
#include "tests/catch.hpp"
#include "tests/lab/machine/booted.hpp"

namespace mediarig::lab {
namespace {

using std::chrono::nanoseconds;

constexpr SlotId slot{1};

/// A guest with one card. `kind`: of its slot.
class Guest {
public:
    explicit Guest(SlotKind kind = SlotKind::usb) : machine(make_virtual_time_machine(talk.io.get_executor())) {
        tests::write(folder / "card.json", R"({"claimed_bytes": "256MiB",
            "read": {"bytes_per_second": 90000000, "latency_ns": 100000},
            "write": {"bytes_per_second": 60000000, "latency_ns": 200000}})");
        MachineSpec spec{.image = *cached_virtual_image(), .slots = {{slot, kind}}};
        spec.media = folder.path("media");
        std::filesystem::create_directory(spec.media);
        talk.patience = std::chrono::minutes(10);
        report = talk.ask(machine->start(std::move(spec)));
        if (!report) return;
        agent.emplace(machine->agent_link());
        const rig::LabCard card{.kind = kind,
                                .medium = {.name = "LAB001",
                                           .config = folder.path("card.json"),
                                           .backing = folder.path("media") + "/slot-1.card"}};
        rig = std::make_unique<rig::LabRig>(*machine, *machine->own_cards(),
                                            std::map<SlotId, rig::LabCard>{{slot, card}});
    }
    ~Guest() {
        if (agent) (void)talk.ask(agent->close());
        (void)talk.ask(machine->stop());
    }

    template <class T>
    Result<T> ask(boost::asio::awaitable<Result<T>> call) {
        return talk.ask(std::move(call));
    }
    /// Loads the card and claims it.
    Result<agent::ClaimId> claim() {
        if (auto hello = ask(agent->hello("a test", std::chrono::minutes(5))); !hello) return fail(hello.error());
        auto loaded = ask(rig->load(slot, *agent));
        if (!loaded) return fail(loaded.error());
        medium = loaded->medium;
        auto claimed = ask(agent->claim({medium.node, media::confirmation_of(medium)}));
        if (!claimed) return fail(claimed.error());
        return claimed->claim;
    }
    /// Runs one cell on 16 MiB of the bare medium.
    Result<workload::CellResult> measure(agent::ClaimId claim, workload::Access access, Bytes block, Bytes volume) {
        workload::SweepJob sweep{
            .cells = {{.id = "cell", .table = "standard", .access = access, .block = block, .volume = volume}},
            .span = 16_MiB};
        std::optional<workload::CellResult> cell;
        agent::RunHandlers handlers;
        handlers.on_cell = [&](const workload::CellResult& result) { cell = result; };
        auto done = ask(agent->run(agent::RunTarget::raw(claim), {.suite = "quickbench", .quick = true, .kind = sweep},
                                   {}, std::move(handlers)));
        if (!done) return fail(done.error());
        if (!cell) return fail(Errc::bad_format, "no cell was reported");
        return std::move(*cell);
    }

    tests::Scratch folder;
    agent::ClientHarness talk;
    std::unique_ptr<VirtualMachine> machine;
    Result<MachineReport> report = fail(Errc::bad_request, "not started");
    std::optional<agent::AgentClient> agent;
    std::unique_ptr<rig::LabRig> rig;
    media::Medium medium;
};

/// Elapsed times of a read cell and a write cell.
std::pair<nanoseconds, nanoseconds> figures(Guest& guest, agent::ClaimId claim) {
    const auto read = guest.measure(claim, workload::Access::random_read, 4_KiB, 1_MiB);
    const auto write = guest.measure(claim, workload::Access::sequential_write, 256_KiB, 4_MiB);
    REQUIRE(reason(read) == "success");
    REQUIRE(reason(write) == "success");
    CHECK(read->operations == 256);
    CHECK(write->operations == 16);
    return {read->elapsed, write->elapsed};
}

#define NEEDS_VIRTUAL_IMAGE() \
    if (const auto image = cached_virtual_image(); !image) MEDIARIG_SKIP(image.error().detail)

} // namespace

TEST_CASE("real guest: direct requests take the time of the card model, and equal times in each boot") {
    NEEDS_VIRTUAL_IMAGE();
    std::optional<std::pair<nanoseconds, nanoseconds>> earlier;
    for (int boot = 0; boot < 2; ++boot) {
        Guest guest;
        REQUIRE(reason(guest.report) == "success");
        CHECK(guest.machine->runs_in_virtual_time());
        const auto claim = guest.claim();
        REQUIRE(reason(claim) == "success");
        CHECK(guest.medium.serial == "LAB001");
        CHECK(guest.medium.size == 256_MiB);
        const auto [read, write] = figures(guest, *claim);
        // 256 requests with 100 us and 4096 bytes at 90 MB/s; 16 with 200 us and 262144 bytes at 60 MB/s.
        const nanoseconds read_model{256 * (100'000 + 45'511)}, write_model{16 * (200'000 + 4'369'067)};
        CAPTURE(read.count(), write.count());
        CHECK(read >= read_model);
        CHECK(read - read_model <= nanoseconds(256 * 2000));
        CHECK(write >= write_model);
        CHECK(write - write_model <= std::max(write_model / 1000, nanoseconds(16 * 2000)));
        if (!earlier) earlier = {read, write};
        CHECK(*earlier == std::pair(read, write));
    }
}

TEST_CASE("real guest: a card is formatted, mounted, checked, unloaded and loaded again") {
    NEEDS_VIRTUAL_IMAGE();
    Guest guest(SlotKind::sd);
    REQUIRE(reason(guest.report) == "success");
    auto claim = guest.claim();
    REQUIRE(reason(claim) == "success");
    CHECK(guest.medium.transport == media::Transport::mmc);
    media::FormatSpec exfat;
    exfat.fs = media::FileSystem::exfat;
    REQUIRE(reason(guest.ask(guest.agent->format(*claim, exfat))) == "success");
    const auto mounted = guest.ask(guest.agent->mount(*claim, exfat.fs));
    REQUIRE(reason(mounted) == "success");
    CHECK(mounted->driver == "exfat");
    CHECK(reason(guest.ask(guest.agent->unmount(*claim))) == "success");
    const auto checked = guest.ask(guest.agent->check(*claim, exfat.fs));
    REQUIRE(reason(checked) == "success");
    CHECK(checked->clean);
    CHECK(reason(guest.ask(guest.agent->release(*claim))) == "success");
    const std::string key = media::device_key(guest.medium);
    CHECK(reason(guest.ask(guest.rig->unload(slot, rig::Sorting{}, *guest.agent))) == "success");
    const auto again = guest.ask(guest.rig->load(slot, *guest.agent));
    REQUIRE(reason(again) == "success");
    CHECK(media::device_key(again->medium) == key);
    CHECK(again->medium.file_system == "exfat");
}

TEST_CASE("real guest: a killed guest leaves no process and no file, and reports its signal") {
    NEEDS_VIRTUAL_IMAGE();
    std::string argument;
    {
        Guest guest;
        REQUIRE(reason(guest.report) == "success");
        argument = "hostfs=" + guest.folder.path("media");
        ::kill(static_cast<pid_t>(guest.report->process), SIGKILL);
        const auto hello = guest.ask(guest.agent->hello("a test", std::chrono::minutes(5)));
        CHECK_THAT(reason(hello), ContainsSubstring("signal 9"));
        CHECK(guest.machine->failure().has_value());
    }
    CHECK(comes_true([&] { return processes_with(argument).empty(); }));
}

} // namespace mediarig::lab
