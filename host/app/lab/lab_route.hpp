// SPDX-License-Identifier: GPL-3.0-or-later
/// Route into the virtual lab: boots its machine and provides the rig that loads the slots of a plan.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/app/agent/agent_runner.hpp"
#include "host/lab/image/guest_image.hpp"
#include "host/lab/lab_rig.hpp"
#include "host/lab/machine/machine.hpp"
#include "host/lab/machine/private_directory.hpp"
#include "host/plan/plan.hpp"

namespace mediarig::app {

/// The checked contents of a plan's lab.
struct LabSetup {
    std::vector<lab::LabSlot> slots;
    std::map<SlotId, rig::LabCard> cards;
    std::map<SlotId, Bytes> claimed; ///< claimed capacity of each medium
    std::optional<Bytes> uplink{};   ///< as lab::MachineSpec::uplink
    plan::LabMachine machine{plan::LabMachine::qemu};
};

/// `backings`: folder of the media's contents. Fails with bad_request: an unknown card, an invalid model, a size that
/// the slot does not support.
[[nodiscard]] Result<LabSetup> set_up_lab(const std::vector<plan::EmulatedMedium>& lab,
                                          const std::filesystem::path& backings,
                                          std::optional<Bytes> uplink = std::nullopt,
                                          plan::LabMachine machine = plan::LabMachine::qemu);

/// Fails with bad_request if one virtual machine cannot hold all slots at once.
[[nodiscard]] Result<void> check_slots(const LabSetup& setup);

class LabRoute final : public Route {
public:
    LabRoute(LabSetup setup, std::filesystem::path backings, lab::ImageOptions image = lab::default_image_options());
    ~LabRoute() override;

    /// Fails with no_driver (no guest image; no QEMU or nbdkit for the machine qemu), rig_fault, io_failed.
    boost::asio::awaitable<Result<std::unique_ptr<agent::AgentLink>>> open(
        const boost::asio::any_io_executor& executor) override;
    boost::asio::awaitable<Result<void>> close() override;
    /// Cuts the guest's power; the cards keep their contents.
    void expedite_close() override;

    /// Null before open() succeeds and after close(): the rig uses the executor of open().
    [[nodiscard]] rig::LabRig* rig() override { return rig_.get(); }
    [[nodiscard]] lab::VirtualMachine* machine() { return machine_.get(); }
    /// Folder with a short path for sockets; exists after open().
    [[nodiscard]] std::filesystem::path sockets() const { return sockets_->path(); }

private:
    [[nodiscard]] Result<void> prepare_media() const;
    [[nodiscard]] boost::asio::awaitable<Result<lab::MachineReport>> start_qemu(boost::asio::any_io_executor executor);
    [[nodiscard]] boost::asio::awaitable<Result<lab::MachineReport>> start_virtual(
        boost::asio::any_io_executor executor);

    LabSetup setup_;
    std::filesystem::path backings_;
    lab::ImageOptions image_;
    std::optional<lab::PrivateDirectory> sockets_;
    std::unique_ptr<lab::VirtualMachine> machine_;
    std::unique_ptr<lab::CardStarter> starter_; ///< null if the machine has its own
    bool opening_{false};
    std::shared_ptr<bool> watching_ = std::make_shared<bool>(true);
    std::unique_ptr<rig::LabRig> rig_;
};

} // namespace mediarig::app
