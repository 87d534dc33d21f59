// SPDX-License-Identifier: GPL-3.0-or-later
/// What each kind of step does: one call to the agent, and what it left in the record.
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
#include "host/campaign/run/campaign.hpp"
#include "host/campaign/run/campaign_context.hpp"
#include "host/campaign/run/card_identity.hpp"
#include "host/campaign/run/medium_state.hpp"
#include "host/plan/plan.hpp"
#include "host/plan/steps.hpp"

namespace mediarig::session {

/// Where somebody asked to stop, a volume that does not let go is taken from its driver by force.
[[nodiscard]] boost::asio::awaitable<Result<void>> release_claim(agent::AgentClient& agent, agent::ClaimId claim,
                                                                 const StopSignal& stop);
/// The record of a medium that could not be identified; its key is a stand-in and binds nobody. `target` may be empty.
[[nodiscard]] store::DeviceRecord unidentified(const plan::MediumRef& ref, const std::string& target);

/// What a suite may use of an identified medium: free space where it is mounted, else all that was identified.
[[nodiscard]] Bytes available(const MediumState& medium);

[[nodiscard]] agent::RunTarget target_of(const plan::Step& step, const MediumState& medium);

/// What is told of a pass of so many cells.
[[nodiscard]] measure::Findings findings_of(const BesideOthers& beside, std::size_t cells);
/// How far the cells of a pass that was made beside others are from those of the same pass alone.
[[nodiscard]] measure::Finding compared_with_alone(const std::vector<workload::CellResult>& beside,
                                                   const std::vector<workload::CellResult>& alone);

/// Interrupts the calls that are at work when the caller next waits for something.
void cancel_soon(const boost::asio::any_io_executor& executor, agent::AgentClient& agent);

/// Which media of the campaign were identified, by this attempt or one before.
struct Identified {
    std::map<std::string, std::string> keys; ///< medium's name -> DeviceRecord::key
    std::vector<KnownCard> cards;            ///< that say which card they are, in the order in which they were met
};

class StepActions {
public:
    using Done = boost::asio::awaitable<Result<void>>;
    /// `meter`: null where uplinks are not measured.
    StepActions(CampaignContext& context, Identified before, uplink::Meter* meter)
        : context_(context), meter_(meter), identified_(std::move(before)) {}

    /// What came out, in a few words for people. An Error is a step that could not be carried out.
    [[nodiscard]] boost::asio::awaitable<Result<std::string>> perform(std::size_t index, const plan::Step& step,
                                                                      MediumState& medium);
    /// What its verdict means for where the rig puts it; one that was not judged goes back to where it came from.
    [[nodiscard]] static rig::Sorting sorting_of(const MediumState& medium);
    /// A medium that could not be identified still gets its place in the record.
    [[nodiscard]] Done give_up_unidentified(MediumState& medium);
    /// Whether what is recorded of it already makes it FAIL or FAKE.
    [[nodiscard]] boost::asio::awaitable<Result<bool>> found_a_fault(MediumState& medium);
    /// Why the rig, and not the medium, may be what failed. What another lane's motion met is got over first.
    [[nodiscard]] boost::asio::awaitable<std::optional<Error>> trouble_of_rig();
    /// Whether the pass that was made last was measured beside others and is drawn to be repeated alone.
    [[nodiscard]] bool audit_is_due(const MediumState& medium) const;
    /// Repeats it, and keeps how the rates differ. The caller has seen to it that nothing else is at work.
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
    Outcome check(const plan::Step& step, MediumState& medium);
    Outcome unmount(MediumState& medium);
    /// Waits for what the format that was mounted does by itself.
    Outcome settle(MediumState& medium);
    [[nodiscard]] boost::asio::awaitable<Result<store::Rest>> look_at_rest(MediumState& medium);
    /// The head of the claimed medium; nothing of it is a result.
    [[nodiscard]] boost::asio::awaitable<Result<workload::CellResult>> write_in_order(MediumState& medium,
                                                                                      const char* name, Bytes length);
    /// Fails where somebody asks to stop.
    Done leave_alone(std::chrono::milliseconds time);
    Outcome release(MediumState& medium);
    Outcome unload(MediumState& medium);
    Outcome judge(MediumState& medium);
    [[nodiscard]] boost::asio::awaitable<Result<measure::Verdict>> assessed(const MediumState& medium);
    /// Keeps what the passes of a medium say of their order.
    [[nodiscard]] Done compare_passes(const MediumState& medium);
    /// The key of the medium's record: emulated cards and cards in readers may all give the same one.
    [[nodiscard]] std::string key_of(const media::Medium& identity, const plan::MediumRef& ref) const;
    void tell_progress(std::size_t index, const agent::RunProgress& progress, const workload::JobSpec& job) const;
    Done keep_findings(const MediumState& medium, const std::string& pass, const measure::Findings& findings);
    /// Keeps those about the device that an earlier attempt did not keep already.
    Done keep_new_findings(const MediumState& medium, measure::Findings findings);
    /// Notes which medium it is, before anything is waited for: what another lane identifies meanwhile is compared with
    /// it. The cards of this campaign that were noted before it.
    std::vector<KnownCard> note_identity(const store::DeviceRecord& record);
    /// The cards that other campaigns know by their registers.
    [[nodiscard]] boost::asio::awaitable<Result<std::vector<KnownCard>>> earlier_cards();

    CampaignContext& context_;
    uplink::Meter* meter_;
    Identified identified_;
    std::optional<std::vector<KnownCard>> earlier_cards_; ///< once they were looked up
};

} // namespace mediarig::session
