// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fakes/fake_agent_link.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <set>

#include "host/agent/protocol/message.hpp"
#include "host/media/format/discard/discard.hpp"
#include "host/media/format_options.hpp"
#include "host/media/identity/confirmation.hpp"
#include "host/media/inspect/inspect_values.hpp"
#include "host/media/mount/idle/idle.hpp"
#include "host/media/mount/mount.hpp"
#include "host/workload/json.hpp"

namespace mediarig::agent {
namespace {

namespace asio = boost::asio;
using nlohmann::json;

/// Returns a line such as "format 1 exfat", with enough parameters to make a scenario readable.
std::string line_of(const std::string& method, const json& params) {
    std::string line = method;
    for (const char* member : {"claim", "target", "directory", "fs"})
        if (params.contains(member)) {
            const json& value = params[member];
            line += " " + (value.is_string() ? value.get<std::string>() : value.dump());
        }
    if (params.contains("format")) line += " " + params["format"].value("fs", std::string("?"));
    if (params.contains("job")) line += " " + params["job"].value("suite", std::string("?"));
    return line;
}

Error gone() {
    return {Errc::agent_lost, "the agent ended: the fake was told to"};
}

} // namespace

workload::CellResult FakeAgentLink::default_measure(const workload::CellSpec& cell) {
    workload::CellResult result;
    result.cell = cell;
    result.moved = cell.volume;
    result.operations = cell.volume / cell.block;
    result.elapsed = std::chrono::nanoseconds(cell.volume.count * 50); // 20 MB/s
    measure::HistogramRecorder latencies;
    for (std::uint64_t i = 0; i < result.operations; ++i) latencies.record(cell.block.count * 50);
    result.latency = latencies.histogram();
    result.series.push_back(
        {result.elapsed, result.moved, result.operations, std::chrono::nanoseconds(cell.block.count * 50)});
    return result;
}

workload::VerifyOutcome FakeAgentLink::default_verify(const workload::VerifyJob& job) {
    const Bytes span = job.span.count != 0 ? job.span : Bytes{64} * (1 << 20);
    workload::VerifyOutcome outcome;
    outcome.claimed = outcome.written = outcome.good = span;
    return outcome;
}

asio::awaitable<Result<void>> FakeAgentLink::start() {
    log.emplace_back("start");
    started_ = true;
    co_return Result<void>{};
}

asio::awaitable<Result<void>> FakeAgentLink::close() {
    if (!closed_) log.emplace_back("close");
    closed_ = true;
    claims_.clear();
    mounts_.clear();
    for (auto& [id, waiting] : waiting_) waiting->timer.cancel();
    co_return Result<void>{};
}

asio::awaitable<Result<json>> FakeAgentLink::call(RequestId id, std::string method, json params) {
    calls.push_back({method, params});
    log.push_back(line_of(method, params));
    if (method != "cancel") {
        const std::size_t index = counted_++;
        if (lost_at_ && index >= *lost_at_) lose();
        if (const auto failure = failures_.find(index); failure != failures_.end() && !lost_)
            co_return fail(failure->second);
    }
    if (!started_ || closed_ || lost_) co_return fail(gone());

    if (held.contains(method)) {
        auto executor = co_await asio::this_coro::executor;
        auto waiting = std::make_shared<Waiting>(Waiting{asio::steady_timer(executor), false});
        waiting->timer.expires_at(asio::steady_timer::time_point::max());
        waiting_[id.number] = waiting;
        co_await waiting->timer.async_wait(asio::as_tuple(asio::use_awaitable));
        waiting_.erase(id.number);
        if (closed_ || lost_) co_return fail(gone());
        if (waiting->cancelled) co_return fail(Errc::cancelled, method + " was cancelled");
    }
    const Notify notify = [this, id](const std::string& name, json body) {
        body["request"] = id.number;
        return say(name, body);
    };
    auto answered = answer(method, params, notify);
    // Answers never arrive inside the requesting call, as on a real link.
    auto executor = co_await asio::this_coro::executor;
    asio::steady_timer soon(executor, std::chrono::steady_clock::duration::zero());
    co_await soon.async_wait(asio::as_tuple(asio::use_awaitable));
    co_return answered;
}

void FakeAgentLink::release() {
    held.clear();
    for (auto& [id, waiting] : waiting_) waiting->timer.cancel();
}

void FakeAgentLink::lose() {
    lost_ = true;
    claims_.clear();
    mounts_.clear();
    for (auto& [id, waiting] : waiting_) waiting->timer.cancel();
}

Result<void> FakeAgentLink::say(const std::string& method, const json& params) {
    return handler_ ? handler_(method, params) : Result<void>{};
}

Result<json> FakeAgentLink::answer(const std::string& method, const json& params, const Notify& notify) {
    if (const auto scripted = answers.find(method); scripted != answers.end()) return scripted->second(params, notify);
    return default_answer(method, params, notify);
}

Result<media::Medium> FakeAgentLink::known(const std::string& target) const {
    const auto found = media.find(target);
    if (found == media.end()) return fail(Errc::bad_request, target + ": no such file or device");
    return found->second;
}

Result<json> FakeAgentLink::claim(const json& params) {
    auto medium = known(params.at("target"));
    if (!medium) return fail(medium.error());
    const std::string confirm = params.at("confirm");
    if (const auto standing = media::permanent_refusals(*medium, confirm); !standing.empty())
        return fail(Errc::refused, medium->node + ": " + standing.front().detail);
    if (confirm != media::confirmation_to_type(*medium))
        return fail(Errc::refused, medium->node + ": the confirmation does not match");
    const std::uint64_t number = next_claim_++;
    claims_[number] = *medium;
    return json{{"claim", number}, {"medium", media::to_json(*medium)}};
}

Result<json> FakeAgentLink::run(const json& params, const Notify& notify) {
    const auto job = workload::job_from_json(params.at("job"));
    if (!job) return fail(job.error());
    std::set<std::string> done;
    for (const json& cell : params.value("done", json::array())) done.insert(cell.at("id").get<std::string>());
    json result{{"cells", 0}, {"verify", nullptr}, {"findings", json::array()}};
    if (const auto* job_kind = job->as<workload::VerifyJob>()) result["verify"] = workload::to_json(verify(*job_kind));
    const auto* sweep = job->as<workload::SweepJob>();
    std::uint64_t finished = 0;
    std::uint32_t index = 0;
    for (const auto& cell : sweep != nullptr ? sweep->cells : std::vector<workload::CellSpec>{}) {
        const std::uint32_t cell_index = index++;
        if (done.contains(cell.id)) continue;
        const workload::CellResult measured = measure(cell);
        json progress{{"phase", cell.id}, {"bytes_done", finished}, {"bytes_total", sweep->cells.size()}};
        progress["cell"] = cell_index;
        if (auto heard = notify("progress", progress); !heard) return fail(heard.error());
        for (const auto& finding : measured.findings)
            if (auto heard = notify("finding", to_json(finding)); !heard) return fail(heard.error());
        json body{{"result", workload::to_json(measured)}, {"samples", 0}};
        if (auto heard = notify("cell", body); !heard) return fail(heard.error());
        ++finished;
    }
    result["cells"] = finished;
    return result;
}

Result<json> FakeAgentLink::default_answer(const std::string& method, const json& params, const Notify& notify) {
    if (method == "hello")
        return to_json(HelloReport{.protocol = protocol_version,
                                   .agent_version = "0.0.0-fake",
                                   .host_name = "fakehost",
                                   .kernel = "Linux 0.0",
                                   .cpu = "fake cpu",
                                   .privileged = true,
                                   .tools = {}});
    if (method == "devices") {
        json list = json::array();
        for (const auto& [target, medium] : media) list.push_back(media::to_json(medium));
        return json{{"devices", list}};
    }
    if (method == "identify" || method == "inspect") {
        auto medium = known(params.at("target"));
        if (!medium) return fail(medium.error());
        if (method == "identify") return json{{"medium", media::to_json(*medium)}};
        return media::to_json(media::InspectReport{.size = medium->size, .scheme = "none", .volumes = {}});
    }
    if (method == "smart") {
        media::SmartReport report;
        report.state = media::SmartState::unsupported;
        report.detail = "a fake has none";
        return media::to_json(report);
    }
    if (method == "card_health") {
        media::CardHealth health;
        health.state = media::HealthState::unsupported;
        health.detail = "a fake has none";
        return media::to_json(health);
    }
    if (method == "support") return json{{"lacks", json::array()}};
    if (method == "cancel") {
        const auto waiting = waiting_.find(params.at("request").get<std::uint64_t>());
        if (waiting == waiting_.end()) return json{{"cancelled", false}};
        waiting->second->cancelled = true;
        waiting->second->timer.cancel();
        return json{{"cancelled", true}};
    }
    if (method == "claim") return claim(params);
    if (method == "run" && params.contains("directory")) return run(params, notify);

    // All following methods require a claim.
    const std::uint64_t number = params.at("claim");
    if (!claims_.contains(number)) return fail(Errc::bad_request, "no such claim: " + std::to_string(number));
    const bool mounted = mounts_.contains(number);
    if (method == "release") {
        claims_.erase(number);
        mounts_.erase(number);
        return json::object();
    }
    const bool needs_mount =
        method == "unmount" || method == "wait_idle" || (method == "run" && !params.value("raw", false));
    if (mounted != needs_mount)
        return fail(Errc::bad_request, method + ": claim " + std::to_string(number) +
                                           (mounted ? " is mounted: unmount it first" : " is not mounted"));
    if (method == "discard")
        return media::to_json(media::DiscardReport{.taken = true,
                                                   .length = claims_[number].size,
                                                   .elapsed = std::chrono::seconds(1),
                                                   .zeros = media::mark_count});
    if (method == "format") {
        const auto spec = media::format_spec_from_json(params.at("format"));
        if (!spec) return fail(spec.error());
        media::FormatReport report;
        report.fs = spec->fs;
        report.tool = "mkfs.fake";
        report.tool_version = "1.0";
        report.usable = claims_[number].size;
        return media::to_json(report);
    }
    if (method == "mount") {
        mounts_.insert(number);
        media::MountReport report;
        report.mount_point = "/fake/" + std::to_string(number);
        report.driver = driver;
        report.total = report.free = claims_[number].size;
        return media::to_json(report);
    }
    if (method == "wait_idle")
        return media::to_json(
            media::IdleReport{.counted = true, .silent = true, .waited = std::chrono::seconds(1), .written = 4_KiB});
    if (method == "run") return run(params, notify);
    if (method == "check")
        return media::to_json(
            media::CheckReport{.tool = "fsck.fake", .tool_version = "1.0", .clean = true, .said = {}});
    if (method == "unmount") {
        mounts_.erase(number);
        return json::object();
    }
    return fail(Errc::bad_format, "the fake agent knows no method '" + method + "'");
}

} // namespace mediarig::agent
