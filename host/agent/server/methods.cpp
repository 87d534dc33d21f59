// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/server/methods.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <iterator>

#include "host/agent/protocol/message.hpp"
#include "host/agent/protocol/wire.hpp"
#include "host/agent/server/method_rights.hpp"
#include "host/base/version.hpp"
#include "host/workload/json.hpp"

namespace mediarig::agent {
namespace {

using nlohmann::json;

auto invalid(const Error& error) {
    return tl::unexpected(RpcError{RpcCode::invalid_params, error.detail, std::nullopt});
}
auto failed(const Error& error) {
    return tl::unexpected(to_rpc(error));
}

/// Converts a report into the result of a method, or into its failure.
template <class T>
tl::expected<json, RpcError> answer(const Result<T>& report) {
    if (!report) return failed(report.error());
    if constexpr (std::is_void_v<T>)
        return json::object();
    else
        return to_json(*report);
}

} // namespace

tl::expected<void, RpcError> check_hello(const json& params) {
    const auto said = from_wire<HelloParams>(params);
    if (!said) return invalid(said.error());
    if (said->protocol != protocol_version)
        return tl::unexpected(RpcError{RpcCode::hello_first,
                                       "this agent speaks protocol " + std::to_string(protocol_version) + ", not " +
                                           std::to_string(said->protocol) +
                                           ": install the same version of both programs",
                                       std::nullopt});
    return {};
}

constexpr Methods::Row Methods::rows[] = {
    {"hello", &Methods::hello},     {"devices", &Methods::devices},     {"identify", &Methods::identify},
    {"inspect", &Methods::inspect}, {"smart", &Methods::smart},         {"claim", &Methods::claim},
    {"format", &Methods::format},   {"mount", &Methods::mount},         {"check", &Methods::check},
    {"unmount", &Methods::unmount}, {"release", &Methods::release},     {"support", &Methods::support},
    {"discard", &Methods::discard}, {"wait_idle", &Methods::wait_idle}, {"card_health", &Methods::card_health},
};

bool Methods::knows(std::string_view method) {
    return has_right(method) &&
           (method == "run" || method == "restore" || method == "scan" ||
            std::any_of(std::begin(rows), std::end(rows), [&](const Row& row) { return row.name == method; }));
}

tl::expected<json, RpcError> Methods::call(const std::string& method, const json& params, workload::JobControl& control,
                                           workload::JobObserver& observer) {
    if (!params.is_object()) return invalid(Error{Errc::bad_format, "params: must be an object"});
    Answer answer = execute_call(method, params, control, observer);
    const bool failed_by_itself = !answer && answer.error().code == RpcCode::failed && !control.cancel;
    if (failed_by_itself)
        if (const auto backing_fault = backing_fault_of(params)) return failed(*backing_fault);
    return answer;
}

/// An exception of a library becomes the answer to the request: claims and mounts stay and can be released.
Methods::Answer Methods::execute_call(const std::string& method, const json& params, workload::JobControl& control,
                                      workload::JobObserver& observer) {
    try {
        return work(method, params, control, observer);
    } catch (const std::exception& thrown) {
        return failed(Error{Errc::host_fault, "the agent could not execute " + method + ": " + thrown.what()});
    }
}

std::optional<Error> Methods::backing_fault_of(const json& params) {
    const auto named = from_wire<ClaimParams>(params);
    return named ? claims_.backing_fault(named->claim) : std::nullopt;
}

Methods::Answer Methods::work(const std::string& method, const json& params, workload::JobControl& control,
                              workload::JobObserver& observer) {
    if (method == "run") return run(params, control, observer);
    if (method == "restore") return restore(params, control);
    if (method == "scan") return scan(params, control);
    for (const Row& row : rows)
        if (row.name == method) return (this->*row.method)(params);
    return tl::unexpected(RpcError{RpcCode::unknown_method, "unknown method '" + method + "'", std::nullopt});
}

Methods::Answer Methods::hello(const json&) {
    HelloReport report = backend_.describe();
    report.protocol = protocol_version;
    report.agent_version = version;
    return to_json(report);
}

Methods::Answer Methods::devices(const json&) {
    auto found = backend_.devices();
    if (!found) return failed(found.error());
    return to_wire(DevicesAnswer{std::move(*found)});
}

Methods::Answer Methods::identify(const json& params) {
    const auto wanted = from_wire<TargetParams>(params);
    if (!wanted) return invalid(wanted.error());
    auto medium = backend_.identify(wanted->target);
    if (!medium) return failed(medium.error());
    return to_wire(IdentifyAnswer{std::move(*medium)});
}

Methods::Answer Methods::inspect(const json& params) {
    const auto wanted = from_wire<TargetParams>(params);
    if (!wanted) return invalid(wanted.error());
    return answer(backend_.inspect(wanted->target));
}

Methods::Answer Methods::smart(const json& params) {
    const auto wanted = from_wire<TargetParams>(params);
    if (!wanted) return invalid(wanted.error());
    return answer(backend_.smart(wanted->target));
}

Methods::Answer Methods::card_health(const json& params) {
    const auto wanted = from_wire<TargetParams>(params);
    if (!wanted) return invalid(wanted.error());
    return answer(backend_.card_health(wanted->target));
}

Methods::Answer Methods::support(const json& params) {
    const auto wanted = from_wire<SupportParams>(params);
    if (!wanted) return invalid(wanted.error());
    auto lacks = backend_.lacks(*wanted);
    if (!lacks) return failed(lacks.error());
    return to_wire(SupportAnswer{std::move(*lacks)});
}

Methods::Answer Methods::claim(const json& params) {
    const auto wanted = from_wire<media::ClaimRequest>(params);
    if (!wanted) return invalid(wanted.error());
    const auto made = claims_.claim(*wanted);
    if (!made) return failed(made.error());
    return to_wire(ClaimAnswer{made->number, made->medium});
}

Methods::Answer Methods::discard(const json& params) {
    const auto wanted = from_wire<ClaimParams>(params);
    if (!wanted) return invalid(wanted.error());
    const auto medium = claims_.find(wanted->claim, ClaimTable::RequiredState::not_be_mounted, "discard");
    if (!medium) return failed(medium.error());
    return answer((*medium)->discard());
}

Methods::Answer Methods::format(const json& params) {
    const auto wanted = from_wire<FormatParams>(params);
    if (!wanted) return invalid(wanted.error());
    const auto medium = claims_.find(wanted->claim, ClaimTable::RequiredState::not_be_mounted, "format");
    if (!medium) return failed(medium.error());
    return answer((*medium)->format(wanted->format));
}

Methods::Answer Methods::mount(const json& params) {
    const auto wanted = from_wire<VolumeParams>(params);
    if (!wanted) return invalid(wanted.error());
    return answer(claims_.mount(wanted->claim, {.fs = wanted->fs, .partition = wanted->partition}));
}

Methods::Answer Methods::check(const json& params) {
    const auto wanted = from_wire<VolumeParams>(params);
    if (!wanted) return invalid(wanted.error());
    const auto medium = claims_.find(wanted->claim, ClaimTable::RequiredState::not_be_mounted, "check");
    if (!medium) return failed(medium.error());
    const auto report = (*medium)->check({.fs = wanted->fs, .partition = wanted->partition});
    // After a fault of this machine the result is invalid: damage may come from the fault, and a clean result may
    // belong to another volume.
    if (report)
        if (const auto backing_fault = backing_fault_of(params)) return failed(*backing_fault);
    return answer(report);
}

Methods::Answer Methods::scan(const json& params, workload::JobControl& control) {
    const auto wanted = from_wire<ScanParams>(params);
    if (!wanted) return invalid(wanted.error());
    return answer(backend_.scan(*wanted, control));
}

Methods::Answer Methods::restore(const json& params, workload::JobControl& control) {
    const auto wanted = from_wire<RestoreParams>(params);
    if (!wanted) return invalid(wanted.error());
    const auto medium = claims_.find(wanted->claim, ClaimTable::RequiredState::not_be_mounted, "restore");
    if (!medium) return failed(medium.error());
    return answer((*medium)->restore(wanted->mode, control));
}

Methods::Answer Methods::wait_idle(const json& params) {
    const auto wanted = from_wire<ClaimParams>(params);
    if (!wanted) return invalid(wanted.error());
    const auto medium = claims_.find(wanted->claim, ClaimTable::RequiredState::be_mounted, "wait_idle");
    if (!medium) return failed(medium.error());
    return answer((*medium)->wait_idle());
}

Methods::Answer Methods::unmount(const json& params) {
    const auto wanted = from_wire<ClaimParams>(params);
    if (!wanted) return invalid(wanted.error());
    return answer(claims_.unmount(wanted->claim));
}

Methods::Answer Methods::release(const json& params) {
    const auto wanted = from_wire<ClaimParams>(params);
    if (!wanted) return invalid(wanted.error());
    return answer(claims_.release(wanted->claim));
}

Result<workload::JobTarget> Methods::target_of(const RunParams& wanted) {
    if (wanted.directory)
        return workload::JobTarget{.kind = workload::JobTarget::Kind::directory, .path = *wanted.directory};
    const auto state = wanted.raw ? ClaimTable::RequiredState::not_be_mounted : ClaimTable::RequiredState::be_mounted;
    const auto medium = claims_.find(*wanted.claim, state, "run");
    if (!medium) return fail(medium.error());
    return wanted.raw ? (*medium)->device() : (*medium)->directory();
}

namespace {

/// Forwards results until a fault of this machine affects the medium; later results do not count.
class TrustedObserver final : public workload::JobObserver {
public:
    using BackingFault = std::function<std::optional<Error>()>;
    TrustedObserver(workload::JobObserver& observer, workload::JobControl& control, BackingFault ask)
        : observer_(observer), control_(control), ask_(std::move(ask)) {}

