// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fakes/fake_media_backend.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <stdexcept>

namespace mediarig::agent {
using namespace std::chrono_literals;

media::Medium fake_medium(const std::string& node, Bytes size) {
    media::Medium medium;
    medium.node = node;
    medium.number = {7, 0};
    medium.transport = media::Transport::usb;
    medium.vendor = "Fake";
    medium.model = "Stick";
    medium.serial = "S-" + node;
    medium.size = size;
    medium.removable = true;
    return medium;
}

workload::JobSpec fake_sweep(std::size_t cells) {
    workload::SweepJob sweep;
    sweep.span = 1_MiB;
    for (std::size_t i = 0; i < cells; ++i) {
        workload::CellSpec cell;
        cell.id = "c" + std::to_string(i);
        cell.table = "standard";
        cell.access = workload::Access::sequential_write;
        cell.block = 4_KiB;
        cell.volume = 16_KiB;
        sweep.cells.push_back(cell);
    }
    workload::JobSpec job;
    job.suite = "fake";
    job.kind = sweep;
    return job;
}

namespace {

/// Stop flag of this thread's worker.
thread_local const std::atomic<bool>* stop_work = nullptr;

/// One worker's access to the media of the test.
class Forwarding final : public MediaBackend {
public:
    Forwarding(FakeMediaBackend& to, const std::atomic<bool>& stop) : to_(to) { stop_work = &stop; }
    ~Forwarding() override { stop_work = nullptr; }
    HelloReport describe() override { return to_.describe(); }
    Result<std::vector<media::Medium>> devices() override { return to_.devices(); }
    Result<media::Medium> identify(const std::string& target) override { return to_.identify(target); }
    Result<media::InspectReport> inspect(const std::string& target) override { return to_.inspect(target); }
    Result<media::SmartReport> smart(const std::string& target) override { return to_.smart(target); }
    Result<media::CardHealth> card_health(const std::string& target) override { return to_.card_health(target); }
    Result<std::vector<std::string>> lacks(const SupportParams& wanted) override { return to_.lacks(wanted); }
    Result<std::unique_ptr<ClaimedMedium>> claim(const media::ClaimRequest& request) override {
        return to_.claim(request);
    }
    Result<workload::JobOutcome> run(const workload::JobSpec& job, const workload::JobTarget& target,
                                     const std::vector<workload::PreviousCell>& done, workload::JobControl& control,
                                     workload::JobObserver& observer) override {
        return to_.run(job, target, done, control, observer);
    }
    Result<workload::ScanReport> scan(const ScanParams& wanted, workload::JobControl& control) override {
        return to_.scan(wanted, control);
    }

private:
    FakeMediaBackend& to_;
};

} // namespace

MakeBackend maker_of(FakeMediaBackend& backend) {
    return [&backend](const std::atomic<bool>& stop) -> std::unique_ptr<MediaBackend> {
        return std::make_unique<Forwarding>(backend, stop);
    };
}

class FakeMediaBackend::Claim final : public ClaimedMedium {
public:
    Claim(FakeMediaBackend& backend, media::Medium medium) : backend_(backend), medium_(std::move(medium)) {
        ++backend_.open_claims_;
    }
    ~Claim() override {
        if (mounted_) --backend_.open_mounts_;
        --backend_.open_claims_;
    }
    const media::Medium& medium() const override { return medium_; }
    Result<media::FormatReport> format(const media::FormatSpec& spec) override {
        if (auto went = backend_.step("format", medium_.node); !went) return fail(went.error());
        media::FormatReport report;
        report.fs = spec.fs;
        report.tool = "mkfs.fake";
        report.tool_version = "1";
        report.usable = medium_.size;
        return report;
    }
    Result<media::DiscardReport> discard() override {
        if (auto went = backend_.step("discard", medium_.node); !went) return fail(went.error());
        return media::DiscardReport{.taken = true, .length = medium_.size, .elapsed = 1ms, .zeros = media::mark_count};
    }
    Result<media::IdleReport> wait_idle() override {
        if (auto went = backend_.step("wait_idle", medium_.node); !went) return fail(went.error());
        return media::IdleReport{.counted = true, .silent = true, .waited = 1s, .written = 4_KiB};
    }
    Result<media::MountReport> mount(const media::VolumeRequest&) override {
        if (auto went = backend_.step("mount", medium_.node); !went) return fail(went.error());
        mounted_ = true;
        ++backend_.open_mounts_;
        media::MountReport report;
        report.mount_point = "/fake" + medium_.node;
        report.driver = "fake";
        report.total = report.free = medium_.size;
        return report;
    }
    Result<media::CheckReport> check(const media::VolumeRequest&) override {
        if (auto went = backend_.step("check", medium_.node); !went) return fail(went.error());
        return media::CheckReport{.tool = "fsck.fake", .tool_version = "1", .clean = true, .said = {"clean"}};
    }
    Result<workload::RestoreReport> restore(workload::RestoreMode mode, workload::JobControl&) override {
        const std::string action = "restore " + std::string(name_of(mode));
        if (auto went = backend_.step(action, medium_.node); !went) return fail(went.error());
        return workload::RestoreReport{.places = 3, .bytes = 12_KiB, .written = 12_KiB, .lost = 0, .first_lost = {}};
    }
    Result<workload::JobTarget> directory() override {
        return workload::JobTarget{workload::JobTarget::Kind::directory, "/fake" + medium_.node, -1, -1, medium_.node};
    }
    Result<workload::JobTarget> device() override {
        if (auto went = backend_.step("recheck", medium_.node); !went) return fail(went.error());
        return workload::JobTarget{workload::JobTarget::Kind::device, medium_.node, -1, -1, medium_.node};
    }
    Result<void> unmount() override {
        auto went = backend_.step("unmount", medium_.node);
        if (!went && !backend_.unmount_detaches) return went;
        mounted_ = false;
        --backend_.open_mounts_;
        return went;
    }
    bool is_mounted() const override { return mounted_; }
    Result<void> release() override { return backend_.step("release", medium_.node); }

private:
    FakeMediaBackend& backend_;
    media::Medium medium_;
    bool mounted_{false};
};

std::vector<std::string> FakeMediaBackend::log() const {
    const std::lock_guard lock(mutex_);
    return log_;
}

bool FakeMediaBackend::saw(const std::string& line) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 60s, [&] { return std::find(log_.begin(), log_.end(), line) != log_.end(); });
}

