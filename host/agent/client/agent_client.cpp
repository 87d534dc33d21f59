// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/client/agent_client.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "host/agent/protocol/message.hpp"
#include "host/agent/protocol/samples.hpp"
#include "host/agent/protocol/wire.hpp"
#include "host/measure/json.hpp"
#include "host/workload/json.hpp"

namespace mediarig::agent {
namespace asio = boost::asio;
using nlohmann::json;

void RunTarget::write_to(RunParams& params) const {
    if (claim_)
        params.claim = claim_->number;
    else
        params.directory = directory_;
    params.raw = raw_;
}

struct AgentClient::State {
    std::unique_ptr<AgentLink> link;
    std::uint64_t next_id{1};
    std::set<RequestId> pending; ///< requests that cancel() stops
    std::map<RequestId, RunNotifications> runs;

    RequestId new_id() { return {next_id++}; }
    Result<void> on_notification(const std::string& method, const json& params);
};

namespace {

/// A call is pending as long as its coroutine exists, whether the call is answered or abandoned.
class PendingCall {
public:
    PendingCall(std::set<RequestId>& pending, RequestId id) : pending_(pending), id_(id) { pending_.insert(id); }
    PendingCall(const PendingCall&) = delete;
    PendingCall& operator=(const PendingCall&) = delete;
    ~PendingCall() { pending_.erase(id_); }

private:
    std::set<RequestId>& pending_;
    RequestId id_;
};

/// Calls `method` and converts the answer into a T with `decode` (json → Result<T>).
template <class T, class State, class Decode>
asio::awaitable<Result<T>> ask(State& state, RequestId id, std::string method, json params, Decode decode) {
    const PendingCall pending(state.pending, id);
    auto answer = co_await state.link->call(id, method, std::move(params));
    if (!answer) co_return fail(std::move(answer.error()));
    Result<T> value = decode(*answer);
    if (!value)
        co_return fail(Errc::bad_format, "the agent's answer to '" + method + "' does not parse: " +
                                             value.error().detail + "; are agent and controller the same version?");
    co_return value;
}

Result<void> nothing(const json&) {
    return {};
}

Result<std::vector<media::Medium>> devices_from(const json& from) {
    return from_wire<DevicesAnswer>(from).map([](DevicesAnswer&& answer) { return std::move(answer.devices); });
}
Result<media::Medium> medium_from(const json& from) {
    return from_wire<IdentifyAnswer>(from).map([](IdentifyAnswer&& answer) { return std::move(answer.medium); });
}
Result<std::vector<std::string>> lacks_from(const json& from) {
    return from_wire<SupportAnswer>(from).map([](SupportAnswer&& answer) { return std::move(answer.lacks); });
}
Result<Claimed> claimed_from(const json& from) {
    return from_wire<ClaimAnswer>(from).map([](ClaimAnswer&& answer) {
        return Claimed{{answer.claim}, std::move(answer.medium)};
    });
}
Result<RunReport> run_report_from(const json& from) {
    return from_wire<RunAnswer>(from).map([](RunAnswer&& answer) {
        return RunReport{answer.cells, std::move(answer.verify), std::move(answer.findings)};
    });
}

/// Closes the connection after `within`; a pending hello then fails immediately.
struct Deadline {
    asio::steady_timer timer;
    bool passed{false};
};

asio::awaitable<void> close_when_passed(std::shared_ptr<Deadline> deadline, AgentLink& link) {
    deadline->passed = true;
    link.expedite_close(); // the agent has nothing to clean up yet
    (void)co_await link.close();
}

} // namespace

Result<void> AgentClient::State::on_notification(const std::string& method, const json& params) {
    const auto broken = [&](const std::string& why) {
        return fail(Errc::bad_format, "the agent sent a bad '" + method + "' notification: " + why);
    };
    // Ignore plug events, which this client does not use, and unknown notifications of a newer agent.
    if (!RunNotifications::knows(method)) return {};

    const auto note = from_wire<RunNote>(params);
    if (!note) return broken(note.error().detail);
    const std::uint64_t request = note->request;
    const auto run = runs.find(RequestId{request});
    if (run == runs.end()) {
        // The caller has abandoned this run, but the agent cannot know that.
        if (request > 0 && request < next_id && !pending.contains({request})) return {};
        return broken("request " + std::to_string(request) + " is not a run");
    }
    const auto heard = run->second.hear(method, params);
    return heard ? heard : broken(heard.error().detail);
}

AgentClient::AgentClient(std::unique_ptr<AgentLink> link) : state_(std::make_unique<State>()) {
    state_->link = std::move(link);
    state_->link->on_notification([state = state_.get()](const std::string& method, const json& params) {
        return state->on_notification(method, params);
    });
}

AgentClient::~AgentClient() = default;

std::string AgentClient::description() const {
    return state_->link->description();
}

asio::awaitable<Result<HelloReport>> AgentClient::hello(std::string controller, std::chrono::milliseconds within) {
    State& state = *state_;
    if (auto started = co_await state.link->start(); !started) co_return fail(started.error());

    const auto executor = co_await asio::this_coro::executor;
    auto deadline = std::make_shared<Deadline>(Deadline{asio::steady_timer(executor, within)});
    deadline->timer.async_wait([deadline, executor, link = state.link.get()](boost::system::error_code stopped) {
        if (!stopped && !deadline->passed) asio::co_spawn(executor, close_when_passed(deadline, *link), asio::detached);
    });
    json params = to_wire(HelloParams{protocol_version, std::move(controller)});
    auto report = co_await ask<HelloReport>(state, state.new_id(), "hello", std::move(params), hello_report_from_json);
    if (deadline->passed) {
        // Wait for the close that the deadline has started.
        (void)co_await state.link->close();
        co_return fail(Errc::timed_out, "the agent did not answer hello within " + std::to_string(within.count()) +
                                            " ms; is it really a mediarig-agent?");
    }
    deadline->passed = true;
    deadline->timer.cancel();
    if (report && report->protocol != protocol_version)
        co_return fail(Errc::bad_format, "the agent speaks protocol " + std::to_string(report->protocol) +
                                             ", this controller " + std::to_string(protocol_version) +
                                             ": install the same version of both");
    co_return report;
}

auto AgentClient::devices() -> Answer<std::vector<media::Medium>> {
    return ask<std::vector<media::Medium>>(*state_, state_->new_id(), "devices", json::object(), devices_from);
}

auto AgentClient::identify(const std::string& target) -> Answer<media::Medium> {
    json params = to_wire(TargetParams{target});
    return ask<media::Medium>(*state_, state_->new_id(), "identify", std::move(params), medium_from);
}

auto AgentClient::inspect(const std::string& target) -> Answer<media::InspectReport> {
    json params = to_wire(TargetParams{target});
    return ask<media::InspectReport>(*state_, state_->new_id(), "inspect", std::move(params),
                                     media::inspect_report_from_json);
}

auto AgentClient::smart(const std::string& target) -> Answer<media::SmartReport> {
    json params = to_wire(TargetParams{target});
    return ask<media::SmartReport>(*state_, state_->new_id(), "smart", std::move(params),
                                   media::smart_report_from_json);
}

auto AgentClient::card_health(const std::string& target) -> Answer<media::CardHealth> {
    json params = to_wire(TargetParams{target});
    return ask<media::CardHealth>(*state_, state_->new_id(), "card_health", std::move(params),
                                  media::card_health_from_json);
}

auto AgentClient::lacks(const SupportParams& wanted) -> Answer<std::vector<std::string>> {
    json params = to_wire(wanted);
    return ask<std::vector<std::string>>(*state_, state_->new_id(), "support", std::move(params), lacks_from);
}

auto AgentClient::claim(const media::ClaimRequest& request) -> Answer<Claimed> {
    json params = to_wire(request);
    return ask<Claimed>(*state_, state_->new_id(), "claim", std::move(params), claimed_from);
}

auto AgentClient::discard(ClaimId claim) -> Answer<media::DiscardReport> {
    return ask<media::DiscardReport>(*state_, state_->new_id(), "discard", to_wire(ClaimParams{claim.number}),
                                     media::discard_report_from_json);
}

auto AgentClient::format(ClaimId claim, const media::FormatSpec& spec) -> Answer<media::FormatReport> {
    json params = to_wire(FormatParams{claim.number, spec});
    return ask<media::FormatReport>(*state_, state_->new_id(), "format", std::move(params),
                                    media::format_report_from_json);
}

auto AgentClient::mount(ClaimId claim, media::FileSystem fs, std::optional<std::uint32_t> partition)
    -> Answer<media::MountReport> {
    json params = to_wire(VolumeParams{claim.number, fs, partition});
    return ask<media::MountReport>(*state_, state_->new_id(), "mount", std::move(params),
                                   media::mount_report_from_json);
}

auto AgentClient::wait_idle(ClaimId claim) -> Answer<media::IdleReport> {
    return ask<media::IdleReport>(*state_, state_->new_id(), "wait_idle", to_wire(ClaimParams{claim.number}),
                                  media::idle_report_from_json);
}

auto AgentClient::check(ClaimId claim, media::FileSystem fs, std::optional<std::uint32_t> partition)
    -> Answer<media::CheckReport> {
    json params = to_wire(VolumeParams{claim.number, fs, partition});
    return ask<media::CheckReport>(*state_, state_->new_id(), "check", std::move(params),
                                   media::check_report_from_json);
}

auto AgentClient::restore(ClaimId claim, workload::RestoreMode mode) -> Answer<workload::RestoreReport> {
    return ask<workload::RestoreReport>(*state_, state_->new_id(), "restore",
                                        to_wire(RestoreParams{claim.number, mode}), workload::restore_report_from_json);
}

auto AgentClient::unmount(ClaimId claim) -> Answer<void> {
    return ask<void>(*state_, state_->new_id(), "unmount", to_wire(ClaimParams{claim.number}), nothing);
}

auto AgentClient::release(ClaimId claim) -> Answer<void> {
    return ask<void>(*state_, state_->new_id(), "release", to_wire(ClaimParams{claim.number}), nothing);
}

namespace {

/// Sends a request whose answer follows notifications. `method`: "run" or "scan".
template <class T, class State, class Decode>
asio::awaitable<Result<T>> listen_and_ask(State& state, RequestId id, std::string method, json params,
                                          RunHandlers handlers, Decode decode) {
    struct Subscription {
        State& state;
        RequestId id;
        ~Subscription() { state.runs.erase(id); }
    };
    state.runs.emplace(id, RunNotifications(std::move(handlers)));
    const Subscription listening{state, id};
    auto report = co_await ask<T>(state, id, std::move(method), std::move(params), decode);
    co_return report;
}

template <class State>
asio::awaitable<Result<bool>> cancel_pending(State& state) {
    // Cancel the latest request first: if the active request were stopped first, the agent would start the next request
    // before its cancellation arrives.
    const std::vector<RequestId> pending(state.pending.rbegin(), state.pending.rend());
    bool any = false;
    for (const RequestId id : pending) {
        json params{{"request", id.number}};
        auto answer = co_await state.link->call(state.new_id(), "cancel", std::move(params));
        if (!answer) co_return fail(answer.error());
        const auto cancelled = from_wire<CancelAnswer>(*answer);
        if (!cancelled)
            co_return fail(Errc::bad_format,
                           "the agent's answer to 'cancel' does not parse: " + cancelled.error().detail);
        any = any || cancelled->cancelled;
    }
    co_return any;
}

} // namespace

auto AgentClient::run(const RunTarget& target, const workload::JobSpec& job,
                      const std::vector<workload::PreviousCell>& done, RunHandlers handlers) -> Answer<RunReport> {
    RunParams params{.job = job, .done = done, .claim = {}, .raw = false, .directory = {}};
    target.write_to(params);
    return listen_and_ask<RunReport>(*state_, state_->new_id(), "run", to_wire(params), std::move(handlers),
                                     run_report_from);
}

auto AgentClient::scan(const ScanParams& wanted, RunHandlers handlers) -> Answer<workload::ScanReport> {
    return listen_and_ask<workload::ScanReport>(*state_, state_->new_id(), "scan", to_wire(wanted), std::move(handlers),
                                                workload::scan_report_from_json);
}

auto AgentClient::cancel() -> Answer<bool> {
    return cancel_pending(*state_);
}

void AgentClient::expedite_close() {
    state_->link->expedite_close();
}

auto AgentClient::close() -> Answer<void> {
    return state_->link->close();
}

namespace {

using nlohmann::json;

/// Maximum number of entries, 1 GiB of latencies: three days at 1000 operations per second. A longer log is a fault of
/// the agent.
constexpr std::size_t longest_raw_log = std::size_t{1} << 28;

} // namespace

bool RunNotifications::knows(const std::string& method) {
    return method == "progress" || method == "samples" || method == "cell" || method == "finding";
}

Result<void> RunNotifications::hear(const std::string& method, const json& params) {
    if (method == "progress") return progress(params);
    if (method == "samples") return samples(params);
    if (method == "cell") return cell(params);
    return finding(params);
}

Result<void> RunNotifications::progress(const json& params) const {
    auto note = from_wire<ProgressNote>(params);
    if (!note) return fail(std::move(note.error()));
    if (handlers_.on_progress)
        handlers_.on_progress({std::move(note->phase), note->bytes_done, note->bytes_total, note->cell, note->failures,
                               std::move(note->first_failure)});
    return {};
}

Result<void> RunNotifications::samples(const json& params) {
    const auto chunk = samples_chunk_from_json(params);
    if (!chunk) return fail(chunk.error());
    std::vector<std::uint32_t>& log = raw_logs_[chunk->cell];
    if (chunk->first != log.size())
        return fail(Errc::bad_format, "first: is " + std::to_string(chunk->first) + ", but " +
                                          std::to_string(log.size()) + " samples were received before");
    if (log.size() + chunk->latencies.size() > longest_raw_log)
        return fail(Errc::bad_format, "more than 2^28 samples for the cell " + chunk->cell);
    log.insert(log.end(), chunk->latencies.begin(), chunk->latencies.end());
    return {};
}

Result<void> RunNotifications::cell(const json& params) {
    auto note = from_wire<CellNote>(params);
    if (!note) return fail(std::move(note.error()));
    workload::CellResult& result = note->result;
    auto log = raw_logs_.extract(result.cell.id);
    const std::size_t heard = log.empty() ? 0 : log.mapped().size();
    if (heard != note->samples)
        return fail(Errc::bad_format, "samples: the cell " + result.cell.id + " has " + std::to_string(note->samples) +
                                          ", but " + std::to_string(heard) + " came");
    if (!log.empty()) result.raw_log = std::move(log.mapped());
    if (handlers_.on_cell) handlers_.on_cell(result);
    return {};
}

Result<void> RunNotifications::finding(const json& params) const {
    const auto finding = measure::finding_from_json(params);
    if (!finding) return fail(finding.error());
    if (handlers_.on_finding) handlers_.on_finding(*finding);
    return {};
}

} // namespace mediarig::agent
