// SPDX-License-Identifier: GPL-3.0-or-later
/// Performs each kind of step: calls the agent once and stores the result in the record.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/base/result.hpp"
#include "host/campaign/resources/admission.hpp"
#include "host/campaign/resources/transfers.hpp"
#include "host/campaign/resources/uplink/meter.hpp"
#include "host/campaign/run/campaign_context.hpp"
#include "host/campaign/run/card_identity.hpp"
#include "host/campaign/run/medium_state.hpp"
#include "host/plan/plan.hpp"
#include "host/plan/steps.hpp"

namespace mediarig::campaign {

/// Releases a claim. After a stop request, a busy volume is detached from its driver by force.
[[nodiscard]] boost::asio::awaitable<Result<void>> release_claim(agent::AgentClient& agent, agent::ClaimId claim,
                                                                 const StopSignal& stop);
/// Returns the record of a medium that could not be identified; its key is a placeholder and matches no medium.
/// `target` may be empty.
[[nodiscard]] store::DeviceRecord unidentified(const plan::MediumRef& ref, const std::string& target);

[[nodiscard]] agent::RunTarget target_of(const plan::Step& step, const MediumState& medium);

/// Returns the findings about concurrent transfers during a pass with this number of cells.
[[nodiscard]] measure::Findings findings_of(const ConcurrentCells& beside, std::size_t cells);
/// Returns the difference between the cells of a pass made in parallel with other media and the same pass made alone.
[[nodiscard]] measure::Finding isolation_finding(const std::vector<workload::CellResult>& beside,
                                                 const std::vector<workload::CellResult>& alone);

/// Interrupts the running calls when the caller next waits.
void cancel_soon(const boost::asio::any_io_executor& executor, agent::AgentClient& agent);

/// Media of the campaign that this attempt or a previous one identified.
struct KnownMedia {
    std::map<std::string, std::string> keys; ///< medium's name -> DeviceRecord::key
    std::vector<KnownCard> cards;            ///< cards with a CID, in the order of identification
};

class StepActions {
public:
    using Done = boost::asio::awaitable<Result<void>>;
    /// `meter`: null if uplinks are not measured.
    StepActions(CampaignContext& context, KnownMedia before, uplink::Meter* meter)
        : context_(context), meter_(meter), identified_(std::move(before)) {}

    /// Returns a short result for display. An error means that the step could not be carried out.
    [[nodiscard]] boost::asio::awaitable<Result<std::string>> perform(std::size_t index, const plan::Step& step,
                                                                      MediumState& medium);
    /// Returns where the rig puts a medium with this verdict; a medium without a verdict returns to its pocket.
    [[nodiscard]] static rig::Sorting sorting_of(const MediumState& medium);
    /// Adds a record for a medium that could not be identified.
    [[nodiscard]] Done record_unidentified(MediumState& medium);
    /// True if the records already make the medium FAIL or FAKE.
    [[nodiscard]] boost::asio::awaitable<Result<bool>> found_a_fault(MediumState& medium);
    /// Returns the error if the rig, not the medium, may have caused a failure. Waits first until the motion of another
    /// lane, with its recovery, has ended.
    [[nodiscard]] boost::asio::awaitable<std::optional<Error>> rig_fault_of();
    /// True if the last pass was measured in parallel with other media and is selected for repetition alone.
    [[nodiscard]] bool audit_is_due(const MediumState& medium) const;
    /// Repeats the pass and stores the difference of the rates. The caller ensures that no other lane measures.
    [[nodiscard]] Done audit(std::size_t index, const plan::Step& step, MediumState& medium);
    [[nodiscard]] Done note_untested(MediumState& medium, const plan::Step& step, const std::string& why);

private:
    using Outcome = boost::asio::awaitable<Result<std::string>>;
    Outcome load(MediumState& medium);
    Outcome identify(MediumState& medium);
    Outcome claim(MediumState& medium);
    Outcome discard(MediumState& medium);
    Outcome rest(const plan::Step& step, MediumState& medium);
    Outcome format(const plan::Step& step, MediumState& medium);
    Outcome mount(const plan::Step& step, MediumState& medium);
    Outcome run(std::size_t index, const plan::Step& step, MediumState& medium);
    /// Fails with bad_request if nothing can cut the power of the medium.
    [[nodiscard]] Result<void> check_replug(const plan::Step& step, const MediumState& medium) const;
    /// Releases the medium, cuts its power and claims it again. Returns the way in which the power was cut.
    Outcome power_cycle(MediumState& medium);
    /// Cuts the power, then reads the data back that the writing pass of `job` has written. `written`: its report.
    [[nodiscard]] boost::asio::awaitable<Result<agent::RunReport>> read_after_power_cycle(
        const plan::Step& step, MediumState& medium, workload::JobSpec job, std::vector<workload::PreviousCell> done,
        agent::RunReport written, agent::RunHandlers handlers);
    Outcome check(const plan::Step& step, MediumState& medium);
    Outcome unmount(MediumState& medium);
    /// Waits for the background work of the mounted format.
    Outcome wait_idle(MediumState& medium);
    [[nodiscard]] boost::asio::awaitable<Result<store::Rest>> read_rest_state(MediumState& medium);
    /// Writes the beginning of the claimed medium; the rate is not stored as a result.
    [[nodiscard]] boost::asio::awaitable<Result<workload::CellResult>> write_in_order(MediumState& medium,
                                                                                      const char* name, Bytes length);
    /// Waits for `time`; fails on a stop request.
    Done leave_alone(std::chrono::milliseconds time);
    Outcome release(MediumState& medium);
    Outcome unload(MediumState& medium);
    Outcome judge(MediumState& medium);
    [[nodiscard]] boost::asio::awaitable<Result<measure::Verdict>> assessed(const MediumState& medium);
    /// Stores the effect of the order of a medium's passes.
    [[nodiscard]] Done compare_passes(const MediumState& medium);
    /// Returns the key of the medium's record. Emulated cards and cards in readers may all report the same key, so this
    /// key must distinguish them.
    [[nodiscard]] std::string key_of(const media::Medium& identity, const plan::MediumRef& ref) const;
    void report_progress(std::size_t index, const agent::RunProgress& progress, const workload::JobSpec& job) const;
    Done keep_findings(const MediumState& medium, const measure::Findings& findings);
    /// Stores the findings about the device that an earlier attempt did not store.
    Done keep_new_findings(const MediumState& medium, measure::Findings findings);
    /// Notes the identity before the first wait, so that other lanes compare their media with it. Returns the cards of
    /// this campaign that were noted before.
    std::vector<KnownCard> note_identity(const store::DeviceRecord& record);
    /// Returns the cards of other campaigns whose registers are known.
    [[nodiscard]] boost::asio::awaitable<Result<std::vector<KnownCard>>> earlier_cards();

    CampaignContext& context_;
    uplink::Meter* meter_;
    KnownMedia identified_;
    std::optional<std::vector<KnownCard>> earlier_cards_; ///< set by the first query
};

} // namespace mediarig::campaign