void FakeMediaBackend::release() {
    const std::lock_guard lock(mutex_);
    release_ = true;
    changed_.notify_all();
}

Result<void> FakeMediaBackend::step(const std::string& call, const std::string& about,
                                    const std::atomic<bool>* cancel) {
    std::unique_lock lock(mutex_);
    log_.push_back(about.empty() ? call : call + " " + about);
    changed_.notify_all();
    if (dies_in == call) ::raise(SIGKILL);
    if (throws_in == call) throw std::runtime_error("no more threads");
    if (held == call) {
        const auto stopped = [&] {
            return cancel != nullptr ? cancel->load() : stop_work != nullptr && stop_work->load();
        };
        // The flag cannot wake this thread, so the thread polls it, as the backend does for every real tool.
        while (!release_ && !stopped()) changed_.wait_for(lock, 1ms);
        if (!release_) return fail(Errc::cancelled, call + " was stopped");
    }
    if (const auto failure = failures.find(call); failure != failures.end()) return fail(failure->second);
    return {};
}

HelloReport FakeMediaBackend::describe() {
    (void)step("describe");
    HelloReport report;
    report.host_name = host_name;
    report.kernel = "Linux 0.0";
    report.cpu = "fake cpu";
    report.privileged = true;
    report.tools = {{"mkfs.fake", "1"}, {"mkapfs", std::nullopt}};
    return report;
}

Result<std::vector<media::Medium>> FakeMediaBackend::devices() {
    if (auto went = step("devices"); !went) return fail(went.error());
    std::vector<media::Medium> list;
    for (const auto& [target, medium] : media) list.push_back(medium);
    return list;
}

Result<media::Medium> FakeMediaBackend::identify(const std::string& target) {
    if (auto went = step("identify", target); !went) return fail(went.error());
    const auto known = media.find(target);
    if (known == media.end()) return fail(Errc::bad_request, target + ": no such file or device");
    return known->second;
}

Result<media::InspectReport> FakeMediaBackend::inspect(const std::string& target) {
    const auto medium = identify(target);
    if (!medium) return fail(medium.error());
    return media::InspectReport{.size = medium->size, .scheme = "none", .volumes = {}};
}

Result<media::SmartReport> FakeMediaBackend::smart(const std::string& target) {
    if (auto went = step("smart", target); !went) return fail(went.error());
    media::SmartReport report;
    report.state = media::SmartState::unsupported;
    report.detail = "a fake has none";
    return report;
}

