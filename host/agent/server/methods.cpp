// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/server/methods.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "host/agent/protocol/members.hpp"
#include "host/agent/server/method_rights.hpp"
#include "host/version.hpp"
#include "host/workload/json.hpp"

namespace mediarig::agent {
namespace {

using nlohmann::json;

auto invalid(const Error& error) {
    return tl::unexpected(RpcError{RpcCode::invalid_params, error.detail, std::nullopt});
}
auto invalid(std::string detail) {
    return invalid(Error{Errc::bad_format, std::move(detail)});
}
auto failed(const Error& error) {
    return tl::unexpected(to_rpc(error));
}

/// A report as the result of a method, or its failure.
template <class T>
tl::expected<json, RpcError> answer(const Result<T>& report) {
    if (!report) return failed(report.error());
    if constexpr (std::is_void_v<T>)
        return json::object();
    else
        return to_json(*report);
}

struct OnFileSystem {
    std::uint64_t claim{};
    media::VolumeWish volume;
};
/// The parameters that `mount` and `check` share.
Result<OnFileSystem> on_file_system(const json& params) {
    const auto claim = count_member(params, "claim");
    if (!claim) return fail(claim.error());
    const auto name = text_member(params, "fs");
    if (!name) return fail(name.error());
    const auto fs = media::file_system_from(*name);
    if (!fs) return fail(Errc::bad_format, "fs: " + fs.error().detail);
    OnFileSystem wanted{.claim = *claim, .volume = {.fs = *fs, .partition = std::nullopt}};
    if (!params.contains("partition")) return wanted;
    const auto partition = count_member(params, "partition");
    if (!partition) return fail(partition.error());
    if (*partition == 0 || *partition > media::highest_partition)
        return fail(Errc::bad_format, "partition: must be 1 to " + std::to_string(media::highest_partition) +
                                          ", as the table numbers it");
    wanted.volume.partition = static_cast<std::uint32_t>(*partition);
    return wanted;
}

} // namespace

tl::expected<void, RpcError> check_hello(const json& params) {
    const auto protocol = count_member(params, "protocol");
    if (!protocol) return invalid(protocol.error());
    const auto controller = text_member(params, "controller");
    if (!controller) return invalid(controller.error());
    if (*protocol != protocol_version)
        return tl::unexpected(RpcError{RpcCode::hello_first,
                                       "this agent speaks protocol " + std::to_string(protocol_version) + ", not " +
                                           std::to_string(*protocol) + ": install one version of both programs",
                                       std::nullopt});
    return {};
}

constexpr Methods::Row Methods::rows[] = {
    {"hello", &Methods::hello},     {"devices", &Methods::devices}, {"identify", &Methods::identify},
    {"inspect", &Methods::inspect}, {"smart", &Methods::smart},     {"claim", &Methods::claim},
    {"format", &Methods::format},   {"mount", &Methods::mount},     {"check", &Methods::check},
    {"unmount", &Methods::unmount}, {"release", &Methods::release},
};

bool Methods::knows(std::string_view method) {
    return has_right(method) && (method == "run" || std::any_of(std::begin(rows), std::end(rows),
                                                                [&](const Row& row) { return row.name == method; }));
}

tl::expected<json, RpcError> Methods::call(const std::string& method, const json& params, workload::JobControl& control,
                                           workload::JobObserver& observer) {
    if (!params.is_object()) return invalid("params: must be an object");
    auto answer = work(method, params, control, observer);
    const bool failed_by_itself = !answer && answer.error().code == RpcCode::failed && !control.cancel;
    if (failed_by_itself)
        if (const auto trouble = trouble_of(params)) return failed(*trouble);
    return answer;
}

std::optional<Error> Methods::trouble_of(const json& params) {
    const auto claim = params.contains("claim") ? count_member(params, "claim") : Result<std::uint64_t>(0);
    return claim ? claims_.trouble(*claim) : std::nullopt;
}

Methods::Answer Methods::work(const std::string& method, const json& params, workload::JobControl& control,
                              workload::JobObserver& observer) {
    if (method == "run") return run(params, control, observer);
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
    const auto found = backend_.devices();
    if (!found) return failed(found.error());
    json list = json::array();
    for (const media::Medium& medium : *found) list.push_back(media::to_json(medium));
    return json{{"devices", std::move(list)}};
}

Methods::Answer Methods::identify(const json& params) {
    const auto target = text_member(params, "target");
    if (!target) return invalid(target.error());
    const auto medium = backend_.identify(*target);
    if (!medium) return failed(medium.error());
    return json{{"medium", media::to_json(*medium)}};
}

Methods::Answer Methods::inspect(const json& params) {
    const auto target = text_member(params, "target");
    if (!target) return invalid(target.error());
    return answer(backend_.inspect(*target));
}

Methods::Answer Methods::smart(const json& params) {
    const auto target = text_member(params, "target");
    if (!target) return invalid(target.error());
    return answer(backend_.smart(*target));
}

Methods::Answer Methods::claim(const json& params) {
    const auto target = text_member(params, "target");
    if (!target) return invalid(target.error());
    const auto confirm = text_member(params, "confirm");
    if (!confirm) return invalid(confirm.error());
    const auto presence = params.contains("presence") ? text_member(params, "presence") : Result<std::string>();
    if (!presence) return invalid(presence.error());
    auto contents = media::Contents::must_be_known;
    if (params.contains("contents_unknown")) {
        const auto unknown = flag_member(params, "contents_unknown");
        if (!unknown) return invalid(unknown.error());
        if (*unknown) contents = media::Contents::may_be_unknown;
    }
    const auto made =
        claims_.claim({.target = *target, .confirm = *confirm, .presence = *presence, .contents = contents});
    if (!made) return failed(made.error());
    return json{{"claim", made->number}, {"medium", media::to_json(made->medium)}};
}

Methods::Answer Methods::format(const json& params) {
    const auto claim = count_member(params, "claim");
    if (!claim) return invalid(claim.error());
    const auto wire = member(params, "format");
    if (!wire) return invalid(wire.error());
    const auto spec = media::format_spec_from_json(**wire);
    if (!spec) return invalid(spec.error());
    const auto medium = claims_.find(*claim, ClaimTable::Must::not_be_mounted, "format");
    if (!medium) return failed(medium.error());
    return answer((*medium)->format(*spec));
}

Methods::Answer Methods::mount(const json& params) {
    const auto wanted = on_file_system(params);
    if (!wanted) return invalid(wanted.error());
    return answer(claims_.mount(wanted->claim, wanted->volume));
}

Methods::Answer Methods::check(const json& params) {
    const auto wanted = on_file_system(params);
    if (!wanted) return invalid(wanted.error());
    const auto medium = claims_.find(wanted->claim, ClaimTable::Must::not_be_mounted, "check");
    if (!medium) return failed(medium.error());
    const auto report = (*medium)->check(wanted->volume);
    // Damage may be what this machine did to the volume.
    if (report && !report->clean)
        if (const auto trouble = trouble_of(params)) return failed(*trouble);
    return answer(report);
}

Methods::Answer Methods::unmount(const json& params) {
    const auto claim = count_member(params, "claim");
    if (!claim) return invalid(claim.error());
    return answer(claims_.unmount(*claim));
}

Methods::Answer Methods::release(const json& params) {
    const auto claim = count_member(params, "claim");
    if (!claim) return invalid(claim.error());
    return answer(claims_.release(*claim));
}

tl::expected<workload::Target, RpcError> Methods::target_of(const json& params) {
    if (params.contains("claim") == params.contains("directory"))
        return invalid("claim, directory: exactly one of them says where the job works");
    if (params.contains("directory")) {
        auto directory = text_member(params, "directory");
        if (!directory) return invalid(directory.error());
        if (!directory->starts_with('/')) return invalid("directory: must be an absolute path");
        if (params.contains("raw") && params["raw"] != false) return invalid("raw: a directory is never raw");
        return workload::Target{workload::Target::Kind::directory, std::move(*directory), -1, {}};
    }
    const auto claim = count_member(params, "claim");
    if (!claim) return invalid(claim.error());
    const auto raw = params.contains("raw") ? flag_member(params, "raw") : Result<bool>(false);
    if (!raw) return invalid(raw.error());
    const auto state = *raw ? ClaimTable::Must::not_be_mounted : ClaimTable::Must::be_mounted;
    const auto medium = claims_.find(*claim, state, "run");
    if (!medium) return failed(medium.error());
    auto target = *raw ? (*medium)->device() : (*medium)->directory();
    if (!target) return failed(target.error());
    return std::move(*target);
}

namespace {

bool has_fault(const measure::Findings& findings) {
    return std::any_of(findings.begin(), findings.end(),
                       [](const measure::Finding& finding) { return finding.severity == measure::Severity::fault; });
}

/// Passes on what was measured, until something on this machine failed under the medium: nothing after that counts.
class TrustedObserver final : public workload::JobObserver {
public:
    using Trouble = std::function<std::optional<Error>()>;
    TrustedObserver(workload::JobObserver& observer, workload::JobControl& control, Trouble ask)
        : observer_(observer), control_(control), ask_(std::move(ask)) {}

