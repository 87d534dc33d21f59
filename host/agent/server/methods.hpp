// SPDX-License-Identifier: GPL-3.0-or-later
/// The methods of docs/reference/agent-protocol.md, from parameters to result. Blocking; independent of the connection.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "host/agent/protocol/message.hpp"
#include "host/agent/protocol/wire.hpp"
#include "host/agent/server/claim_table.hpp"
#include "host/agent/server/media_backend.hpp"
#include "host/workload/io/job_control.hpp"

namespace mediarig::agent {

/// Checks the parameters of `hello` before any other request is answered: invalid_params, or hello_first for another
/// protocol version.
[[nodiscard]] tl::expected<void, RpcError> check_hello(const nlohmann::json& params);

class Methods {
public:
    Methods(MediaBackend& backend, ClaimNumbers& numbers) : backend_(backend), claims_(backend, numbers) {}

    /// True if call() supports the method; `cancel` is handled by the connection.
    [[nodiscard]] static bool knows(std::string_view method);

    /// Only `run`, `restore` and `scan` use `control`, and only `run` uses `observer`.
    [[nodiscard]] tl::expected<nlohmann::json, RpcError> call(const std::string& method, const nlohmann::json& params,
                                                              workload::JobControl& control,
                                                              workload::JobObserver& observer);
    /// Unmounts, detaches and releases everything at the end of the connection.
    [[nodiscard]] Result<void> release_all() { return claims_.release_all(); }

private:
    using Answer = tl::expected<nlohmann::json, RpcError>;
    using Method = Answer (Methods::*)(const nlohmann::json& params);
    struct Row {
        std::string_view name;
        Method method;
    };
    static const Row rows[];

    Answer hello(const nlohmann::json& params);
    Answer devices(const nlohmann::json& params);
    Answer identify(const nlohmann::json& params);
    Answer inspect(const nlohmann::json& params);
    Answer smart(const nlohmann::json& params);
    Answer card_health(const nlohmann::json& params);
    Answer support(const nlohmann::json& params);
    Answer claim(const nlohmann::json& params);
    Answer discard(const nlohmann::json& params);
    Answer format(const nlohmann::json& params);
    Answer mount(const nlohmann::json& params);
    Answer wait_idle(const nlohmann::json& params);
    Answer check(const nlohmann::json& params);
    Answer unmount(const nlohmann::json& params);
    Answer release(const nlohmann::json& params);
    Answer restore(const nlohmann::json& params, workload::JobControl& control);
    Answer scan(const nlohmann::json& params, workload::JobControl& control);
    Answer run(const nlohmann::json& params, workload::JobControl& control, workload::JobObserver& observer);
    Answer execute_call(const std::string& method, const nlohmann::json& params, workload::JobControl& control,
                        workload::JobObserver& observer);
    Answer work(const std::string& method, const nlohmann::json& params, workload::JobControl& control,
                workload::JobObserver& observer);
    /// The fault of this machine that affects the claim in `params`.
    [[nodiscard]] std::optional<Error> backing_fault_of(const nlohmann::json& params);
    [[nodiscard]] Result<workload::JobTarget> target_of(const RunParams& wanted);

    MediaBackend& backend_;
    ClaimTable claims_;
};

} // namespace mediarig::agent
