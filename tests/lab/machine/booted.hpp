// SPDX-License-Identifier: GPL-3.0-or-later
/// One booted machine for a whole test case, with a card in any slot and an agent.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/agent/client/agent_client.hpp"
#include "host/lab/image/guest_image.hpp"
#include "host/lab/machine/bound_process.hpp"
#include "host/lab/machine/machine.hpp"
#include "tests/agent/client_harness.hpp"
#include "tests/scratch.hpp"

namespace mediarig::lab {

/// The user's cache, and the agent of this build.
[[nodiscard]] ImageOptions test_image_options();
/// The image in the user's cache with the agent of this build. MEDIARIG_LAB_KERNEL and MEDIARIG_LAB_INITRD name another
/// one. Empty if none was built.
[[nodiscard]] std::optional<BootFiles> cached_image();
/// The image for virtual time in the user's cache, with the programs of this build. MEDIARIG_LAB_VIRTUAL_KERNEL and
/// MEDIARIG_LAB_VIRTUAL_INITRD name another one. Fails if none was built.
[[nodiscard]] Result<BootFiles> cached_virtual_image();

/// nbdkit with one file at a Unix socket. The destructor ends it.
class NbdServer {
public:
    /// Socket and log are in `folder`. `words` are arguments of nbdkit.
    NbdServer(const std::string& folder, const std::string& name, std::vector<std::string> words);
    [[nodiscard]] LabMedium medium(std::string serial = {}) const {
        return {MediumSource::nbd(socket_), std::move(serial)};
    }
    [[nodiscard]] const std::string& socket() const { return socket_; }
    void kill() { process_->kill(); }

private:
    std::string socket_;
    std::optional<BoundProcess> process_;
};

class Booted {
public:
    /// `patience`: time limit of each answer.
    explicit Booted(MachineSpec spec, std::chrono::minutes patience = std::chrono::minutes(2));
    ~Booted();

    agent::ClientHarness talk;
    std::unique_ptr<VirtualMachine> machine;
    Result<MachineReport> report = fail(Errc::bad_request, "not started");

    template <class T>
    Result<T> ask(boost::asio::awaitable<Result<T>> call) {
        return talk.ask(std::move(call));
    }
    /// Returns a new controller.
    std::unique_ptr<agent::AgentClient> controller();
    /// Runs a script in the guest. Returns "status: output" if the script fails.
    std::string shell(const std::string& script);
    /// Plugs a medium and waits for it. Returns the guest's node, or the error.
    std::string plug(agent::AgentClient& agent, std::uint8_t slot, const LabMedium& medium);
    std::string unplug(agent::AgentClient& agent, std::uint8_t slot);
    /// Duration of the last plug() or unplug(), including the wait for the medium.
    std::chrono::milliseconds took{};
};

/// Puts an opened object into a shared_ptr, because ClientHarness::ask copies its result.
template <class T>
boost::asio::awaitable<Result<std::shared_ptr<T>>> shared(boost::asio::awaitable<Result<T>> opening) {
    auto opened = co_await std::move(opening);
    if (!opened) co_return fail(std::move(opened.error()));
    co_return std::make_shared<T>(std::move(*opened));
}

/// Returns true if a process with this id exists and is not a zombie.
[[nodiscard]] bool lives(pid_t process);
/// Ids of the processes whose command line contains `text`.
[[nodiscard]] std::vector<pid_t> processes_with(const std::string& text);
/// Polls a condition for at most a minute.
[[nodiscard]] bool comes_true(const std::function<bool()>& condition);

} // namespace mediarig::lab