    void on_phase(const std::string& name) override { observer_.on_phase(name); }
    void on_cell(const workload::CellResult& result) override {
        if (counts(has_fault(result.findings))) observer_.on_cell(result);
    }
    void on_finding(const measure::Finding& finding) override {
        if (counts(finding.severity == measure::Severity::fault)) observer_.on_finding(finding);
    }
    /// Of the job as a whole, when it has ended.
    [[nodiscard]] const std::optional<Error>& trouble(bool blames) {
        (void)counts(blames);
        return trouble_;
    }

private:
    bool counts(bool blames) {
        if (!trouble_ && blames) trouble_ = ask_();
        if (trouble_) control_.cancel = true;
        return !trouble_;
    }
    workload::JobObserver& observer_;
    workload::JobControl& control_;
    Trouble ask_;
    std::optional<Error> trouble_;
};

bool blames_the_medium(const workload::JobOutcome& outcome) {
    const auto& verify = outcome.verify;
    return has_fault(outcome.findings) ||
           (verify && (verify->damaged_bytes.count > 0 ||
                       (verify->verdict && *verify->verdict != workload::CapacityVerdict::good)));
}

} // namespace

Methods::Answer Methods::run(const json& params, workload::JobControl& control, workload::JobObserver& observer) {
    const auto wire = member(params, "job");
    if (!wire) return invalid(wire.error());
    const auto job = workload::job_from_json(**wire);
    if (!job) return invalid("job: " + job.error().detail);
    auto done = params.contains("done") ? texts_member(params, "done") : Result<std::vector<std::string>>{};
    if (!done) return invalid(done.error());
    const auto target = target_of(params);
    if (!target) return tl::unexpected(target.error());

    TrustedObserver trusted(observer, control, [&] { return trouble_of(params); });
    const auto outcome = backend_.run(*job, *target, *done, control, trusted);
    const bool blames = outcome ? blames_the_medium(*outcome) : outcome.error().code != Errc::cancelled;
    if (const auto& trouble = trusted.trouble(blames)) return failed(*trouble);
    if (!outcome) return failed(outcome.error());
    json findings = json::array();
    for (const auto& finding : outcome->findings) findings.push_back(workload::to_json(finding));
    return json{{"cells", outcome->cells.size()},
                {"verify", outcome->verify ? workload::to_json(*outcome->verify) : json(nullptr)},
                {"findings", std::move(findings)}};
}

} // namespace mediarig::agent
