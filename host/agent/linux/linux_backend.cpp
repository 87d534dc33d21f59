// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/linux/linux_backend.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "host/agent/linux/machine.hpp"
#include "host/media/claim.hpp"
#include "host/media/format/medium_format.hpp"
#include "host/media/identity/smart/smartctl.hpp"
#include "host/media/image/loop.hpp"
#include "host/media/inspect/inspect.hpp"
#include "host/media/inspect/medium_reader.hpp"
#include "host/media/mount/linux/linux_mounter.hpp"
#include "host/media/partition/find_volume.hpp"
#include "host/media/partition/partition_view.hpp"

namespace mediarig::agent {
namespace {

/// A directory is measured as it is: it has no identity but its path, and no size but its free space.
Result<media::Medium> describe_directory(const std::string& target) {
    std::error_code error;
    const auto path = std::filesystem::canonical(target, error);
    const auto space = error ? std::filesystem::space_info{} : std::filesystem::space(path, error);
    if (error)
        return fail(Errc::bad_request,
                    target + " cannot be looked at: " + error.message() + "; check the name and its permissions");
    media::Medium medium;
    medium.node = path.string();
    medium.transport = media::Transport::directory;
    medium.size = Bytes{space.available};
    return medium;
}

class LinuxBackend final : public MediaBackend {
public:
    LinuxBackend(std::unique_ptr<media::Discovery> discovery, const LinuxBackendSetting& setting)
        : discovery_(std::move(discovery)),
          tools_{.cancel = &setting.stop_work},
          formatters_(media::make_formatters(tools_)),
          mounter_(media::make_linux_mounter({.cancel = &setting.stop_work})),
          smart_(media::make_smartctl({.cancel = &setting.stop_work})),
          may_mount_(setting.may_mount) {}

    HelloReport describe() override { return describe_machine(may_mount_); }
    Result<std::vector<media::Medium>> devices() override { return discovery_->list(); }
    Result<media::Medium> identify(const std::string& target) override {
        std::error_code none;
        if (std::filesystem::is_directory(target, none)) return describe_directory(target);
        return discovery_->identify(target);
    }
    Result<media::InspectReport> inspect(const std::string& target) override;
    Result<media::SmartReport> smart(const std::string& target) override {
        const auto medium = identify(target);
        if (!medium) return fail(medium.error());
        return smart_->read(*medium);
    }
    Result<std::unique_ptr<ClaimedMedium>> claim(const std::string& target, const std::string& confirm) override;
    Result<workload::JobOutcome> run(const workload::JobSpec& job, const workload::Target& target,
                                     const std::vector<std::string>& done, workload::JobControl& control,
                                     workload::JobObserver& observer) override {
        return workload::run_job(job, target, done, control, observer);
    }

private:
    class Claim;
    std::unique_ptr<media::Discovery> discovery_;
    media::ToolSetting tools_;
    media::Formatters formatters_;
    std::unique_ptr<media::Mounter> mounter_;
    std::unique_ptr<media::SmartReader> smart_;
    bool may_mount_;
};

class LinuxBackend::Claim final : public ClaimedMedium {
public:
    Claim(LinuxBackend& backend, std::optional<media::LoopDevice> loop, media::ErasableMedium erasable)
        : backend_(backend), loop_(std::move(loop)), medium_(erasable.medium()), erasable_(std::move(erasable)) {}

    const media::Medium& medium() const override { return medium_; }

    Result<media::FormatReport> format(const media::FormatSpec& spec) override {
        if (!erasable_) return given_back();
        known_.reset();
        auto report =
            media::format_medium(*erasable_, *backend_.discovery_, backend_.formatters_, spec, backend_.tools_);
        if (report) known_ = media::FoundVolume{.fs = report->fs, .span = span_of(*report)};
        return report;
    }

    Result<media::MountReport> mount(const media::VolumeWish& wish) override {
        if (!erasable_) return given_back();
        if (!backend_.may_mount_)
            return fail(Errc::no_permission, "mounting needs a mount namespace of the agent's own: run it as root");
        const auto volume = volume_for(wish);
        if (!volume) return fail(volume.error());
        // As the plan calls it where that is the same kind: reports speak of one thing by one name.
        auto mounted = backend_.mounter_->mount(*erasable_, wish.fs.value_or(volume->fs), volume->span);
        if (!mounted) return fail(std::move(mounted.error()));
        mounted_ = std::move(*mounted);
        known_ = *volume;
        return mounted_->report();
    }

    Result<media::CheckReport> check(const media::VolumeWish& wish) override;

    Result<workload::Target> directory() override {
        if (!mounted_) return given_back();
        workload::Target target{workload::Target::Kind::directory, mounted_->report().mount_point, -1, medium_.node};
        if (mounted_->node() != medium_.node) target.partition_device = mounted_->node();
        return target;
    }

