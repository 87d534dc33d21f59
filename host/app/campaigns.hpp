// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs a campaign: connects plan, agent and store. Called by the user interfaces.
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
#include "host/campaign/resume.hpp"
#include "host/campaign/summary.hpp"
#include "host/plan/plan.hpp"
#include "host/store/store.hpp"

namespace mediarig::app {

/// Reads and checks a plan file. Fails with bad_request; `faults` then contains one line per fault.
[[nodiscard]] Result<plan::Plan> load_plan(const std::filesystem::path& file, std::vector<std::string>& faults);
/// Like load_plan(), for display only: the plan needs no confirmations.
[[nodiscard]] Result<plan::Plan> load_plan_to_look(const std::filesystem::path& file, std::vector<std::string>& faults);

/// Opens the database with the device logs next to it. Fails with store_failed.
[[nodiscard]] Result<std::unique_ptr<store::Store>> open_results(const std::filesystem::path& database);

enum class CampaignForm : std::uint8_t {
    shown, ///< a device without a label in the plan has the user's nickname; cells have no raw logs
    record ///< as recorded, with the raw logs: other parties verify it by its checksum
};
/// One campaign of an existing store, found by any word that find_campaign() accepts; read access suffices. Devices are
/// loaded as in Store::outline; `load` completes one of them. Fails like find_campaign().
struct OpenCampaign {
    std::uint64_t number{}; ///< as shown by 'mediarig campaigns'
    store::CampaignView outline;
    /// Loads a device of the campaign completely. Fails like Store::load_device.
    std::function<Result<void>(store::DeviceView& device)> load;
};
[[nodiscard]] Result<OpenCampaign> open_campaign(const std::filesystem::path& database, const std::string& campaign,
                                                 CampaignForm form = CampaignForm::shown);
/// Loads the complete campaign.
[[nodiscard]] Result<store::CampaignView> load_campaign(const std::filesystem::path& database,
                                                        const std::string& campaign);

/// The last journal entry of each step of a campaign, by step key. `campaign` is a complete id.
using campaign::Journal;
[[nodiscard]] Result<Journal> load_journal(const std::filesystem::path& database, const std::string& campaign);

struct RunOptions {
    AgentChoice agent;
    std::filesystem::path store;
    RigChoice rig;
    bool resume{false};              ///< resume the newest unfinished campaign with exactly this plan
    std::optional<unsigned> lanes{}; ///< as campaign::Campaign::lanes
    bool measure_uplinks{false};     ///< as campaign::UplinkUse::measure; the result is stored next to the store
    std::optional<double> audited{}; ///< as campaign::UplinkUse::audited
    bool while_locked{false};        ///< also run on a station that is locked because of its golden medium
    /// For commands that cannot be resumed: if everything was refused or invalid before any work began, the store keeps
    /// no campaign, and run_plan() fails with the reason.
    bool discard_refused{false};
    bool named_after_medium{}; ///< the campaign's name is the title of the plan's first medium and the plan's name
    std::string retest_of{};   ///< see store::Origin
    std::string resume_with{}; ///< see store::Origin
    /// Called after the checks and before the campaign begins: writes the plan to a file, and returns `resume_with`.
    std::function<Result<std::string>()> keep_plan{};
    /// Receives warnings, one line each: parts that will probably remain untested (before anything is written); a
    /// campaign that cannot be watched; the cause of a delayed end.
    std::function<void(const std::string& line)> warn{};
};

/// Runs the plan until it ends or is stopped. A socket next to the store (host/campaign/events/socket) lets other
/// processes watch and stop the campaign, which also runs if the folder does not support sockets. Fails if nothing
/// could be started: bad_request (nothing to resume, a slot without a rig), store_failed, the agent's errors.
[[nodiscard]] Result<campaign::Summary> run_plan(const plan::Plan& plan, const RunOptions& options,
                                                 const campaign::OnEvent& tell);

/// Closes an unfinished campaign, named as for find_campaign(). Fails like find_campaign(), with bad_request (already
/// closed), refused (the campaign is running), store_failed.
[[nodiscard]] Result<campaign::Summary> abandon_campaign(const std::filesystem::path& database,
                                                         const std::string& campaign);

} // namespace mediarig::app