Result<media::CardHealth> FakeMediaBackend::card_health(const std::string& target) {
    if (auto went = step("card_health", target); !went) return fail(went.error());
    media::CardHealth health;
    health.state = media::HealthState::unsupported;
    health.detail = "a fake has none";
    return health;
}

Result<std::vector<std::string>> FakeMediaBackend::lacks(const SupportParams& wanted) {
    if (auto went = step("support", std::string(media::name_of(wanted.fs))); !went) return fail(went.error());
    return lacking;
}

Result<std::unique_ptr<ClaimedMedium>> FakeMediaBackend::claim(const media::ClaimRequest& request) {
    const auto& [target, confirm, presence, contents, use, restores] = request;
    const std::string permitted = std::string(contents == media::Contents::may_be_unknown ? ", contents unknown" : "") +
                                  (use == media::Use::may_be_unknown ? ", use unknown" : "") +
                                  (restores ? ", restores" : "");
    if (auto went = step("claim", target + permitted); !went) return fail(went.error());
    const auto known = media.find(target);
    if (known == media.end()) return fail(Errc::bad_request, target + ": no such file or device");
    if (!presence.empty() && presence != media::presence_of(known->second))
        return fail(Errc::refused, target + ": not what was identified there before");
    if (confirm != media::confirmation_of(known->second))
        return fail(Errc::refused, target + ": the confirmation does not match");
    return std::make_unique<Claim>(*this, known->second);
}

Result<workload::ScanReport> FakeMediaBackend::scan(const ScanParams& wanted, workload::JobControl& control) {
    if (auto went = step("scan", wanted.target, &control.cancel); !went) return fail(went.error());
    const auto medium = media.find(wanted.target);
    if (medium == media.end()) return fail(Errc::bad_request, wanted.target + ": no such device");
    const Bytes size = medium->second.size;
    control.bytes_done = control.bytes_total = size.count;
    return workload::ScanReport{
        .size = size,
        .transfer = 1_MiB,
        .read = size,
        .elapsed = 2s,
        .whole = wanted.time_limit.count() == 0,
        .median = 30ms,
        .regions = {{.offset = 0_B, .length = size, .read = size, .elapsed = 2s, .worst = 90ms}},
        .places = {},
        .stopped = {}};
}

Result<workload::JobOutcome> FakeMediaBackend::run(const workload::JobSpec& job, const workload::JobTarget& target,
                                                   const std::vector<workload::PreviousCell>& done,
                                                   workload::JobControl& control, workload::JobObserver& observer) {
    const auto* sweep = job.as<workload::SweepJob>();
    const auto cells = sweep != nullptr ? sweep->cells : std::vector<workload::CellSpec>{};
    control.bytes_total = cells.size() * 16384;
    observer.on_phase("layout");
    for (const auto& finding : findings) observer.on_finding(finding);
    workload::JobOutcome outcome;
    if (auto went = step("run", target.path, &control.cancel); !went) return fail(went.error());
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (workload::holds(done, cells[i].id)) continue;
        if (control.cancel) return fail(Errc::cancelled, "run was stopped");
        observer.on_phase(cells[i].id);
        control.cell_index = static_cast<std::uint32_t>(i);
        workload::CellResult result;
        result.cell = cells[i];
        result.moved = cells[i].volume;
        result.operations = cells[i].volume / cells[i].block;
        result.elapsed = 1ms;
        for (std::size_t second = 0; second < series_length; ++second)
            result.series.push_back({1s, cells[i].volume, result.operations, 123'456'789ns});
        measure::HistogramRecorder latencies;
        for (std::uint64_t n = 0; n < std::min<std::uint64_t>(result.operations, 1000); ++n)
            latencies.record(250'000 + n);
        result.latency = latencies.histogram();
        if (job.keep_raw_log)
            for (std::uint32_t n = 0; n < raw_log_length; ++n)
                result.raw_log.push_back(n * 7919 + static_cast<std::uint32_t>(i));
        observer.on_cell(result);
        control.bytes_done += cells[i].volume.count;
        result.raw_log.clear();
        outcome.cells.push_back(std::move(result));
    }
    if (job.as<workload::VerifyJob>()) {
        workload::VerifyOutcome verify;
        verify.claimed = verify.written = verify.good = 64_MiB;
        outcome.verify = verify;
    }
    outcome.findings = findings;
    return outcome;
}

} // namespace mediarig::agent
