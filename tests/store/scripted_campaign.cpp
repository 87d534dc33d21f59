// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/store/scripted_campaign.hpp"

#include <cmath>
#include <random>

#include "host/base/json/json_text.hpp"
#include "host/rig/port/detachment_json.hpp"
#include "host/store/record_json.hpp"
#include "host/workload/json.hpp"
#include "tests/json.hpp"

namespace mediarig::store {
namespace {

using nlohmann::json;

TimePoint at_second(int second) {
    return TimePoint(std::chrono::nanoseconds(1'732'000'000'123'456'789) + std::chrono::seconds(second));
}

DeviceRecord stick() {
    DeviceRecord device{.key = first_device, .name = "fast", .lot = "L-17", .label = "no. 3", .slot = "5"};
    media::Medium& medium = device.identity;
    medium.node = "/dev/sdx";
    medium.number = {8, 368};
    medium.disk_sequence = 77;
    medium.sysfs_path = "/sys/devices/pci0000:00/usb1/1-2";
    medium.transport = media::Transport::usb;
    medium.vendor = "SanDisk";
    medium.model = "Ultra";
    medium.serial = "4C530001230715117180";
    medium.size = 64_GiB;
    medium.removable = true;
    medium.usb = media::UsbIdentity{.vendor_id = "0781",
                                    .product_id = "5581",
                                    .release = "1.00",
                                    .manufacturer = "SanDisk",
                                    .product = "Ultra",
                                    .serial = "4C530001230715117180",
                                    .speed_mbit = 5000,
                                    .driver = "uas",
                                    .port_path = "1-2",
                                    .max_power_ma = 896};
    device.found =
        media::InspectReport{.size = 64_GiB,
                             .scheme = "mbr",
                             .volumes = {{1_MiB, 63_GiB, "exfat", "CARD", {{"cluster_size", "131072"}}, ""}}};
    return device;
}

DeviceRecord image() {
    DeviceRecord device{.key = second_device, .name = "slow"};
    device.identity.node = "/srv/images/slow.img";
    device.identity.transport = media::Transport::image;
    device.identity.size = 1_GiB;
    return device;
}

workload::JobSpec sweep() {
    workload::JobSpec job;
    job.suite = "quickbench";
    job.kind = workload::SweepJob{.cells = {scripted_cell("standard.seq_write.4096", 0, 1).cell,
                                            scripted_cell("standard.seq_read.4096", 0, 1).cell},
                                  .span = 64_MiB};
    job.keep_raw_log = true;
    return job;
}

media::FormatReport formatted() {
    return {.fs = media::FileSystem::exfat,
            .tool = "mkfs.exfat",
            .tool_version = "1.2.0",
            .arguments = {"-c", "128K"},
            .parameters = {{"cluster_size", "131072"}, {"fat_offset", "16777216"}},
            .usable = 63_GiB,
            .elapsed = std::chrono::milliseconds(150)};
}

FormatRecord made(std::uint32_t repeat, const std::string& label) {
    return {.step = "m0.r" + std::to_string(repeat) + ".exfat.format",
            .device = first_device,
            .format = "exfat",
            .repeat = repeat,
            .formatted = formatted(),
            .seen = media::InspectReport{.size = 64_GiB,
                                         .scheme = "none",
                                         .volumes = {{.start = 0_B,
                                                      .length = 64_GiB,
                                                      .file_system = "exfat",
                                                      .label = label,
                                                      .parameters = {{"cluster_size", "131072"}},
                                                      .problem = "",
                                                      .usable = 63_GiB}}}};
}

/// A format that has no pass and could not be inspected.
FormatRecord bare_apfs() {
    return {.step = "m0.r1.apfs.format",
            .device = first_device,
            .format = "apfs",
            .repeat = 1,
            .formatted = {.fs = media::FileSystem::apfs, .tool = "mkapfs", .tool_version = "0.2.0", .usable = 62_GiB},
            .seen = std::nullopt};
}

PassRecord sweep_pass(const std::string& id, const std::string& device, std::uint32_t position) {
    PassRecord pass{.id = id, .device = device, .format = "exfat", .repeat = 1, .position = position, .job = sweep()};
    pass.discarded = media::DiscardReport{
        .taken = true, .length = 64_GiB, .elapsed = std::chrono::seconds(1), .zeros = 7, .kept = 1};
    pass.condition = Condition{.filled = Fill{.length = 1_GiB, .elapsed = std::chrono::seconds(30)},
                               .rested = Rest{.waited = std::chrono::milliseconds(2500),
                                              .until = RestUntil::temperature,
                                              .reference = 31.5,
                                              .value = 32,
                                              .reached = true},
                               .idle = media::IdleReport{.counted = true, .silent = true, .written = 4_KiB}};
    pass.formatted = formatted();
    pass.mounted = media::MountReport{.mount_point = "/run/mediarig/m0",
                                      .driver = "exfat",
                                      .driver_version = "6.1",
                                      .options = "rw,nosuid",
                                      .total = 63_GiB,
                                      .free = 62_GiB,
                                      .limits = {}};
    pass.started = at_second(20 + static_cast<int>(position));
    return pass;
}

PassRecord verify_pass(const std::string& id, const std::string& device) {
    PassRecord pass{.id = id, .device = device, .format = "raw", .repeat = 1, .position = 0};
    pass.job.suite = "verify";
    pass.job.kind = workload::VerifyJob{.span = 1_GiB};
    pass.started = at_second(5);
    return pass;
}

PassEnd verify_end() {
    PassEnd end{.ended = at_second(18), .verify = workload::VerifyOutcome{}};
    end.verify->claimed = 1_GiB;
    end.verify->written = 1_GiB;
    end.verify->good = 1_GiB - 4_KiB;
    end.verify->damaged = {{512_MiB, 4_KiB, workload::DamageKind::misplaced, 1_MiB}};
    end.verify->damaged_bytes = 4_KiB;
    end.verify->true_capacity = 512_MiB;
    return end;
}

measure::Finding finding(measure::FindingKind kind, measure::Severity severity, const std::string& detail) {
    measure::Finding result;
    result.kind = kind;
    result.severity = severity;
    result.detail = detail;
    result.offset = 512_MiB;
    result.length = 4_KiB;
    result.count = 3;
    return result;
}

media::CheckReport check(bool clean) {
    return {.tool = "fsck.exfat", .tool_version = "1.2.0", .clean = clean, .said = {"line one", "line \"two\""}};
}

measure::Verdict verdict(measure::Grade grade) {
    measure::Verdict result;
    result.grade = grade;
    measure::LimitResult limit;
    limit.limit = {
        .suite = "quickbench", .metric = "seq_write.4KB.mb_per_s", .format = "exfat", .min = 10.5, .max = {}};
    limit.format = "exfat";
    limit.values = {11.25, 12.125, 0.1};
    limit.figure = 7.825;
    limit.uncertainty = 1.0 / 3.0;
    limit.grade = grade;
    limit.reason = "near the limit";
    result.limits = {limit};
    result.reasons = {"one reason", "another"};
    return result;
}

} // namespace

workload::CellResult scripted_cell(const std::string& id, std::size_t samples, std::uint64_t seed) {
    workload::CellResult cell;
    cell.cell = {.id = id,
                 .table = "standard",
                 .access = workload::Access::sequential_write,
                 .block = 4_KiB,
                 .volume = 16_MiB,
                 .time_limit = std::chrono::seconds(10),
                 .queue_depth = 1};
    cell.moved = 16_MiB;
    cell.operations = 4096;
    cell.elapsed = std::chrono::nanoseconds(1'234'567'890);
    cell.sync_time = std::chrono::milliseconds(40);
    cell.prepare_time = std::chrono::milliseconds(7);
    std::mt19937_64 random(seed);
    measure::HistogramRecorder latencies;
    for (std::size_t i = 0; i < std::max<std::size_t>(samples, 300); ++i) {
        const auto latency = static_cast<std::uint32_t>(100'000 + random() % 3'000'000);
        latencies.record(latency);
        if (i < samples) cell.raw_log.push_back(latency);
    }
    cell.latency = latencies.histogram();
    cell.series = {{std::chrono::seconds(1), 13_MiB, 3328, std::chrono::milliseconds(9)},
                   {std::chrono::milliseconds(234), 3_MiB, 768, std::chrono::milliseconds(4)}};
    cell.evidence.used = workload::CachePolicy::direct;
    cell.evidence.page_cache_dropped = true;
    cell.evidence.sync_calls = 1;
    cell.evidence.alignment = 4_KiB;
    cell.evidence.device_written = 17_MiB;
    cell.findings = {finding(measure::FindingKind::rate_unstable, measure::Severity::warning, "dropped after 13 MiB")};
    cell.end = workload::CellEnd::volume;
    return cell;
}

std::vector<Call> scripted_campaign(const std::string& id) {
    std::vector<Call> calls;
    const auto add = [&](const std::string& what, std::function<Result<void>(Store&)> make) {
        calls.push_back({what, std::move(make)});
    };
    const auto step = [&](const std::string& key, StepState state, const std::string& detail, int second) {
        add("journal " + key, [=](Store& store) {
            return store.journal(id, {.key = key, .state = state, .detail = detail, .at = at_second(second)});
        });
    };
    const auto put_cell = [&](const std::string& pass, const std::string& cell, std::size_t samples,
                              std::uint64_t seed) {
        add("cell " + cell, [=](Store& store) { return store.put_cell(id, pass, scripted_cell(cell, samples, seed)); });
    };

    add("begin", [=](Store& store) {
        return store.begin(
            {.id = id,
             .name = "lot 17",
             .plan = R"({"media":[{"name":"fast"},{"name":"slow"}],"name":"lot 17"})",
             .origin = {"0.1.0", "bench-1", "6.1.0-27-amd64", "Ryzen 5", "sudo", "mediarig run lot.json --resume"},
             .started = at_second(0),
             .ended = std::nullopt,
             .state = CampaignState::running});
    });
    step("m0.identify", StepState::started, "", 1);
    add("device 1", [=](Store& store) { return store.put(id, stick()); });
    step("m0.identify", StepState::done, "", 2);
    add("finding on device 1", [=](Store& store) {
        return store.add(id, first_device,
                         finding(measure::FindingKind::identity_changed, measure::Severity::note, "was 32 GB"));
    });
    add("device 2", [=](Store& store) { return store.put(id, image()); });
    step("m1.r1.raw.verify.run", StepState::started, "", 3);
    add("pass v", [=](Store& store) { return store.put(id, verify_pass("m1.r1.raw.verify", second_device)); });
    put_cell("m1.r1.raw.verify", "verify.write", 0, 11);
    put_cell("m1.r1.raw.verify", "verify.read", 0, 12);
    add("finding in pass v", [=](Store& store) {
        measure::Finding missing =
            finding(measure::FindingKind::capacity_missing, measure::Severity::fault, "wraps at 512 MiB");
        missing.pass = "m1.r1.raw.verify";
        missing.cell = "verify.read";
        return store.add(id, second_device, missing);
    });
    add("end v", [=](Store& store) { return store.put_end(id, "m1.r1.raw.verify", verify_end()); });
    step("m1.r1.raw.verify.run", StepState::done, "", 19);
    add("format q", [=](Store& store) { return store.put(id, made(1, "FIRST")); });
    step("m0.r1.exfat.quickbench.run", StepState::started, "", 20);
    add("pass q", [=](Store& store) { return store.put(id, sweep_pass("m0.r1.exfat.quickbench", first_device, 0)); });
    put_cell("m0.r1.exfat.quickbench", "standard.seq_write.4096", 20'000, 21);
    add("untested 1", [=](Store& store) {
        return store.add(id, first_device, measure::Untested{"apfs", "no driver"});
    });
    step("m0.r1.exfat.quickbench.run", StepState::failed, "the medium is gone", 30);
    add("interrupted", [=](Store& store) { return store.end(id, CampaignState::interrupted, at_second(31)); });

    add("device 1 again", [=](Store& store) { return store.put(id, stick()); });
    add("format q again", [=](Store& store) { return store.put(id, made(1, "MEDIARIG")); });
    step("m0.r1.exfat.quickbench.run", StepState::started, "", 40);
    add("pass q again",
        [=](Store& store) { return store.put(id, sweep_pass("m0.r1.exfat.quickbench", first_device, 0)); });
    put_cell("m0.r1.exfat.quickbench", "standard.seq_write.4096", 9'000, 22);
    put_cell("m0.r1.exfat.quickbench", "standard.seq_read.4096", 8'192, 23);
    add("end q", [=](Store& store) {
        return store.put_end(id, "m0.r1.exfat.quickbench", {.ended = at_second(50), .verify = std::nullopt});
    });
    step("m0.r1.exfat.quickbench.run", StepState::done, "", 51);
    add("check", [=](Store& store) { return store.add(id, first_device, check(true)); });
    add("check again", [=](Store& store) { return store.add(id, first_device, check(false)); });
    add("detachment", [=](Store& store) {
        return store.add(id, first_device,
                         rig::Detachment(rig::DetachLevel::supply_cut,
                                         {.vanished = true,
                                          .supply = rig::SupplyReading{.lowest_millivolts = 12,
                                                                       .fall = std::chrono::microseconds(143'000),
                                                                       .ramp = std::nullopt},
                                          .plug_watts = {}},
                                         "mediarig-rig 0.1.0"));
    });
    add("format without a pass", [=](Store& store) { return store.put(id, bare_apfs()); });
    add("format r", [=](Store& store) { return store.put(id, made(2, "MEDIARIG")); });
    add("pass r", [=](Store& store) { return store.put(id, sweep_pass("m0.r2.exfat.quickbench", first_device, 1)); });
    add("untested 2", [=](Store& store) {
        return store.add(id, first_device, measure::Untested{"hfs+j", "no driver"});
    });
    add("verdict 1", [=](Store& store) { return store.add(id, first_device, verdict(measure::Grade::marginal)); });
    add("verdict 2", [=](Store& store) { return store.add(id, second_device, verdict(measure::Grade::fake)); });
    add("end", [=](Store& store) { return store.end(id, CampaignState::finished, at_second(60)); });
    return calls;
}

namespace {

json device_json(const DeviceView& view) {
    json passes = json::array();
    for (const PassView& pass : view.passes) {
        json cells = json::array(), findings = json::array();
        for (const workload::CellResult& cell : pass.cells) cells.push_back(workload::to_json(cell));
        for (const measure::Finding& each : pass.findings) findings.push_back(measure::to_json(each));
        passes.push_back({{"pass", to_json(pass.pass)},
                          {"end", pass.end ? to_json(*pass.end) : json()},
                          {"cells", cells},
                          {"findings", findings}});
    }
    json made = json::array(), checks = json::array(), detachments = json::array(), findings = json::array(),
         untested = json::array();
    for (const FormatRecord& each : view.made) made.push_back(to_json(each));
    for (const media::CheckReport& each : view.checks) checks.push_back(media::to_json(each));
    for (const rig::Detachment& each : view.detachments) detachments.push_back(rig::to_json(each));
    for (const measure::Finding& each : view.findings) findings.push_back(measure::to_json(each));
    for (const measure::Untested& each : view.untested) untested.push_back(measure::to_json(each));
    return {{"device", to_json(view.device)},
            {"passes", passes},
            {"made", made},
            {"checks", checks},
            {"detachments", detachments},
            {"findings", findings},
            {"untested", untested},
            {"verdict", view.verdict ? to_json(*view.verdict) : json()}};
}

json campaign_json(const CampaignView& view) {
    json devices = json::array();
    for (const DeviceView& device : view.devices) devices.push_back(device_json(device));
    return {{"campaign", to_json(view.campaign)}, {"devices", devices}};
}

} // namespace

std::string told(const CampaignView& view) {
    return codec::json_line(campaign_json(view));
}

std::string told(Store& store, const std::string& campaign) {
    const auto view = store.load(campaign);
    if (!view) return view.error().code == Errc::bad_request ? "nothing" : view.error().detail;
    json all = campaign_json(*view);
    const auto steps = store.steps(campaign);
    if (!steps) return steps.error().detail;
    for (const auto& [key, step] : *steps)
        all["steps"][key] = {name_of(step.state), step.detail, step.at.time_since_epoch().count()};
    for (const DeviceView& device : view->devices)
        for (const PassView& pass : device.passes)
            for (const workload::CellResult& cell : pass.cells) {
                const auto log = store.raw_log(campaign, pass.pass.id, cell.cell.id);
                if (!log) return log.error().detail;
                all["raw_logs"][pass.pass.id + "/" + cell.cell.id] = *log;
            }
    return codec::json_line(all);
}

} // namespace mediarig::store
