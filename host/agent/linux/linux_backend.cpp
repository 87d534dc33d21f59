// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/linux/linux_backend.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>

#include "host/agent/linux/directory.hpp"
#include "host/agent/linux/machine.hpp"
#include "host/agent/linux/undo_file.hpp"
#include "host/agent/protocol/samples.hpp"
#include "host/base/process/caller.hpp"
#include "host/base/shell_word.hpp"
#include "host/base/text.hpp"
#include "host/media/claim/claim.hpp"
#include "host/media/claim/image/image_file.hpp"
#include "host/media/claim/image/loop.hpp"
#include "host/media/claim/linux/kernel/block_graph.hpp"
#include "host/media/claim/linux/kernel/bounded_calls.hpp"
#include "host/media/claim/linux/kernel/loop_map.hpp"
#include "host/media/claim/linux/kernel/node_lock.hpp"
#include "host/media/claim/linux/reader_registers.hpp"
#include "host/media/format/discard/linux/discard_medium.hpp"
#include "host/media/format/linux/medium_format.hpp"
#include "host/media/format/linux/table_writer.hpp"
#include "host/media/format/partition/linux/find_volume.hpp"
#include "host/media/format/partition/linux/medium_view.hpp"
#include "host/media/identity/confirmation.hpp"
#include "host/media/identity/health/linux/mmc_commands.hpp"
#include "host/media/identity/medium.hpp"
#include "host/media/identity/smart/linux/smartctl.hpp"
#include "host/media/inspect/files_at.hpp"
#include "host/media/inspect/inspect.hpp"
#include "host/media/mount/linux/linux_mounter.hpp"
#include "host/workload/io/io_errors.hpp"
#include "host/workload/io/linux/linux_system.hpp"
#include "host/workload/io/linux/medium_file.hpp"
#include "host/workload/jobs/job.hpp"
#include "host/workload/jobs/kept_data.hpp"
#include "host/workload/jobs/probe.hpp"
#include "host/workload/jobs/restore.hpp"
#include "host/workload/jobs/scan.hpp"

namespace mediarig::agent {
namespace {

Result<void> check_no_directory(const media::Medium& medium) {
    if (medium.transport != media::Transport::directory) return {};
    return fail(Errc::bad_request, medium.node + " is a directory: name a block device or an image file");
}

/// Replaces every "/dev/loop1" in the text, but not "/dev/loop10".
Error named_otherwise(Error error, const std::string& node, const std::string& image) {
    for (std::size_t at = 0; (at = error.detail.find(node, at)) != std::string::npos;) {
        const std::size_t after = at + node.size();
        const bool longer = after < error.detail.size() && error.detail[after] >= '0' && error.detail[after] <= '9';
        if (!longer) error.detail.replace(at, node.size(), image);
        at += longer ? node.size() : image.size();
    }
    return error;
}

/// The caller must be able to look up the path but needs no read permission for the device.
Result<process::FoundFile> open_device(const process::Caller& caller, const std::string& node, int flags) {
    const auto found = process::find_as(caller, node);
    if (!found) return fail(found.error());
    if (!S_ISBLK(found->status.st_mode)) return fail(Errc::refused, node + " was replaced: it is not a block device");
    return process::reopen(*found, O_RDONLY | flags);
}

/// A device or image that is open for reading past the page cache.
class ScannedDevice final : public workload::ReadableMedium {
public:
    ScannedDevice(const media::Medium& medium, Descriptor descriptor)
        : file_(workload::LinuxMediumFile::around(descriptor.release(), workload::CachePolicy::direct,
                                                  workload::SyncLevel::none)),
          size_(medium.size),
          sector_(std::max<std::uint64_t>(medium.logical_sector, 512)) {}

