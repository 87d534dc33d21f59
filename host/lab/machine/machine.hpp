// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: the lab's virtual machine, with slots into which media go while it runs. Adapter: qemu_machine.cpp.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/agent/client/agent_client.hpp"
#include "host/agent/client/agent_link.hpp"
#include "host/base/result.hpp"
#include "host/lab/machine/machine_spec.hpp"
#include "host/lab/machine/slot.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::lab {

/// For records: what ran.
struct MachineReport {
    std::string qemu_version;
    Accelerator accelerator{};
    std::chrono::milliseconds boot{}; ///< from the start of QEMU to the agent's first answer
    std::int64_t process{};           ///< of QEMU
};

struct ShellAnswer {
    int exit_status{};
    std::string output; ///< standard output and error together
};

/// Everything happens on the executor the machine was made with, which must run on one thread at a time, and that
/// thread must live as long as the machine: the kernel ends QEMU with it. Calls for different slots may overlap.
///
/// Errors of every call: rig_fault (QEMU, or the guest in it, broke or hangs: infrastructure, never a bad card),
/// bad_request (no such slot, wrong order), timed_out (QEMU does not answer).
class Machine {
public:
    template <class T>
    using Answer = boost::asio::awaitable<Result<T>>;

    virtual ~Machine() = default;

    /// Boots and waits for the guest's agent. Besides: no_driver (no QEMU, no image, too little memory or room).
    [[nodiscard]] virtual Answer<MachineReport> start(MachineSpec spec) = 0;
    /// Asks QEMU to end, kills it where it does not. Idempotent. Nothing is left: no process, no socket, no file.
    [[nodiscard]] virtual Answer<void> stop() = 0;
    /// Why the machine cannot go on; nothing while it can. Links to its agent end with the same error.
    [[nodiscard]] virtual std::optional<Error> failure() const = 0;
    /// Ends it at once, also a stop() that waits, with `why` as its failure (rig_fault): for an owner who will not
    /// wait, or who knows that what the guest sees from now on is not what its media do.
    virtual void abandon(std::string why) = 0;

    /// A drive plugged into its port, or a card inserted into its slot, as the kind of the slot wants it. Besides:
    /// no_medium (no such image file), no_permission.
    [[nodiscard]] virtual Answer<void> plug(SlotId slot, LabMedium medium) = 0;
    /// Pulled without warning, as people do. What QEMU had accepted reaches the card.
    [[nodiscard]] virtual Answer<void> unplug(SlotId slot) = 0;
    /// Pulled, with the line to the card model cut before any flush: who owns the card now decides what it had not kept
    /// yet. On an image file, which keeps everything, this is unplug().
    [[nodiscard]] virtual Answer<void> cut_power(SlotId slot) = 0;
    /// At once, for the slot, whatever is or will be in it.
    [[nodiscard]] virtual Answer<void> throttle(SlotId slot, Limits limits) = 0;
    /// Replaces what was injected before. Never on an SD slot, whose model swallows errors: bad_request.
    [[nodiscard]] virtual Answer<void> inject_errors(SlotId slot, std::vector<InjectedError> errors) = 0;
    [[nodiscard]] virtual Answer<void> clear_errors(SlotId slot) = 0;

    /// To the guest's agent; described as "lab". One at a time: a second one waits until the first is closed.
    [[nodiscard]] virtual std::unique_ptr<agent::AgentLink> agent_link() = 0;
    /// Runs a shell script in the guest, beside the agent. One at a time; others wait. Besides: timed_out.
    [[nodiscard]] virtual Answer<ShellAnswer> diagnose(std::string script, std::chrono::milliseconds within) = 0;

    /// Whether this block device of the guest is the medium that is in the slot now: its place, its size, its serial
    /// where it has one.
    [[nodiscard]] virtual bool matches(SlotId slot, const media::Medium& device) const = 0;
    /// Until the agent lists exactly that device. Besides: no_medium (it never appears; names slot and medium), and
    /// the agent's errors.
    [[nodiscard]] virtual Answer<media::Medium> wait_for(SlotId slot, agent::AgentClient& agent) = 0;
    /// Until the agent lists no medium at the slot's place.
    [[nodiscard]] virtual Answer<void> wait_until_gone(SlotId slot, agent::AgentClient& agent) = 0;
};

[[nodiscard]] std::unique_ptr<Machine> make_qemu_machine(const boost::asio::any_io_executor& executor);

} // namespace mediarig::lab
