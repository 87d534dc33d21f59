// SPDX-License-Identifier: GPL-3.0-or-later
/// An agent in the test's process that has the given media, keeps a log and fails on request.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/agent/client/agent_link.hpp"
#include "host/media/identity/medium.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::agent {

class FakeAgentLink final : public AgentLink {
public:
    using Notify = std::function<Result<void>(const std::string& method, nlohmann::json params)>;
    using Answer = std::function<Result<nlohmann::json>(const nlohmann::json& params, const Notify& notify)>;
    struct Call {
        std::string method;
        nlohmann::json params;
    };

    // --- the script, may change at any time ---

    /// Media of devices, identify and claim. The key is the target.
    std::map<std::string, media::Medium> media;
    /// Overrides the default answer of a method. `notify` adds `params.request`.
    std::map<std::string, Answer> answers;
    /// Methods whose calls wait until cancel() or release(). A cancelled one answers with errc cancelled.
    std::set<std::string> held;
    /// Result of a run for a cell. The default moves the cell's volume at 20 MB/s.
    std::function<workload::CellResult(const workload::CellSpec&)> measure = default_measure;
    /// The outcome of a verify job. The default finds everything good.
    std::function<workload::VerifyOutcome(const workload::VerifyJob&)> verify = default_verify;
    std::string driver{"fake"}; ///< driver that mounts report
    /// The call with this index (from 0, without `cancel`) fails with the error, and the agent continues.
    void fail_at(std::size_t call, Error error) { failures_[call] = std::move(error); }
    /// The agent is lost from the call with this index on, with its claims and mounts.
    void lose_at(std::size_t call) { lost_at_ = call; }
    /// Releases held calls, which continue to their ordinary answers.
    void release();
    /// Sends an unsolicited notification.
    Result<void> say(const std::string& method, const nlohmann::json& params);

    // --- recorded events ---

    std::vector<Call> calls;      ///< `cancel` included
    std::vector<std::string> log; ///< one line each: "start", "hello", "format 1 exfat", "run 1 quickbench", "close"
    [[nodiscard]] std::size_t open_claims() const { return claims_.size(); }
    [[nodiscard]] std::size_t open_mounts() const { return mounts_.size(); }
    [[nodiscard]] bool closed() const { return closed_; }

    static workload::CellResult default_measure(const workload::CellSpec& cell);
    static workload::VerifyOutcome default_verify(const workload::VerifyJob& job);

    boost::asio::awaitable<Result<void>> start() override;
    boost::asio::awaitable<Result<nlohmann::json>> call(RequestId id, std::string method,
                                                        nlohmann::json params) override;
    void on_notification(NotificationHandler handler) override { handler_ = std::move(handler); }
    boost::asio::awaitable<Result<void>> close() override;
    std::string description() const override { return "fake"; }

private:
    struct Waiting {
        boost::asio::steady_timer timer;
        bool cancelled{};
    };
    Result<nlohmann::json> answer(const std::string& method, const nlohmann::json& params, const Notify& notify);
    Result<nlohmann::json> default_answer(const std::string& method, const nlohmann::json& params,
                                          const Notify& notify);
    Result<nlohmann::json> run(const nlohmann::json& params, const Notify& notify);
    Result<nlohmann::json> claim(const nlohmann::json& params);
    Result<media::Medium> known(const std::string& target) const;
    void lose();

    NotificationHandler handler_;
    std::map<std::size_t, Error> failures_;
    std::optional<std::size_t> lost_at_;
    std::size_t counted_{};
    std::uint64_t next_claim_{1};
    std::map<std::uint64_t, media::Medium> claims_;
    std::set<std::uint64_t> mounts_;
    std::map<std::uint64_t, std::shared_ptr<Waiting>> waiting_;
    bool started_{}, closed_{}, lost_{};
};

} // namespace mediarig::agent