    Bytes size() const override { return size_; }
    Bytes sector() const override { return sector_; }
    int read(std::span<std::byte> bytes, std::uint64_t offset) override {
        const workload::TransferResult moved = file_.read(bytes, offset);
        return moved.error == 0 && moved.bytes < bytes.size() ? EIO : moved.error;
    }
    bool gone(int error) override {
        const auto size = file_.size();
        return workload::says_gone(error) || !size || *size == 0_B;
    }

private:
    workload::LinuxMediumFile file_;
    Bytes size_, sector_;
};

/// A lookup on a file system whose server does not respond blocks forever. This also applies to root, because a FUSE
/// file system may exclude root.
Result<void> check_responds(const process::Caller& caller, const std::string& path) {
    const auto rights = process::CallerRights::of(caller);
    return rights ? media::check_path_responds(path) : fail(rights.error());
}

class LinuxBackend final : public MediaBackend {
public:
    LinuxBackend(std::unique_ptr<media::Discovery> discovery, const LinuxBackendSetting& setting)
        : discovery_(std::move(discovery)),
          tools_{.cancel = &setting.stop_work},
          formatters_(media::make_formatters(tools_)),
          mounter_(media::make_linux_mounter({.cancel = &setting.stop_work})),
          smart_(media::make_smartctl({.cancel = &setting.stop_work})),
          caller_(setting.caller),
          may_mount_(setting.may_mount),
          undo_folder_(setting.undo_folder) {}

    HelloReport describe() override { return describe_machine(may_mount_); }
    Result<std::vector<media::Medium>> devices() override {
        auto media = discovery_->list();
        if (media)
            for (media::Medium& medium : *media) note_interrupted_check(medium);
        return media;
    }
    Result<media::Medium> identify(const std::string& target) override;
    Result<media::InspectReport> inspect(const std::string& target) override;
    Result<media::SmartReport> smart(const std::string& target) override {
        const auto medium = identify(target);
        if (!medium) return fail(medium.error());
        return smart_->read(*medium);
    }
    Result<media::CardHealth> card_health(const std::string& target) override;
    Result<workload::ScanReport> scan(const ScanParams& wanted, workload::JobControl& control) override;
    Result<std::vector<std::string>> lacks(const SupportParams& wanted) override {
        const auto formatter = media::select_formatter(formatters_, wanted.fs);
        if (!formatter) return std::vector<std::string>{formatter.error().detail};
        std::vector<std::string> lines = (*formatter)->lacks();
        if (wanted.partition)
            for (std::string& line : media::table_writer_lacks(tools_)) lines.push_back(std::move(line));
        if (wanted.mount)
            if (auto driver = media::check_driver(wanted.fs); !driver)
                lines.push_back(std::move(driver.error().detail));
        return lines;
    }
    Result<std::unique_ptr<ClaimedMedium>> claim(const media::ClaimRequest& request) override;
    Result<workload::JobOutcome> run(const workload::JobSpec& job, const workload::JobTarget& target,
                                     const std::vector<workload::PreviousCell>& done, workload::JobControl& control,
                                     workload::JobObserver& observer) override;

private:
    class Claim;
    Result<media::Medium> identify_device(const process::FoundFile& found);
    Result<media::Medium> identify_target(const std::string& target);
    [[nodiscard]] Result<process::FoundFile> open_for_reading(const media::Medium& medium, int flags) const;
    /// Adds the files at the weak places, or the reason why they are not known.
    void name_files(const media::Medium& medium, workload::ScanReport& scan) const;
    [[nodiscard]] Result<void> check_restored(const media::Medium& medium) const;
    /// Key of the medium's undo file: undo_key(), or the key of a file whose test data the medium contains, because the
    /// medium was in another reader or port during the check.
    [[nodiscard]] std::string undo_key_of(const media::Medium& medium) const;
    [[nodiscard]] bool contains_data_of(const media::Medium& medium, const std::string& key) const;
    void note_interrupted_check(media::Medium& medium) const {
        if (auto restored = check_restored(medium); !restored)
            medium.refusals.push_back({media::RefusalKind::interrupted_check, std::move(restored.error().detail)});
    }
    std::unique_ptr<media::Discovery> discovery_;
    media::ToolSetting tools_;
    media::Formatters formatters_;
    std::unique_ptr<media::Mounter> mounter_;
    std::unique_ptr<media::SmartReader> smart_;
    process::Caller caller_; ///< user whose rights apply to paths; block devices are opened with the agent's rights
    bool may_mount_;
    std::filesystem::path undo_folder_;
};

class LinuxBackend::Claim final : public ClaimedMedium {
public:
    /// `identified`: the medium as the caller named it, without a loop device of this claim.
    Claim(LinuxBackend& backend, media::Medium identified, std::optional<media::LoopDevice> loop,
          media::ErasableMedium erasable)
        : backend_(backend),
          identified_(std::move(identified)),
          loop_(std::move(loop)),
          medium_(erasable.medium()),
          erasable_(std::move(erasable)) {}

