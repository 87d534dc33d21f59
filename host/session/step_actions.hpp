// SPDX-License-Identifier: GPL-3.0-or-later
/// What each kind of step does: one call to the agent, and what it left in the record.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/plan/plan.hpp"
#include "host/plan/steps.hpp"
#include "host/result.hpp"
#include "host/session/campaign.hpp"
#include "host/session/medium_state.hpp"
#include "host/session/teller.hpp"

namespace mediarig::session {

/// What an earlier attempt left of a resumed campaign.
struct Earlier {
    std::map<std::string, std::string> devices; ///< medium's name -> DeviceRecord::key
    std::map<std::string, std::vector<std::string>>
        cells; ///< pass -> ids of its finished cells, "id@BYTES" of one that came so far
    std::map<std::string, std::uint32_t> passes;  ///< DeviceRecord::key -> passes begun
    std::set<std::string> fakes;                  ///< DeviceRecord::key of media that hold less than they claim
    std::map<std::string, measure::Grade> grades; ///< medium's name -> its verdict
    /// Medium's name -> what was on it before the first write, or nothing where that could not be inspected in time.
    std::map<std::string, std::optional<media::InspectReport>> found;
};

/// Where somebody asked to stop, a volume that does not let go is taken from its driver by force.
[[nodiscard]] boost::asio::awaitable<Result<void>> release_claim(agent::AgentClient& agent, agent::ClaimId claim,
                                                                 const StopSignal& stop);
/// The record of a medium that could not be identified; its key is a stand-in and binds nobody. `target` may be empty.
[[nodiscard]] store::DeviceRecord unidentified(const plan::MediumRef& ref, const std::string& target);

/// Interrupts the call that is at work when the caller next waits for something.
void cancel_soon(const boost::asio::any_io_executor& executor, agent::AgentClient& agent);

class StepActions {
public:
    StepActions(const plan::Plan& plan, const Campaign& campaign, const Ports& ports, const Teller& tell,
                const StopSignal& stop, Earlier earlier);

    /// What came out, in a few words for people. An Error is a step that could not be carried out.
    [[nodiscard]] boost::asio::awaitable<Result<std::string>> perform(std::size_t index, const plan::Step& step,
                                                                      MediumState& medium);
    /// What its verdict means for where the rig puts it; one that was not judged goes back to where it came from.
    [[nodiscard]] static rig::Sorting sorting_of(const MediumState& medium);
    /// A medium that could not be identified still gets its place in the record.
    [[nodiscard]] Result<void> give_up_unidentified(MediumState& medium);
    /// Whether what is recorded of it already makes it FAIL or FAKE.
    [[nodiscard]] bool found_a_fault(const MediumState& medium) const;
    [[nodiscard]] Result<void> note_untested(const MediumState& medium, const plan::Step& step, const std::string& why);

private:
    using Outcome = boost::asio::awaitable<Result<std::string>>;
    Outcome load(MediumState& medium);
    Outcome identify(MediumState& medium);
    Outcome claim(MediumState& medium);
    Outcome format(const plan::Step& step, MediumState& medium);
    Outcome mount(const plan::Step& step, MediumState& medium);
    Outcome run(std::size_t index, const plan::Step& step, MediumState& medium);
    Outcome check(const plan::Step& step, MediumState& medium);
    Outcome unmount(MediumState& medium);
    Outcome release(MediumState& medium);
    Outcome unload(MediumState& medium);
    Result<std::string> judge(MediumState& medium);
    [[nodiscard]] Result<measure::Verdict> assessed(const MediumState& medium) const;
    /// Between two calls of one step: the stop signal has nothing to interrupt then.
    [[nodiscard]] std::optional<Error> stopped() const;

    /// The key of the medium's record: emulated cards and cards in readers may all give the same one.
    [[nodiscard]] std::string key_of(const media::Medium& identity, const plan::MediumRef& ref) const;
    Result<void> keep_findings(const MediumState& medium, const std::string& pass, const measure::Findings& findings);

    const plan::Plan& plan_;
    const Campaign& campaign_;
    Ports ports_;
    const Teller& tell_;
    const StopSignal& stop_;
    Earlier earlier_;
    std::map<std::string, std::string> keys_; ///< medium's name -> DeviceRecord::key, of this campaign
};

} // namespace mediarig::session
