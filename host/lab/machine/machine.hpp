// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: the lab's virtual machine, with slots for media that are exchanged while it runs. Adapters: qemu_machine.cpp,
/// host/lab/virtual/virtual_time_machine.hpp.
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

class CardStarter; // host/lab/card/emulated_card.hpp

/// Facts about the running machine for records.
struct MachineReport {
    std::string version; ///< of QEMU, or of the guest's kernel in virtual time
    Accelerator accelerator{};
    std::chrono::milliseconds boot{}; ///< time from the start of the process to the first answer of the agent
    std::int64_t process{};           ///< id of the machine's process
};

struct ShellAnswer {
    int exit_status{};
    std::string output; ///< standard output and standard error
};

/// All methods run on the executor of the machine, which must run on one thread at a time. That thread must live as
/// long as the machine: the kernel kills QEMU when the thread ends. Calls for different slots may overlap.
///
/// Errors of every call: rig_fault (QEMU or the guest failed or does not respond: an infrastructure fault, never a bad
/// card), bad_request (no such slot, wrong order), timed_out (QEMU does not answer).
class VirtualMachine {
public:
    template <class T>
    using Answer = boost::asio::awaitable<Result<T>>;

    virtual ~VirtualMachine() = default;

    /// Boots and waits for the guest's agent. Additional errors: no_driver (no QEMU, no image, too little memory or
    /// space).
    [[nodiscard]] virtual Answer<MachineReport> start(MachineSpec spec) = 0;
    /// Asks QEMU to quit and kills it on timeout. Idempotent. Leaves no process, socket or file.
    [[nodiscard]] virtual Answer<void> stop() = 0;
    /// Returns the reason why the machine failed; nothing while it works. Links to its agent end with the same error.
    [[nodiscard]] virtual std::optional<Error> failure() const = 0;
    /// Ends the machine at once, also during a stop(), with `why` as its failure (rig_fault): for an owner that will
    /// not wait, or whose media can no longer present their own behaviour to the guest.
    virtual void abandon(std::string why) = 0;

    /// Plugs a drive into its port or inserts a card into its slot, according to the kind of the slot. Additional
    /// errors: no_medium (no such image file), no_permission.
    [[nodiscard]] virtual Answer<void> plug(SlotId slot, LabMedium medium) = 0;
    /// Surprise removal. Data that QEMU accepted reaches the card.
    [[nodiscard]] virtual Answer<void> unplug(SlotId slot) = 0;
    /// Surprise removal that also cuts the connection to the card model before any flush: the owner of the card then
    /// decides about data that is not stored yet. On an image file, which stores everything, this equals unplug().
    [[nodiscard]] virtual Answer<void> cut_power(SlotId slot) = 0;
    /// Applies at once to the slot and to every medium inserted later.
    [[nodiscard]] virtual Answer<void> throttle(SlotId slot, Limits limits) = 0;
    /// Replaces earlier injections. Refused on an SD slot, whose model ignores errors: bad_request.
    [[nodiscard]] virtual Answer<void> inject_errors(SlotId slot, std::vector<InjectedError> errors) = 0;
    [[nodiscard]] virtual Answer<void> clear_errors(SlotId slot) = 0;

    /// True if the guest's clock advances only with its work: figures do not depend on this computer.
    [[nodiscard]] virtual bool runs_in_virtual_time() const { return false; }
    /// Starts card models inside the guest; null if the machine has none there. Valid after start().
    [[nodiscard]] virtual CardStarter* own_cards() { return nullptr; }

    /// Returns a link to the guest's agent; described as "lab". One link at a time: a second link waits until the first
    /// is closed.
    [[nodiscard]] virtual std::unique_ptr<agent::AgentLink> agent_link() = 0;
    /// Runs a shell script in the guest, independent of the agent. One script at a time; others wait. Additional error:
    /// timed_out.
    [[nodiscard]] virtual Answer<ShellAnswer> diagnose(std::string script, std::chrono::milliseconds within) = 0;

    /// True if this block device of the guest is the medium in the slot: same place, same size, and same serial if it
    /// has one.
    [[nodiscard]] virtual bool matches(SlotId slot, const media::Medium& device) const = 0;
    /// Waits until the agent lists exactly that device. Additional errors: no_medium (it never appears; the detail
    /// names slot and medium), and the agent's errors.
    [[nodiscard]] virtual Answer<media::Medium> wait_for(SlotId slot, agent::AgentClient& agent) = 0;
    /// Waits until the agent lists no medium at the slot's place.
    [[nodiscard]] virtual Answer<void> wait_until_gone(SlotId slot, agent::AgentClient& agent) = 0;
};

[[nodiscard]] std::unique_ptr<VirtualMachine> make_qemu_machine(const boost::asio::any_io_executor& executor);

} // namespace mediarig::lab
