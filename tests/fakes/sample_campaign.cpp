// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fakes/sample_campaign.hpp"

#include "tests/fakes/sample_media.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/workload/metrics/implausible.hpp"
#include "host/workload/metrics/metrics.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::fakes {
namespace {

using namespace std::chrono_literals;
using measure::FindingKind;
using measure::Severity;
using workload::Access;

constexpr Access all_accesses[] = {Access::sequential_read, Access::sequential_write, Access::random_read,
                                   Access::random_write};

/// A small generator of deterministic noise, equal on every platform.
class Noise {
public:
    explicit Noise(std::uint64_t seed) : state_(seed) {}
    /// Uniform in [-1, 1).
    double next() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<double>(state_ >> 11) / static_cast<double>(1ull << 52) - 1.0;
    }

private:
    std::uint64_t state_;
};

/// Rates of a card: rate(block) = peak * block / (block + knee), per access.
struct Character {
    std::string name, model, serial, slot;
    Bytes size;
    double peak[4];    ///< MB/s at large blocks: S.Read, S.Write, R.Read, R.Write
    double knee_kb[4]; ///< block size at half the peak
};

const Character& character(std::size_t index) {
    static const Character cards[] = {
        {.name = "fast",
         .model = "Swift 64",
         .serial = "SWIFT64000000117",
         .slot = "1",
         .size = Bytes{63'864'569'856},
         .peak = {92.4, 71.8, 90.1, 58.2},
         .knee_kb = {24, 60, 34, 190}},
        {.name = "slow",
         .model = "Steady 32",
         .serial = "STEADY3200000492",
         .slot = "2",
         .size = Bytes{31'914'983'424},
         .peak = {44.6, 21.3, 43.8, 12.4},
         .knee_kb = {12, 70, 20, 120}},
        {.name = "bargain",
         .model = "SDXC <64 GB>",
         .serial = "000000000001",
         .slot = "3",
         .size = Bytes{64'424'509'440},
         .peak = {19.8, 9.1, 19.2, 3.1},
         .knee_kb = {14, 90, 26, 400}},
    };
    return cards[index];
}

double rate_for(const Character& card, Access access, Bytes block, bool apfs, Noise& noise) {
    const auto row = static_cast<std::size_t>(access);
    const double kb = static_cast<double>(block.count) / 1024;
    const double format_factor = !apfs ? 1.0 : access == Access::random_write ? 0.62 : 0.965;
    return card.peak[row] * kb / (kb + card.knee_kb[row]) * format_factor * (1 + 0.018 * noise.next());
}

media::Medium identity_of(const Character& card, std::size_t index) {
    media::Medium medium;
    medium.node = fmt::format("/dev/sd{}", static_cast<char>('b' + index));
    medium.number = {8, static_cast<std::uint32_t>(16 * (index + 1))};
    medium.disk_sequence = 40 + index;
    medium.sysfs_path = fmt::format("/sys/devices/pci0000:00/0000:00:14.0/usb2/2-{0}/2-{0}:1.0", index + 1);
    medium.transport = media::Transport::usb;
    medium.vendor = index == 2 ? "Generic" : "Sample";
    medium.model = card.model;
    medium.revision = "1.00";
    medium.serial = card.serial;
    medium.size = card.size;
    medium.removable = true;
    medium.usb = media::UsbIdentity{.vendor_id = index == 2 ? "14cd" : "1209",
                                    .product_id = index == 2 ? "1212" : "0001",
                                    .release = "1.00",
                                    .manufacturer = medium.vendor,
                                    .product = card.model,
                                    .serial = card.serial,
                                    .speed_mbit = index == 2 ? 480.0 : 5000.0,
                                    .driver = index == 0 ? "uas" : "usb-storage",
                                    .port_path = fmt::format("2-{}", index + 1),
                                    .max_power_ma = 224};
    return medium;
}

media::FormatReport format_report(bool apfs, const Character& card) {
    const Bytes usable = align_down(card.size - 64_MiB, 1_MiB);
    if (apfs)
        return {.fs = media::FileSystem::apfs,
                .tool = "mkapfs",
                .tool_version = "0.2.0",
                .arguments = {"-L", "MEDIARIG"},
                .parameters = {{"block_size", "4096"}, {"case_sensitive", "no"}},
                .usable = usable,
                .elapsed = 412ms};
    return {.fs = media::FileSystem::exfat,
            .tool = "mkfs.exfat",
            .tool_version = "1.2.0",
            .arguments = {"-L", "MEDIARIG", "-c", "131072"},
            .parameters = {{"cluster_size", "131072"}, {"fat_offset", "1048576"}, {"cluster_heap_offset", "2097152"}},
            .usable = usable,
            .elapsed = 385ms};
}

media::MountReport mount_report(bool apfs, const Character& card) {
    media::MountReport report{.mount_point = "/run/mediarig/m0",
                              .driver = apfs ? "apfs" : "exfat",
                              .driver_version = apfs ? "linux-apfs-rw 0.3.22, experimental" : "6.1.0",
                              .options = "rw,nosuid,nodev,noexec,relatime",
                              .total = card.size - 64_MiB,
                              .free = card.size - 65_MiB,
                              .limits = {}};
    if (apfs)
        report.limits.push_back({.kind = FindingKind::driver_limit,
                                 .severity = Severity::note,
                                 .detail = "the Linux driver for APFS is experimental: its rates are its own"});
    return report;
}

/// Builds the passes of one device in the order in which they ran.
class DeviceMaker {
public:
    DeviceMaker(std::size_t index, store::TimePoint start)
        : index_(index), card_(character(index)), noise_(1000 + index), now_(start) {
        view_.device = {.key = fmt::format("usb-{}-{}", index == 2 ? "14cd-1212" : "1209-0001", card_.serial),
                        .name = card_.name,
                        .lot = "2026-41",
                        .label = fmt::format("card {}", index + 1),
                        .slot = card_.slot,
                        .identity = identity_of(card_, index),
                        .found = index == 0 ? card_as_sold(card_.size) : card_off_the_unit(card_.size)};
    }

    store::DeviceView make() {
        verify();
        for (std::uint32_t repeat = 1; repeat <= 2; ++repeat)
            for (const bool apfs : {false, true}) {
                format(repeat, apfs);
                quickbench(repeat, apfs);
                disktester(repeat, apfs);
                view_.checks.push_back({.tool = apfs ? "apfsck" : "fsck.exfat",
                                        .tool_version = apfs ? "0.2.0" : "1.2.0",
                                        .clean = true,
                                        .said = {"no problem found"}});
            }
        if (index_ == 1) view_.untested = {};
        view_.verdict = measure::judge(sample_limits(), measured_, faults_, view_.untested);
        view_.verdict->headlines = metrics::headlines_of(measured_);
        return std::move(view_);
    }

private:
    void format(std::uint32_t repeat, bool apfs) {
        const std::string name = apfs ? "apfs" : "exfat";
        view_.made.push_back({.step = fmt::format("m{}.r{}.{}.format", index_, repeat, name),
                              .device = view_.device.key,
                              .format = name,
                              .repeat = repeat,
                              .formatted = format_report(apfs, card_),
                              .seen = apfs ? bare_apfs(card_.size) : bare_exfat(card_.size)});
    }

    store::PassView& begin(const std::string& suite, const std::string& format, std::uint32_t repeat) {
        store::PassView view;
        view.pass = {.id = fmt::format("m{}.r{}.{}.{}", index_, repeat, format, suite),
                     .device = view_.device.key,
                     .format = format,
                     .repeat = repeat,
                     .position = static_cast<std::uint32_t>(view_.passes.size()),
                     .job = {},
                     .formatted = {},
                     .mounted = {},
                     .started = now_};
        view.pass.job.suite = suite;
        if (format != "raw") {
            view.pass.formatted = format_report(format == "apfs", card_);
            view.pass.mounted = mount_report(format == "apfs", card_);
        }
        view_.passes.push_back(std::move(view));
        return view_.passes.back();
    }

    void add(store::PassView& pass, const std::string& table, Access access, Bytes block, Bytes volume, double rate) {
        workload::CellResult cell = sample_cell(table, access, block, volume, rate);
        now_ += cell.elapsed;
        if (auto* sweep = pass.pass.job.as<workload::SweepJob>()) sweep->cells.push_back(cell.cell);
        pass.cells.push_back(std::move(cell));
    }

    void finish(store::PassView& pass, std::optional<workload::VerifyOutcome> outcome = std::nullopt) {
        now_ += 2s;
        pass.end = store::PassEnd{.ended = now_, .verify = std::move(outcome)};
        metrics::merge(measured_, metrics::metrics_of(pass.pass.job.suite, pass.pass.format, pass.cells));
        std::ranges::move(metrics::implausible(pass.pass.job, pass.cells, {}), std::back_inserter(pass.findings));
        for (measure::Finding& finding : pass.findings) finding.pass = pass.pass.id;
    }

    void quickbench(std::uint32_t repeat, bool apfs) {
        store::PassView& pass = begin("quickbench", apfs ? "apfs" : "exfat", repeat);
        pass.pass.job.kind = workload::SweepJob{.cells = {}, .span = 256_MiB};
        for (const std::string table : {"standard", "large", "extended"})
            for (const Access access : all_accesses) {
                if (table != "standard" && workload::random(access)) continue;
                for (const Bytes block : suites::blocks_of(*suites::find_table(table)))
                    add(pass, table, access, block, align_up(32_MiB, block), rate(access, block, apfs));
            }
        // One disturbed cell, as on a card that collects garbage during a pass.
        if (index_ == 1 && !apfs && repeat == 2)
            for (workload::CellResult& cell : pass.cells)
                if (cell.cell.id == "standard.seq_write.131072")
                    cell = sample_cell("standard", Access::sequential_write, 128_KiB, 32_MiB, 4.1);
        finish(pass);
    }

    void disktester(std::uint32_t repeat, bool apfs) {
        store::PassView& pass = begin("disktester", apfs ? "apfs" : "exfat", repeat);
        pass.pass.job.kind = workload::SweepJob{.cells = {}, .span = 512_MiB};
        for (const Bytes block : {256_KiB, 1024_KiB})
            for (const Access access : {Access::sequential_write, Access::sequential_read})
                add(pass, "sequential", access, block, 512_MiB, rate(access, block, apfs));
        for (const Access access : {Access::random_write, Access::random_read})
            add(pass, "iops", access, 8_KiB, 256_MiB, rate(access, 8_KiB, apfs));
        finish(pass);
    }

    void verify() {
        store::PassView& pass = begin("verify", "raw", 1);
        pass.pass.job.kind = workload::VerifyJob{};
        for (const Access access : {Access::sequential_write, Access::sequential_read})
            add(pass, "verify", access, 1024_KiB, align_down(card_.size, 1_MiB), rate(access, 1024_KiB, false));
        const Bytes span = align_down(card_.size, 1_MiB);
        workload::VerifyOutcome outcome{.claimed = card_.size,
                                        .written = span,
                                        .good = span,
                                        .damaged = {},
                                        .damaged_bytes = {},
                                        .true_capacity = {}};
        if (index_ == 2) {
            const Bytes real{8'053'063'680};
            outcome.good = real;
            outcome.damaged = {{.offset = Bytes{},
                                .length = span - real,
                                .kind = workload::DamageKind::misplaced,
                                .belongs_at = real}};
            outcome.damaged_bytes = span - real;
            outcome.true_capacity = real;
            const measure::Finding missing{
                .kind = FindingKind::capacity_missing,
                .severity = Severity::fault,
                .detail =
                    "claims 64.4 GB and holds 8.1 GB: what is written beyond overwrites the beginning; it is "
                    "counterfeit, do not use it",
                .offset = real,
                .length = span - real};
            faults_.push_back(missing);
            pass.findings.push_back(missing);
            pass.findings.back().cell = "verify.read";
        }
        finish(pass, std::move(outcome));
    }

    double rate(Access access, Bytes block, bool apfs) { return rate_for(card_, access, block, apfs, noise_); }

    std::size_t index_;
    const Character& card_;
    Noise noise_;
    store::TimePoint now_;
    store::DeviceView view_;
    std::vector<measure::MetricValues> measured_;
    measure::Findings faults_;
};

} // namespace

std::vector<measure::Limit> sample_limits() {
    return {
        {.suite = "quickbench", .metric = "seq_read.1024KB.mb_per_s", .format = "", .min = 15.0, .max = {}},
        {.suite = "quickbench", .metric = "seq_write.1024KB.mb_per_s", .format = "", .min = 8.0, .max = {}},
        {.suite = "quickbench", .metric = "random_write.64KB.mb_per_s", .format = "apfs", .min = 2.65, .max = {}},
        {.suite = "disktester", .metric = "iops.random_read.p99_us", .format = "exfat", .min = {}, .max = 20000.0},
    };
}

workload::CellResult sample_cell(const std::string& table, Access access, Bytes block, Bytes volume,
                                 double megabytes_per_second) {
    workload::CellResult result;
    const std::string id = table == "verify" ? fmt::format("verify.{}", workload::writes(access) ? "write" : "read")
                                             : fmt::format("{}.{}.{}", table, workload::name_of(access), block.count);
    result.cell = {.id = id, .table = table, .access = access, .block = block, .volume = volume, .time_limit = {}};
    result.moved = volume;
    result.operations = volume / block;
    result.elapsed =
        std::chrono::nanoseconds(std::llround(static_cast<double>(volume.count) * 1e3 / megabytes_per_second));

    // A narrow distribution, and one operation in 80 that waits for the card.
    const double typical = static_cast<double>(result.elapsed.count()) / static_cast<double>(result.operations);
    Noise noise(block.count ^ static_cast<std::uint64_t>(access));
    measure::HistogramRecorder latencies;
    for (std::uint64_t i = 0; i < result.operations; ++i) {
        const double factor = i % 80 == 79 ? 6.0 + 4.0 * noise.next() : 0.93 + 0.12 * noise.next();
        latencies.record(static_cast<std::uint64_t>(std::max(1.0, typical * factor)));
    }
    result.latency = latencies.histogram();

    // Amount done by each second minus the amount already reported, so that rounding errors do not accumulate.
    std::chrono::nanoseconds now{};
    Bytes told;
    while (now < result.elapsed) {
        const auto length = std::min<std::chrono::nanoseconds>(result.elapsed - now, 1s);
        now += length;
        const double share = std::chrono::duration<double>(now) / std::chrono::duration<double>(result.elapsed);
        const double wobble = now < result.elapsed ? 0.04 * noise.next() * 1e9 / typical : 0;
        const double done = std::clamp(share * static_cast<double>(result.operations) + wobble,
                                       static_cast<double>(told / block), static_cast<double>(result.operations));
        const Bytes moved = block * static_cast<std::uint64_t>(done) - told;
        told += moved;
        result.series.push_back({.length = length,
                                 .moved = moved,
                                 .operations = moved / block,
                                 .worst = std::chrono::nanoseconds(std::llround(typical * 10))});
    }

    result.evidence = {.used = workload::CachePolicy::direct,
                       .sync = workload::SyncLevel::at_end,
                       .engine = workload::Engine::psync,
                       .page_cache_dropped = true,
                       .write_cache_flushed = workload::writes(access),
                       .sync_calls = workload::writes(access) ? 1u : 0u,
                       .alignment = 4_KiB,
                       .device_read = workload::writes(access) ? Bytes{} : volume + 64_KiB,
                       .device_written = workload::writes(access) ? volume + 128_KiB : Bytes{}};
    return result;
}

store::CampaignView sample_campaign() {
    // 2026-11-20 21:04:05 UTC.
    const store::TimePoint start{1'795'208'645s};
    store::CampaignView view;
    view.campaign = {.id = "01997f3a-5c10-7b1e-9d7a-3f2b8c6d5e4f",
                     .name = "lot 2026-41 incoming",
                     .plan = R"({"name":"lot 2026-41 incoming","repeats":2})",
                     .origin = {.mediarig_version = "0.1.0",
                                .host_name = "bench-1",
                                .kernel = "Linux 6.1.0-40-amd64",
                                .cpu = "AMD Ryzen 7 5700G",
                                .agent = "sudo",
                                .resume_with = "mediarig run lot.json --resume"},
                     .started = start,
                     .ended = {},
                     .state = store::CampaignState::finished};
    store::TimePoint now = start;
    for (std::size_t index = 0; index < 3; ++index) {
        view.devices.push_back(DeviceMaker(index, now).make());
        now = view.devices.back().passes.back().end->ended + 5s;
    }
    view.campaign.ended = now;
    return view;
}

} // namespace mediarig::fakes