    Result<workload::Target> device() override {
        if (!erasable_) return given_back();
        if (auto same = erasable_->recheck(*backend_.discovery_); !same) return fail(std::move(same.error()));
        known_.reset();
        return workload::Target{workload::Target::Kind::device, medium_.node, erasable_->descriptor(), medium_.node};
    }

    Result<void> unmount() override {
        if (!mounted_) return {};
        if (auto unmounted = mounted_->unmount(); !unmounted) return unmounted;
        mounted_.reset();
        // The kernel caches a disk and its partitions apart: who looks at the medium next is to see what was written
        // through a partition. A medium that fails here fails there as well.
        if (erasable_) (void)media::drop_cached(erasable_->descriptor());
        return {};
    }

    Result<void> release() override {
        erasable_.reset();
        return loop_ ? loop_->detach() : Result<void>{};
    }

private:
    [[nodiscard]] tl::unexpected<Error> given_back() const {
        return fail(Errc::bad_request, medium_.node + " has been given back: claim it again");
    }

    /// What this claim has formatted or mounted stays known even where its first sectors are lost meanwhile: then the
    /// driver and the checker say so.
    [[nodiscard]] Result<media::FoundVolume> volume_for(const media::VolumeWish& wish) const {
        const bool is_it = known_ && wish.fs && media::of_one_kind(*wish.fs, known_->fs) &&
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

    LinuxBackend& backend_;
    // Destroyed from the last to the first: unmount, close, detach.
    std::optional<media::LoopDevice> loop_;
    media::Medium medium_;
    std::optional<media::ErasableMedium> erasable_;
    std::unique_ptr<media::Mounted> mounted_;
    std::optional<media::FoundVolume> known_; ///< what was formatted or mounted last
};

Result<media::CheckReport> LinuxBackend::Claim::check(const media::VolumeWish& wish) {
    if (!erasable_) return given_back();
    const auto volume = volume_for(wish);
    if (!volume) return fail(volume.error());
    const media::FileSystem fs = wish.fs.value_or(volume->fs);
    const auto formatter = media::select_formatter(backend_.formatters_, fs);
    if (!formatter) return fail(formatter.error());
    if (volume->span == media::whole_of(*erasable_)) return (*formatter)->check(media::whole(*erasable_), fs);
    auto view = media::open_partition(*erasable_, volume->span.start, volume->span.length);
    if (!view) return fail(view.error());
    auto report = (*formatter)
                      ->check({.descriptor = view->descriptor(),
                               .start = view->start(),
                               .length = view->length(),
                               .sector = medium_.logical_sector,
                               .node = view->node(),
                               .medium_descriptor = erasable_->descriptor()},
                              fs);
    if (auto given = view->give_back(); report && !given) return fail(given.error());
    return report;
}

Result<media::InspectReport> LinuxBackend::inspect(const std::string& target) {
    const auto medium = discovery_->identify(target);
    if (!medium) return fail(medium.error());
    const int descriptor = ::open(medium->node.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        const Errc code = errno == EACCES || errno == EPERM ? Errc::no_permission
                          : errno == ENOMEDIUM              ? Errc::no_medium
                                                            : Errc::io_failed;
        const char* const next =
            code == Errc::no_permission ? "; run mediarig as a user who may read it, or with --agent sudo" : "";
        return fail(code, "cannot read " + medium->node + ": " + std::strerror(errno) + next);
    }
    // What was read of it before is not what a partition or another device over it has written since. One that fails
    // here is told by the inspection itself, and without the right to it the inspection is worth having all the same.
    (void)media::drop_cached(descriptor);
    auto report = media::inspect(descriptor, medium->size, medium->logical_sector);
    ::close(descriptor);
    return report;
}

Result<std::unique_ptr<ClaimedMedium>> LinuxBackend::claim(const std::string& target, const std::string& confirm) {
    const auto medium = discovery_->identify(target);
    if (!medium) return fail(medium.error());

    std::optional<media::LoopDevice> loop;
    std::string node = target;
    if (medium->transport == media::Transport::image) {
        if (auto sure = media::check_confirmation(*medium, confirm); !sure) return fail(std::move(sure.error()));
        auto attached = media::attach_loop(medium->node);
        if (!attached) return fail(std::move(attached.error()));
        node = attached->node();
        loop.emplace(std::move(*attached));
    }
    auto erasable = media::claim_erasable(*discovery_, node, confirm);
    if (!erasable) return fail(std::move(erasable.error()));
    return std::make_unique<Claim>(*this, std::move(loop), std::move(*erasable));
}

} // namespace

std::unique_ptr<MediaBackend> make_linux_backend(std::unique_ptr<media::Discovery> discovery,
                                                 const LinuxBackendSetting& setting) {
    return std::make_unique<LinuxBackend>(std::move(discovery), setting);
}

} // namespace mediarig::agent