    const media::Medium& medium() const override { return medium_; }

    Result<media::DiscardReport> discard() override {
        if (!erasable_) return given_back();
        if (auto unused = check_ready(); !unused) return fail(unused.error());
        known_.reset();
        lost_.reset();
        auto report = media::discard_medium(*erasable_, *backend_.discovery_, backend_.tools_.cancel);
        if (!report) return fail(as_named(std::move(report.error())));
        return report;
    }

    Result<media::FormatReport> format(const media::FormatSpec& spec) override {
        if (!erasable_) return given_back();
        if (auto unused = check_ready(); !unused) return fail(unused.error());
        known_.reset();
        lost_.reset();
        auto report =
            media::format_medium(*erasable_, *backend_.discovery_, backend_.formatters_, spec, backend_.tools_);
        if (!report) return fail(as_named(std::move(report.error())));
        known_ = media::FoundVolume{.fs = report->fs, .span = span_of(*report)};
        return report;
    }

    Result<media::MountReport> mount(const media::VolumeRequest& wish) override {
        if (!erasable_) return given_back();
        if (!backend_.may_mount_)
            return fail(Errc::no_permission, "mounting needs root: run 'sudo -v' first, or start mediarig as root");
        if (auto unused = check_ready(); !unused) return fail(unused.error());
        if (auto same = erasable_->recheck_use(*backend_.discovery_); !same) return fail(std::move(same.error()));
        const auto volume = volume_for(wish);
        if (!volume) return fail(volume.error());
        // Use the file system name of the plan if it means the same kind, so that all reports use the same name.
        const media::FileSystem fs = wish.fs.value_or(volume->fs);
        if (auto sound = check_foreign_volume(*volume, fs); !sound) return fail(as_named(std::move(sound.error())));
        lost_.reset();
        auto mounted = backend_.mounter_->mount(*erasable_, fs, volume->span);
        if (!mounted) return fail(as_named(std::move(mounted.error())));
        mounted_ = std::move(*mounted);
        known_ = *volume;
        return mounted_->report();
    }

    Result<media::IdleReport> wait_idle() override {
        const auto target = directory();
        if (!target) return fail(target.error());
        return wait_volume_idle(*target, backend_.tools_.cancel);
    }

    Result<media::CheckReport> check(const media::VolumeRequest& wish) override {
        if (!erasable_) return given_back();
        const auto volume = volume_for(wish);
        if (!volume) return fail(volume.error());
        return check_volume(*volume, wish.fs.value_or(volume->fs));
    }

    Result<workload::JobTarget> directory() override {
        if (!mounted_ || !mounted_->is_attached())
            return fail(Errc::bad_request, medium_.node + " is not mounted any more: unmount it, then mount it again");
        if (auto unused = check_unused(); !unused) return fail(unused.error());
        if (auto alone = check_no_loops_over(); !alone) return fail(std::move(alone.error()));
        workload::JobTarget target = target_of(workload::JobTarget::Kind::directory);
        target.path = mounted_->report().mount_point;
        target.own_mount = true;
        target.end_driver = [volume = mounted_.get()] { volume->end_driver(); };
        if (mounted_->node() != medium_.node) target.partition_fd = mounted_->descriptor();
        return target;
    }

    Result<workload::JobTarget> device() override {
        if (auto restored = backend_.check_restored(identified_); !restored) return fail(std::move(restored.error()));
        return bare_device();
    }

