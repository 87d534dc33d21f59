// SPDX-License-Identifier: GPL-3.0-or-later
/// Puts a session together: plan, agent, store. What a face calls to have a campaign run.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/app/agent/agent_runner.hpp"
#include "host/app/rig/rig_route.hpp"
#include "host/base/result.hpp"
#include "host/campaign/event.hpp"
#include "host/campaign/summary.hpp"
#include "host/plan/plan.hpp"
#include "host/store/store.hpp"

namespace mediarig::app {

/// Reads and checks a plan file. Fails with bad_request; every fault of the plan is a line of its own in `faults`.
[[nodiscard]] Result<plan::Plan> load_plan(const std::filesystem::path& file, std::vector<std::string>& faults);
/// The same for a plan that is only looked at: nothing in it has to be confirmed.
[[nodiscard]] Result<plan::Plan> load_plan_to_look(const std::filesystem::path& file, std::vector<std::string>& faults);

/// The database with the logs of devices beside it. Fails with store_failed.
[[nodiscard]] Result<std::unique_ptr<store::Store>> open_results(const std::filesystem::path& database);

/// Whether a device that the plan gave no label has its user's nickname for one. A record that others may hold against
/// its sum has no nicknames.
enum class Nicknamed : std::uint8_t { shown, left_out };
/// One campaign of a store that exists and need not be writable, by any word that find_campaign() takes, to be read one
/// device at a time: its devices as Store::outline has them, and the way to the rest. Fails as
/// find_campaign().
struct OpenCampaign {
    std::uint64_t number{}; ///< as 'mediarig campaigns' shows it
    store::CampaignView outline;
    /// Makes one of its devices whole. Fails as Store::load_device.
    std::function<Result<void>(store::DeviceView& device)> load;
};
[[nodiscard]] Result<OpenCampaign> open_campaign(const std::filesystem::path& database, const std::string& campaign,
                                                 Nicknamed nicknamed = Nicknamed::shown);
/// All of it.
[[nodiscard]] Result<store::CampaignView> load_campaign(const std::filesystem::path& database,
                                                        const std::string& campaign);

/// The last line of each step of a campaign, by the step's key. `campaign` is a whole id.
using Journal = std::map<std::string, store::StepRecord>;
[[nodiscard]] Result<Journal> load_journal(const std::filesystem::path& database, const std::string& campaign);

struct RunOptions {
    AgentChoice agent;
    std::filesystem::path store;
    RigChoice rig;
    bool resume{false};              ///< the newest unfinished campaign of this very plan
    std::optional<unsigned> lanes{}; ///< as session::Campaign::lanes
    bool measure_uplinks{false};     ///< as session::UplinkUse::measure; what comes out is kept beside the store
    std::optional<double> audited{}; ///< as session::UplinkUse::audited
    bool while_locked{false};        ///< also on a station that its golden medium has locked
    /// For what cannot be resumed: where all of it was refused or asked for wrongly before anything was made, the store
    /// keeps nothing of it, and run_plan() fails with the reason.
    bool discard_refused{false};
    std::string resume_with{}; ///< see store::Origin
    /// What whoever started the run should know about it at once, one line each: what will be missing, before anything
    /// is written; that it cannot be watched; what its end waits for.
    std::function<void(const std::string& line)> warn{};
};

/// Runs the plan to its end, or until somebody stops it. Meanwhile it can be watched, and be stopped, through its
/// socket beside the store (host/campaign/events/socket); a place that has no sockets keeps nothing from running. Fails
/// where nothing could be begun: bad_request (nothing to resume, a slot without a rig), store_failed, the agent's
/// errors.
[[nodiscard]] Result<session::Summary> run_plan(const plan::Plan& plan, const RunOptions& options,
                                                const session::OnEvent& tell);

/// Closes a campaign that nobody wants to go on with, named as for find_campaign(). Fails as that does, with
/// bad_request (closed already), refused (it is running), store_failed.
[[nodiscard]] Result<session::Summary> give_up_campaign(const std::filesystem::path& database,
                                                        const std::string& campaign);

} // namespace mediarig::app
