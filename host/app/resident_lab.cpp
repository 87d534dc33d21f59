// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/resident_lab.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <utility>

#include "common/fnv1a.hpp"
#include "host/app/paths.hpp"
#include "host/lab/card/card_server.hpp"
#include "host/lab/machine/machine.hpp"
#include "host/lab/machine/preflight.hpp"
#include "host/lab/resident/lab_server.hpp"

namespace mediarig::app {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using nlohmann::json;

std::vector<lab::Slot> usual_slots() {
    using enum SlotKind;
    std::vector<lab::Slot> slots;
    for (const SlotKind kind : {usb, usb, usb, uas, reader, reader, sd, sd, hub, nvme})
        slots.push_back({SlotId{static_cast<std::uint8_t>(slots.size() + 1)}, kind});
    return slots;
}

constexpr std::string_view media_in_users_folder = "mediarig-lab-media";

/// Contains the contents of cards; removed with the lab unless the user named it.
class MediaFolder {
public:
    static Result<MediaFolder> make(const ResidentOptions& options) {
        const bool ours = options.media.empty();
        // Labs at several places run at the same time.
        const std::string name = fmt::format("{}-{:016x}", options.place.folder.filename().string(),
                                             fnv1a<std::uint64_t>(options.place.folder.native()));
        MediaFolder folder(ours ? lab_media_beside(default_store(), name) : options.media / media_in_users_folder,
                           ours);
        if (ours)
            if (auto removed = remove_lab_media(folder.path_); !removed) return fail(removed.error());
        auto made = ours ? make_lab_media(folder.path_) : make_lab_media_in(options.media, folder.path_);
        if (!made) return fail(made.error());
        return folder;
    }
    MediaFolder(MediaFolder&& other) noexcept
        : path_(std::move(other.path_)), ours_(std::exchange(other.ours_, false)) {}
    MediaFolder& operator=(MediaFolder&&) = delete;
    MediaFolder(const MediaFolder&) = delete;
    MediaFolder& operator=(const MediaFolder&) = delete;
    ~MediaFolder() {
        if (ours_) (void)remove_lab_media(path_);
    }
    [[nodiscard]] const fs::path& path() const { return path_; }

private:
    MediaFolder(fs::path path, bool ours) : path_(std::move(path)), ours_(ours) {}
    fs::path path_;
    bool ours_;
};

json facts_of(const lab::MachineReport& report, const fs::path& media) {
    return {{"mediarig_lab", 1},
            {"process", ::getpid()},
            {"boot_ms", report.boot.count()},
            {"accelerator", lab::name_of(report.accelerator)},
            {"qemu", report.qemu_version},
            {"media", media.string()}};
}

/// One lab from boot to end.
class ResidentRun {
public:
    ResidentRun(const asio::any_io_executor& executor, const ResidentOptions& options, lab::CardPrograms programs,
                fs::path media)
        : executor_(executor),
          options_(options),
          programs_(std::move(programs)),
          media_(std::move(media)),
          machine_(lab::make_qemu_machine(executor)) {}

    asio::awaitable<void> listen_for_signals(asio::signal_set& signals) {
        while (true) {
            const auto [error, number] = co_await signals.async_wait(asio::as_tuple(asio::use_awaitable));
            if (error) co_return;
            signalled_ = true;
            if (server_)
                server_->end();
            else
                (void)co_await machine_->stop();
        }
    }

    asio::awaitable<Result<void>> live(lab::MachineSpec spec, const LabIsReady& ready) {
        const std::vector<lab::Slot> slots = spec.slots;
        auto booted = co_await machine_->start(std::move(spec));
        if (!booted && signalled_) co_return fail(Errc::cancelled, "asked to end before the lab was ready");
        if (!booted) co_return fail(std::move(booted.error()));
        lab_.emplace(*machine_, programs_, slots, options_.place.folder, media_);
        json facts = facts_of(*booted, media_);
        facts["slots"] = lab_->slots();
        server_.emplace(executor_, *lab_, facts, options_.idle);
        auto listening = server_->listen(options_.place.control());
        // The lab was started for somebody who has gone meanwhile, or who was to be asked to go.
        if (!listening || signalled_ || !ready(facts)) server_->end();
        auto served = co_await server_->serve();
        if (!listening) co_return listening;
        co_return served;
    }

private:
    asio::any_io_executor executor_;
    const ResidentOptions& options_;
    lab::CardPrograms programs_;
    fs::path media_;
    std::unique_ptr<lab::Machine> machine_;
    std::optional<lab::ResidentLab> lab_;
    std::optional<lab::LabServer> server_;
    bool signalled_{false};
};

} // namespace

Result<void> run_resident_lab(const ResidentOptions& options, const LabIsReady& ready) {
    // A lab that cannot start makes and removes nothing.
    auto programs = lab::find_card_programs();
    if (!programs) return fail(programs.error());
    const auto image = lab::find_guest_image(options.image);
    if (!image) return fail(image.error());
    const auto place_lock = lab::LabPlaceLock::begin(options.place);
    if (!place_lock) return fail(place_lock.error());
    const auto media = MediaFolder::make(options);
    if (!media) return fail(media.error());

    asio::io_context io(1);
    asio::signal_set signals(io, SIGINT, SIGTERM, SIGHUP);
    ResidentRun residence(io.get_executor(), options, std::move(*programs), media->path());
    Result<void> outcome = fail(Errc::rig_fault, "the lab was never started");
    asio::co_spawn(io, residence.listen_for_signals(signals), asio::detached);
    asio::co_spawn(
        io,
        [&]() -> asio::awaitable<void> {
            lab::MachineSpec spec{.image = {.kernel = image->kernel, .initrd = image->initrd},
                                  .slots = options.slots.empty() ? usual_slots() : options.slots,
                                  .qemu = lab::wanted_qemu()};
            outcome = co_await residence.live(std::move(spec), ready);
            signals.cancel();
            // A client that hangs on must not keep the lab's process.
            io.stop();
        },
        [](const std::exception_ptr& broken) {
            if (broken) std::rethrow_exception(broken);
        });
    io.run();
    return outcome;
}

} // namespace mediarig::app
