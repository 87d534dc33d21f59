// SPDX-License-Identifier: GPL-3.0-or-later
// A check that keeps the data, on an image file with the real agent: finished, cancelled and killed.
#include <signal.h>
#include <stdlib.h>

#include <algorithm>
#include <fstream>

#include "common/split_mix.hpp"
#include "host/agent/client/agent_client.hpp"
#include "host/agent/client/process/process_link.hpp"
#include "tests/agent/client_harness.hpp"
#include "tests/agent/scratch_image.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::agent;

namespace {

constexpr std::uint64_t image_size = std::uint64_t{96} << 20;

/// An image with incompressible content, and a folder for undo files that the agent of this test uses.
struct CheckedImage {
    ScratchImage image{image_size};
    tests::Scratch undo{"/var/tmp"};

    CheckedImage() {
        std::ofstream out(image.path(), std::ios::binary);
        SplitMix noise(5);
        std::vector<std::uint64_t> block(std::size_t{1} << 17);
        for (std::uint64_t at = 0; at < image_size; at += block.size() * sizeof(block[0])) {
            std::ranges::generate(block, [&] { return noise.next(); });
            out.write(reinterpret_cast<const char*>(block.data()),
                      static_cast<std::streamsize>(block.size() * sizeof(block[0])));
        }
        out.close();
        REQUIRE(out);
        ::setenv("MEDIARIG_UNDO_DIR", (undo / "files").c_str(), 1);
    }
    ~CheckedImage() { ::unsetenv("MEDIARIG_UNDO_DIR"); }
    CheckedImage(const CheckedImage&) = delete;
    CheckedImage& operator=(const CheckedImage&) = delete;

    [[nodiscard]] std::string content() const { return tests::text_of(image.path()); }
    [[nodiscard]] std::vector<std::filesystem::path> undo_files() const {
        std::vector<std::filesystem::path> files;
        std::error_code missing;
        for (const auto& entry : std::filesystem::directory_iterator(undo / "files", missing))
            if (entry.path().extension() == ".undo") files.push_back(entry.path());
        return files;
    }
};

struct CheckingAgent {
    ClientHarness talk;
    AgentClient client{make_process_link(talk.io.get_executor(), local_agent(MEDIARIG_AGENT))};

    /// Returns the reason why this machine cannot run the test, else an empty text.
    std::string greet() {
        const auto hello = talk.ask(client.hello("interrupted_check_test"));
        REQUIRE(reason(hello) == "success");
        if (!hello->privileged) return "needs root and CAP_SYS_ADMIN for loop devices";
        return std::filesystem::exists("/dev/loop-control") ? "" : "the kernel has no loop devices";
    }
    Result<Claimed> claim(const CheckedImage& checked, bool restores = false) {
        media::ClaimRequest request{.target = checked.image.path(), .confirm = checked.image.path(), .presence = {}};
        request.restores = restores;
        return talk.ask(client.claim(request));
    }
};

workload::JobSpec check_job(Bytes assumed_cache) {
    workload::JobSpec job;
    job.suite = "check";
    job.kind = workload::ProbeJob{.assumed_cache = assumed_cache, .keeps_data = true};
    return job;
}

std::vector<media::RefusalKind> kinds_of(const media::Medium& medium) {
    std::vector<media::RefusalKind> kinds;
    for (const media::Refusal& refusal : medium.refusals) kinds.push_back(refusal.kind);
    return kinds;
}

/// Kills an agent during a check. Returns false if the check was faster.
bool kill_during_check(const CheckedImage& checked) {
    CheckingAgent agent;
    REQUIRE(agent.greet().empty());
    const auto claimed = agent.claim(checked);
    REQUIRE(reason(claimed) == "success");
    pid_t pid = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        std::ifstream status(entry.path() / "status");
        bool ours = false;
        for (std::string line; std::getline(status, line);)
            ours = ours || line == "PPid:\t" + std::to_string(::getpid());
        std::error_code gone;
        if (ours && std::filesystem::read_symlink(entry.path() / "exe", gone) == MEDIARIG_AGENT) pid = std::stoi(name);
    }
    REQUIRE(pid > 0);
    std::jthread killer([&](const std::stop_token& stop) {
        while (!stop.stop_requested() && checked.undo_files().empty())
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ::kill(pid, SIGKILL);
    });
    const auto report =
        agent.talk.ask(agent.client.run(RunTarget::raw(claimed->claim), check_job(Bytes{image_size / 2}), {}, {}));
    killer.request_stop();
    killer.join();
    (void)agent.talk.ask(agent.client.close());
    return !report && !checked.undo_files().empty();
}

} // namespace