    Result<workload::RestoreReport> restore(workload::RestoreMode mode, workload::JobControl& control) override {
        if (backend_.check_restored(identified_))
            return fail(Errc::bad_request, identified_.node + " has no interrupted check: nothing is to be restored");
        const auto target = bare_device();
        if (!target) return fail(target.error());
        control.may_write = workload::WritePermit(workload::linux_system().clock(), target->still_claimed);
        const auto undo = target->make_undo();
        auto report = workload::run_restore(workload::linux_system(), *target, *undo, mode, control);
        if (!report) return fail(as_named(std::move(report.error())));
        return report;
    }

    Result<workload::JobTarget> bare_device() {
        if (!erasable_) return given_back();
        if (auto unused = check_unused(); !unused) return fail(unused.error());
        if (auto same = erasable_->recheck(*backend_.discovery_); !same) return fail(std::move(same.error()));
        known_.reset();
        workload::JobTarget target = target_of(workload::JobTarget::Kind::device);
        target.path = medium_.node;
        target.device_fd = erasable_->descriptor();
        target.medium_key = backend_.undo_key_of(identified_);
        target.medium_name = media::device_key(identified_);
        target.make_undo = [folder = backend_.undo_folder_, key = target.medium_key] { return undo_file(folder, key); };
        return target;
    }

    Result<void> unmount() override {
        if (!mounted_) return {};
        auto unmounted = mounted_->unmount();
        if (!mounted_->is_released()) return unmounted;
        // The fault has been reported. After the unmount the medium may be checked and formatted.
        lost_ = mounted_->backing_fault();
        mounted_.reset();
        // The kernel caches a disk and its partitions separately: drop the cache so that the next reader sees data
        // written through a partition. The next access to a failing medium reports the error.
        if (erasable_ && erasable_->descriptor() >= 0) (void)media::drop_cached(erasable_->descriptor());
        return unmounted;
    }

    bool is_mounted() const override { return mounted_ != nullptr; }

    Result<void> release() override {
        erasable_.reset();
        return loop_ ? loop_->detach() : Result<void>{};
    }

    std::optional<Error> backing_fault() override {
        if (mounted_)
            if (auto backing_fault = mounted_->backing_fault()) return backing_fault;
        if (lost_) return lost_;
        if (erasable_)
            if (auto changed = erasable_->change_by_host()) return as_named(std::move(*changed));
        if (loop_)
            if (auto backing_fault = loop_->backing_fault()) return backing_fault;
        // The driver of a mounted volume has the device open for writing.
        return mounted_ || !erasable_ ? std::nullopt : writer_of_device();
    }

private:
    /// Returns a fault of this machine, for example that another process writes to an image.
    [[nodiscard]] std::optional<Error> writer_of_device() const {
        if (!erasable_->check_same()) return std::nullopt; // the failed check has its own error
        const auto alone = erasable_->check_no_writer();
        if (alone || alone.error().code != Errc::refused) return std::nullopt;
        return Error{Errc::host_fault, fmt::format("another process can write to {}, so the results are discarded: {}",
                                                   medium_.node, alone.error().detail)};
    }

    [[nodiscard]] workload::JobTarget target_of(workload::JobTarget::Kind kind) const {
        workload::JobTarget target{.kind = kind,
                                   .backing_fd = erasable_ ? erasable_->reading_descriptor() : -1,
                                   .backing_device = medium_.node};
        target.still_claimed = [this]() -> Result<void> {
            if (!erasable_) return given_back();
            return erasable_->check_same();
        };
        if (!loop_) return target;
        target.host_file = loop_->backing();
        target.host_path = loop_->image();
        target.host_cache =
            loop_->bypasses_host_cache() ? workload::JobTarget::HostCache::none : workload::JobTarget::HostCache::file;
        return target;
    }
    [[nodiscard]] Result<void> check_unused() const { return loop_ ? loop_->check_unused() : Result<void>{}; }
    /// Before other work on the medium: a format would be damaged by a later restore.
    [[nodiscard]] Result<void> check_ready() const {
        auto restored = backend_.check_restored(identified_);
        return restored ? check_unused() : restored;
    }
    /// While a driver has the device, identification would find the mount of this claim; check only for other loop
    /// devices on the same bytes.
    [[nodiscard]] Result<void> check_no_loops_over() const {
        media::OwnDevices own = loop_ ? loop_->own() : media::OwnDevices{};
        if (const auto view = media::number_of_node(mounted_->node())) own.push_back(*view);
        const auto others = media::loops_over(medium_.number, own);
        if (!others) return fail(others.error());
        if (others->empty()) return {};
        return fail(Errc::refused, fmt::format("{} shows the same bytes as {}: detach it, then try again",
                                               others->front(), medium_.node));
    }
    /// Replaces the name of this claim's loop device with the name of its image: the caller named the image, and the
    /// number of the loop device may be reused before the message is read.
    [[nodiscard]] Error as_named(Error error) const {
        return loop_ ? named_otherwise(std::move(error), loop_->node(), loop_->image()) : error;
    }
    [[nodiscard]] tl::unexpected<Error> given_back() const {
        return fail(Errc::bad_request, medium_.node + " was released: claim it again");
    }

