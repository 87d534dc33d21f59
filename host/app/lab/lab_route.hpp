// SPDX-License-Identifier: GPL-3.0-or-later
/// The way into the virtual lab: boots its machine, and gives the rig that a plan's slots are loaded with.
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

/// What a plan's lab consists of, checked before anything is started.
struct LabSetup {
    std::vector<lab::Slot> slots;
    std::map<SlotId, rig::LabCard> cards;
    std::map<SlotId, Bytes> claimed; ///< what each medium says it holds
    std::optional<Bytes> uplink{};   ///< as lab::MachineSpec::uplink
};

/// `backings`: where the media's contents are kept. Fails with bad_request: an unknown card, a model that is none, a
/// size that its slot cannot take.
[[nodiscard]] Result<LabSetup> set_up_lab(const std::vector<plan::LabMedium>& lab,
                                          const std::filesystem::path& backings,
                                          std::optional<Bytes> uplink = std::nullopt);

/// Whether one virtual machine has room for all of its slots at once. Fails with bad_request.
[[nodiscard]] Result<void> check_slots(const LabSetup& setup);

class LabRoute final : public Route {
public:
    LabRoute(LabSetup setup, std::filesystem::path backings, lab::ImageOptions image = lab::default_image_options());
    ~LabRoute() override;

    /// Fails with no_driver (no QEMU, nbdkit or guest image), rig_fault, io_failed.
    boost::asio::awaitable<Result<std::unique_ptr<agent::AgentLink>>> open(
        const boost::asio::any_io_executor& executor) override;
    boost::asio::awaitable<Result<void>> close() override;
    /// The guest sees its supply cut, the cards keep what they have.
    void hurry() override;

    /// Null until open() has succeeded, and again after close(): they live on open()'s executor.
    [[nodiscard]] rig::LabRig* rig() override { return rig_.get(); }
    [[nodiscard]] lab::Machine* machine() { return machine_.get(); }
    /// Short-named, for sockets; there from open() on.
    [[nodiscard]] std::filesystem::path sockets() const { return sockets_->path(); }

private:
    LabSetup setup_;
    std::filesystem::path backings_;
    lab::ImageOptions image_;
    std::optional<lab::PrivateDirectory> sockets_;
    std::unique_ptr<lab::Machine> machine_;
    bool opening_{false};
    std::shared_ptr<bool> watching_ = std::make_shared<bool>(true);
    std::unique_ptr<rig::LabRig> rig_;
};

} // namespace mediarig::app