TEST_CASE("a check leaves an image as it was, and no undo file") {
    const CheckedImage checked;
    CheckingAgent agent;
    if (const std::string why = agent.greet(); !why.empty()) MEDIARIG_SKIP(why);
    const std::string before = checked.content();
    const auto claimed = agent.claim(checked);
    REQUIRE(reason(claimed) == "success");
    const auto report = agent.talk.ask(agent.client.run(RunTarget::raw(claimed->claim), check_job(16_MiB), {}, {}));
    REQUIRE(reason(report) == "success");
    REQUIRE(report->verify);
    CHECK_FALSE(report->verify->fake);
    REQUIRE(report->verify->restored);
    CHECK(report->verify->restored->lost == 0);
    CHECK(report->verify->restored->bytes > 16_MiB);
    CHECK(report->verify->places.size() > 128);
    CHECK(checked.undo_files().empty());
    const auto nothing = agent.talk.ask(agent.client.restore(claimed->claim, workload::RestoreMode::unchanged));
    CHECK(reason(nothing) == checked.image.path() + " has no interrupted check: nothing is to be restored");
    CHECK(reason(agent.talk.ask(agent.client.release(claimed->claim))) == "success");
    CHECK(checked.content() == before);
}

TEST_CASE("a cancelled check restores the image before it ends") {
    const CheckedImage checked;
    CheckingAgent agent;
    if (const std::string why = agent.greet(); !why.empty()) MEDIARIG_SKIP(why);
    const std::string before = checked.content();
    const auto claimed = agent.claim(checked);
    REQUIRE(reason(claimed) == "success");
    RunHandlers handlers;
    std::shared_ptr<std::optional<Result<bool>>> cancelled;
    handlers.on_progress = [&](const RunProgress& progress) {
        if (progress.done > 0_B && !cancelled) cancelled = agent.talk.begin(agent.client.cancel());
    };
    const auto report = agent.talk.ask(
        agent.client.run(RunTarget::raw(claimed->claim), check_job(Bytes{image_size / 2}), {}, std::move(handlers)));
    if (cancelled) (void)agent.talk.finish(cancelled);
    if (cancelled && !report) CHECK(report.error().code == Errc::cancelled);
    CHECK(checked.undo_files().empty());
    CHECK(reason(agent.talk.ask(agent.client.release(claimed->claim))) == "success");
    CHECK(checked.content() == before);
}

TEST_CASE("after a killed check the image is refused until it is restored, bit for bit") {
    const CheckedImage checked;
    {
        CheckingAgent probe;
        if (const std::string why = probe.greet(); !why.empty()) MEDIARIG_SKIP(why);
    }
    const std::string before = checked.content();
    constexpr int most_attempts = 10;
    int attempts = 0;
    while (attempts < most_attempts && !kill_during_check(checked)) ++attempts;
    if (attempts == most_attempts) MEDIARIG_SKIP("each check was finished before it could be killed");
    REQUIRE(checked.undo_files().size() == 1);
    REQUIRE(comes_true([&] { return !checked.image.attached(); }));

    CheckingAgent agent;
    REQUIRE(agent.greet().empty());
    const auto identified = agent.talk.ask(agent.client.identify(checked.image.path()));
    REQUIRE(reason(identified) == "success");
    CHECK(kinds_of(*identified) == std::vector{media::RefusalKind::interrupted_check});
    const auto refused = agent.claim(checked);
    CHECK(reason(refused) == "an interrupted check left test data on " + checked.image.path() +
                                 ": restore its content with 'mediarig check " + checked.image.path() +
                                 " --restore --confirm " + checked.image.path() +
                                 "', or keep the present content with --forget");
    CHECK(refused.error().code == Errc::refused);

    const auto claimed = agent.claim(checked, true);
    REQUIRE(reason(claimed) == "success");
    CHECK(agent.talk.ask(agent.client.discard(claimed->claim)).error().code == Errc::refused);
    const auto raw = agent.talk.ask(agent.client.run(RunTarget::raw(claimed->claim), check_job(4_MiB), {}, {}));
    CHECK(raw.error().code == Errc::refused);
    const auto restored = agent.talk.ask(agent.client.restore(claimed->claim, workload::RestoreMode::unchanged));
    REQUIRE(reason(restored) == "success");
    CHECK(restored->lost == 0);
    CHECK(checked.undo_files().empty());
    CHECK(reason(agent.talk.ask(agent.client.release(claimed->claim))) == "success");
    CHECK(checked.content() == before);
    CHECK(kinds_of(*agent.talk.ask(agent.client.identify(checked.image.path()))).empty());
}

TEST_CASE("an interrupted check can be forgotten: the image keeps its present content") {
    const CheckedImage checked;
    {
        CheckingAgent probe;
        if (const std::string why = probe.greet(); !why.empty()) MEDIARIG_SKIP(why);
    }
    constexpr int most_attempts = 10;
    int attempts = 0;
    while (attempts < most_attempts && !kill_during_check(checked)) ++attempts;
    if (attempts == most_attempts) MEDIARIG_SKIP("each check was finished before it could be killed");
    REQUIRE(comes_true([&] { return !checked.image.attached(); }));
    const std::string present = checked.content();
    CheckingAgent agent;
    REQUIRE(agent.greet().empty());
    const auto claimed = agent.claim(checked, true);
    REQUIRE(reason(claimed) == "success");
    CHECK(reason(agent.talk.ask(agent.client.restore(claimed->claim, workload::RestoreMode::none))) == "success");
    CHECK(checked.undo_files().empty());
    CHECK(reason(agent.talk.ask(agent.client.release(claimed->claim))) == "success");
    CHECK(checked.content() == present);
}