    void on_phase(const std::string& name) override { observer_.on_phase(name); }
    void on_cell(const workload::CellResult& result) override {
        // A good result may also be invalid: another process may have truncated the image.
        if (counts(true)) observer_.on_cell(result);
    }
    void on_finding(const measure::Finding& finding) override {
        if (counts(finding.severity == measure::Severity::fault)) observer_.on_finding(finding);
    }
    /// Checks the whole job for a fault of this machine, after its end.
    [[nodiscard]] const std::optional<Error>& backing_fault(bool ask) {
        (void)counts(ask);
        return trouble_;
    }

private:
    bool counts(bool ask) {
        if (!trouble_ && ask) trouble_ = ask_();
        if (trouble_) control_.cancel = true;
        return !trouble_;
    }
    workload::JobObserver& observer_;
    workload::JobControl& control_;
    BackingFault ask_;
    std::optional<Error> trouble_;
};

} // namespace

Methods::Answer Methods::run(const json& params, workload::JobControl& control, workload::JobObserver& observer) {
    const auto wanted = from_wire<RunParams>(params);
    if (!wanted) return invalid(wanted.error());
    const auto target = target_of(*wanted);
    if (!target) return failed(target.error());

    TrustedObserver trusted(observer, control, [&] { return backing_fault_of(params); });
    auto outcome = backend_.run(wanted->job, *target, wanted->done, control, trusted);
    const bool cancelled = !outcome && outcome.error().code == Errc::cancelled;
    if (const auto& backing_fault = trusted.backing_fault(!cancelled)) return failed(*backing_fault);
    if (!outcome) return failed(outcome.error());
    return to_wire(RunAnswer{outcome->cells.size(), std::move(outcome->verify), std::move(outcome->findings)});
}

} // namespace mediarig::agent