    /// Uses the volume that this claim has formatted or mounted even if its first sectors are lost: the driver and the
    /// checker report the damage.
    [[nodiscard]] Result<media::FoundVolume> volume_for(const media::VolumeRequest& wish) const {
        const bool is_it = known_ && wish.fs && media::same_checker(*wish.fs, known_->fs) &&
                           wish.partition.value_or(known_->span.partition) == known_->span.partition;
        if (is_it) return *known_;
        return media::find_volume(*erasable_, wish);
    }
    [[nodiscard]] media::VolumeSpan span_of(const media::FormatReport& report) const {
        if (!report.partition) return media::whole_of(*erasable_);
        return {.start = report.partition->start,
                .length = report.partition->length,
                .partition = report.partition->number};
    }

    [[nodiscard]] Result<media::CheckReport> check_volume(const media::FoundVolume& volume, media::FileSystem fs);
    /// A driver trusts the free-space data of a damaged file system and would overwrite files. Volumes that this claim
    /// has made or mounted need no check.
    [[nodiscard]] Result<void> check_foreign_volume(const media::FoundVolume& volume, media::FileSystem fs);

    LinuxBackend& backend_;
    media::Medium identified_;
    // The following members are destroyed in reverse order: unmount, close, detach.
    std::optional<media::LoopDevice> loop_;
    media::Medium medium_;
    std::optional<media::ErasableMedium> erasable_;
    std::unique_ptr<media::VolumeMount> mounted_;
    std::optional<media::FoundVolume> known_; ///< last formatted or mounted volume
    std::optional<Error> lost_;               ///< error of the last mounted volume, until the medium is formatted again
};

Result<media::CheckReport> LinuxBackend::Claim::check_volume(const media::FoundVolume& volume, media::FileSystem fs) {
    const auto formatter = media::select_formatter(backend_.formatters_, fs);
    if (!formatter) return fail(formatter.error());
    // Checkers need exclusive access, which the claim already has.
    auto view = media::open_view(*erasable_, volume.span.start, volume.span.length);
    if (!view) return fail(view.error());
    auto report = (*formatter)->check(media::format_target(*erasable_, *view), fs);
    if (auto given = view->detach(); report && !given) return fail(given.error());
    return report;
}

Result<void> LinuxBackend::Claim::check_foreign_volume(const media::FoundVolume& volume, media::FileSystem fs) {
    if (known_ && known_->span == volume.span) return {};
    const auto report = check_volume(volume, fs);
    if (!report) return fail(report.error());
    if (report->clean) return {};
    return fail(Errc::refused,
                fmt::format("the file system of {} is damaged or was not unmounted ({} {}{}{}): writing to it could "
                            "destroy files; repair it or format it first",
                            medium_.node, report->tool, report->tool_version, report->said.empty() ? "" : ": ",
                            report->said.empty() ? "" : report->said.back()));
}

bool LinuxBackend::contains_data_of(const media::Medium& medium, const std::string& key) const {
    // The places that the check wrote first are sufficient.
    constexpr std::size_t prefix = std::size_t{1} << 20;
    const auto undo = undo_file(undo_folder_, key);
    const auto file = undo->contents();
    if (!file) return false;
    const auto log = workload::parse_undo_log(file->first(std::min(file->size(), prefix)));
    if (!log) return false;
    auto opened = open_for_reading(medium, O_DIRECT);
    if (!opened) return false;
    ScannedDevice device(medium, std::move(opened->descriptor));
    const auto match = workload::match_of(device, *log, nullptr);
    return match && match->test_data;
}

std::string LinuxBackend::undo_key_of(const media::Medium& medium) const {
    using enum media::Transport;
    std::string own = undo_key(medium);
    // The path of an image identifies it. A read of a loop device can block.
    constexpr std::array by_path{image, loop, other, directory};
    if (has_undo_file(undo_folder_, own) || std::ranges::find(by_path, medium.transport) != by_path.end()) return own;
    for (const std::string& key : undo_keys(undo_folder_, medium.size))
        if (contains_data_of(medium, key)) return key;
    return own;
}

Result<void> LinuxBackend::check_restored(const media::Medium& medium) const {
    if (!has_undo_file(undo_folder_, undo_key_of(medium))) return {};
    return fail(Errc::refused,
                fmt::format("an interrupted check left test data on {0}: restore its content with 'mediarig check {0} "
                            "--restore --confirm {1}', or keep the present content with --forget",
                            shell_word(medium.node), shell_word(media::confirmation_to_type(medium))));
}

Result<media::Medium> LinuxBackend::identify(const std::string& target) {
    auto medium = identify_target(target);
    if (medium) note_interrupted_check(*medium);
    return medium;
}

Result<media::Medium> LinuxBackend::identify_target(const std::string& target) {
    if (auto responds = check_responds(caller_, target); !responds) return fail(responds.error());
    const auto found = process::find_as(caller_, target);
    if (!found) return fail(found.error());
    switch (found->status.st_mode & S_IFMT) {
        case S_IFDIR:
            return describe_directory(*found);
        case S_IFREG:
            if (auto named = media::check_typed_path(target, found->path); !named) return fail(named.error());
            return media::describe_image(*found, caller_);
        case S_IFBLK:
            return identify_device(*found);
        default:
            return fail(Errc::bad_request, media::typeable(target) + " is neither a block device nor an image file");
    }
}

/// Use the kernel's own name for the device number: the caller's path can be exchanged, and must not be resolved again
/// with more rights than the caller has.
Result<media::Medium> LinuxBackend::identify_device(const process::FoundFile& found) {
    const std::string own_name =
        media::node_of(media::DeviceNumber{major(found.status.st_rdev), minor(found.status.st_rdev)});
    auto medium = discovery_->identify(own_name.empty() ? found.path : own_name);
    if (medium && medium->transport == media::Transport::image)
        return fail(Errc::bad_request, media::typeable(found.path) + " was replaced during the request: try again");
    if (medium)
        if (auto card = media::card_in_reader(*medium)) medium->sd = std::move(*card);
    return medium;
}

Result<media::InspectReport> LinuxBackend::inspect(const std::string& target) {
    const auto medium = identify(target);
    if (!medium) return fail(medium.error());
    if (auto named = check_no_directory(*medium); !named) return fail(named.error());
    // A read of a real disk cannot block forever, because it ends with an error of the disk's driver.
    const bool may_block = medium->transport == media::Transport::loop || medium->transport == media::Transport::other;
    if (may_block)
        if (auto responds = media::check_device_responds(medium->node); !responds) return fail(responds.error());
    const auto opened = open_for_reading(*medium, 0);
    if (!opened) return fail(opened.error());
    const int descriptor = opened->descriptor.get();
    // Cached data may be older than data written through a partition or another device. A failure is ignored: the
    // inspection reports read errors itself, and is also useful without dropping the cache.
    (void)media::drop_cached(descriptor);
    if (medium->transport == media::Transport::image) return media::inspect_image(descriptor, medium->size);
    return media::inspect(descriptor, medium->size, medium->logical_sector);
}

Result<media::CardHealth> LinuxBackend::card_health(const std::string& target) {
    const auto medium = identify(target);
    if (!medium) return fail(medium.error());
    media::CardHealth health;
    if (!media::may_have_card_health(*medium)) {
        health.state = media::HealthState::unsupported;
        health.detail = medium->node + " is not a card in a slot of this machine: a USB reader forwards no commands";
        return health;
    }
    auto opened = open_for_reading(*medium, O_NONBLOCK);
    if (!opened) {
        health.detail = opened.error().detail;
        return health;
    }
    const auto commands = media::make_mmc_commands(std::move(opened->descriptor));
    return media::read_card_health(*commands, *medium);
}

/// Opens a device with the agent's rights, a file with the caller's rights. `flags`: in addition to O_RDONLY.
Result<process::FoundFile> LinuxBackend::open_for_reading(const media::Medium& medium, int flags) const {
    auto opened = medium.transport == media::Transport::image
                      ? process::open_as(caller_, medium.node, S_IFREG, O_RDONLY | flags)
                      : open_device(caller_, medium.node, flags);
    if (opened || opened.error().code != Errc::no_permission || ::geteuid() == 0) return opened;
    return fail(Errc::no_permission, opened.error().detail + "; run 'sudo -v' first, or start mediarig as root");
}

void LinuxBackend::name_files(const media::Medium& medium, workload::ScanReport& scan) const {
    if (scan.places.empty()) return;
    // Without O_DIRECT: the structures of a file system have any size and position.
    const auto opened = open_for_reading(medium, 0);
    if (!opened) return scan.unnamed.push_back(opened.error().detail);
    const int descriptor = opened->descriptor.get();
    (void)media::drop_cached(descriptor);
    const auto contents = media::inspect(descriptor, medium.size, medium.logical_sector);
    if (!contents) return scan.unnamed.push_back(contents.error().detail);
    media::MediumReader reader(descriptor, medium.size);
    reader.limit_to(media::most_read_for_files);
    std::vector<media::MediumRange> ranges;
    for (const workload::WeakPlace& place : scan.places)
        ranges.push_back({.start = place.offset, .length = place.length});
    media::FileSearch search = media::files_at(reader, *contents, ranges);
    for (std::size_t i = 0; i < scan.places.size(); ++i) {
        scan.places[i].files = std::move(search.ranges[i].paths);
        scan.places[i].more_files = search.ranges[i].more;
    }
    scan.unnamed = std::move(search.gaps);
}

Result<workload::ScanReport> LinuxBackend::scan(const ScanParams& wanted, workload::JobControl& control) {
    const auto medium = identify(wanted.target);
    if (!medium) return fail(medium.error());
    if (auto named = check_no_directory(*medium); !named) return fail(named.error());
    auto opened = open_for_reading(*medium, O_DIRECT);
    if (!opened) return fail(opened.error());
    ScannedDevice device(*medium, std::move(opened->descriptor));
    const workload::TickClock& clock = workload::linux_system().clock();
    const workload::Ticks start = clock.now();
    const auto now = [&] {
        return std::chrono::nanoseconds(static_cast<std::int64_t>(clock.to_ns(clock.now() - start)));
    };
    if (!wanted.kept_data) {
        auto report = workload::scan(device, {.time_limit = wanted.time_limit}, now, control);
        if (report) name_files(*medium, *report);
        return report;
    }
    if (wanted.time_limit.count() > 0)
        return fail(Errc::bad_request,
                    "the data of an earlier test are read back as a whole: leave the time limit out");
    auto label = workload::find_label(device);
    if (!label) return fail(label.error());
    if (!*label)
        return fail(Errc::bad_request,
                    medium->node +
                        " contains no data of verify that can be read back: they were never written, "
                        "or are completely overwritten");
    workload::KeptDataCheck check(std::move(**label), device.size());
    auto report = workload::scan(device,
                                 {.time_limit = {},
                                  .on_data =
                                      [&](std::span<const std::byte> bytes, Bytes offset, Bytes length) {
                                          if (bytes.empty())
                                              check.add_unreadable(offset, length);
                                          else
                                              check.add(bytes, offset);
                                      }},
                                 now, control);
    if (report) report->kept = check.take();
    return report;
}

Result<workload::JobOutcome> LinuxBackend::run(const workload::JobSpec& job, const workload::JobTarget& target,
                                               const std::vector<workload::PreviousCell>& done,
                                               workload::JobControl& control, workload::JobObserver& observer) {
    if (target.still_claimed)
        control.may_write = workload::WritePermit(workload::linux_system().clock(), target.still_claimed);
    // Targets that the agent has mounted or claimed are opened with the agent's rights; other directories with the
    // caller's rights.
    if (target.kind == workload::JobTarget::Kind::device || target.own_mount) {
        const auto watch = end_stuck_driver(target, control);
        return workload::run_job(workload::linux_system(), job, target, done, control, observer);
    }
    const auto directory = process::find_as(caller_, target.path);
    if (!directory) return fail(directory.error());
    if (!S_ISDIR(directory->status.st_mode)) return fail(Errc::bad_request, target.path + " is not a directory");
    const auto described = describe_directory(*directory);
    if (!described) return fail(described.error());
    if (auto refusal = refusal_to_fill(*described, job)) return fail(std::move(*refusal));
    const auto rights = process::CallerRights::of(caller_);
    if (!rights) return fail(rights.error());
    workload::JobTarget own = target;
    own.directory_fd = directory->descriptor.get();
    return workload::run_job(workload::linux_system(), job, own, done, control, observer);
}

Result<std::unique_ptr<ClaimedMedium>> LinuxBackend::claim(const media::ClaimRequest& request) {
    const auto medium = identify_target(request.target);
    if (!medium) return fail(medium.error());
    if (!request.restores)
        if (auto restored = check_restored(*medium); !restored) return fail(std::move(restored.error()));
    if (auto named = check_no_directory(*medium); !named) return fail(named.error());
    const std::string& confirm = request.confirm;
    if (!request.presence.empty() && request.presence != media::presence_of(*medium))
        return fail(Errc::refused, medium->node + " is not the device or image that was identified: identify it again");
    const bool image = medium->transport == media::Transport::image;
    if (!image && medium->transport != media::Transport::loop) {
        auto erasable = media::claim_erasable(*discovery_, medium->node, confirm,
                                              {.own = {}, .contents = request.contents, .use = request.use});
        if (!erasable) return fail(std::move(erasable.error()));
        return std::make_unique<Claim>(*this, *medium, std::nullopt, std::move(*erasable));
    }
    if (auto sure = image ? media::check_confirmation(*medium, confirm) : media::check_permission(*medium, confirm);
        !sure)
        return fail(std::move(sure.error()));
    auto attached =
        image ? media::attach_loop(medium->node, caller_, request.use) : media::attach_sibling_loop(*medium, caller_);
    if (!attached) return fail(std::move(attached.error()));
    std::optional<media::LoopDevice> loop(std::move(*attached));
    const media::LoopWindowFacts& shows = loop->shows();
    if (image && medium->file != media::FileIdentity{shows.backing_device, shows.backing_inode})
        return fail(Errc::refused,
                    medium->node + " was replaced by another file after it was identified: identify it again");
    auto erasable = media::claim_erasable(*discovery_, loop->node(), loop->image(),
                                          {.own = loop->own(), .contents = request.contents, .use = request.use});
    if (!erasable) return fail(named_otherwise(std::move(erasable.error()), loop->node(), loop->image()));
    if (erasable->judged().loop != shows)
        return fail(Errc::refused, loop->node() + " was attached to another file during the request: try again");
    constexpr std::uint64_t sector = 512; // a partial sector at the end of a file is not shown
    if (const SizeTexts sizes = size_texts(erasable->medium().size, medium->size);
        erasable->medium().size.count != medium->size.count / sector * sector)
        return fail(Errc::refused, fmt::format("{} has {} now and had {}: identify it again", medium->node, sizes.first,
                                               sizes.second));
    return std::make_unique<Claim>(*this, *medium, std::move(loop), std::move(*erasable));
}

} // namespace

std::unique_ptr<MediaBackend> make_linux_backend(std::unique_ptr<media::Discovery> discovery,
                                                 const LinuxBackendSetting& setting) {
    return std::make_unique<LinuxBackend>(std::move(discovery), setting);
}

} // namespace mediarig::agent
