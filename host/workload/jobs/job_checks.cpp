// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/job_checks.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <system_error>

#include "host/base/text.hpp"

namespace mediarig::workload {
namespace {

constexpr Bytes smallest_sector = 512_B;
constexpr Bytes largest_block = 1_GiB;
constexpr std::uint32_t most_files = 4096;
constexpr std::uint32_t most_backlog = 4096;
constexpr std::uint32_t most_seekers = 64;
constexpr std::uint32_t most_small_files = 10'000'000;
constexpr std::uint64_t most_folders = 1'000'000;
constexpr Bytes largest_transfer = 64_MiB;

Bytes direct_unit(std::optional<BackingDevice::Sectors> sectors) {
    return sectors && sectors->logical.count > 0 ? sectors->logical : smallest_sector;
}

Result<void> check_payload(const Payload& payload) {
    if (payload.kind == PayloadKind::given && payload.given.empty())
        return fail(Errc::bad_request, "a given payload needs at least one byte");
    return {};
}

Result<void> check_cell(const JobSpec& job, const CellSpec& cell, Bytes unit) {
    const std::string name = "cell " + cell.id + ": ";
    if (cell.block.count == 0 || cell.block > largest_block)
        return fail(Errc::bad_request, name + "a block must have 1 byte to 1 GiB");
    if (cell.block > job.as<SweepJob>()->span)
        return fail(Errc::bad_request, name + "the block is larger than the span; choose a larger span");
    if (cell.volume < cell.block)
        return fail(Errc::bad_request, name + "the volume is less than one block; choose a larger volume");
    if (cell.payload == PayloadKind::given && job.payload.given.empty())
        return fail(Errc::bad_request, name + "a given payload needs at least one byte");
    if (cell.queue_depth == 0) return fail(Errc::bad_request, name + "the queue depth must be at least 1");
    if (cell.queue_depth > 1 && job.as<SweepJob>()->pace)
        return fail(Errc::bad_request, name + "paced requests are sent one at a time; choose a queue depth of 1");
    if (cell.queue_depth > 1 && job.engine == Engine::psync)
        return fail(Errc::bad_request, name + "a queue depth above 1 needs the engine uring");
    if (job.cache == CachePolicy::direct && cell.block % unit != 0_B)
        return fail(Errc::bad_request, name + "direct transfers need whole sectors of " + std::to_string(unit.count) +
                                           " bytes; choose another block or another cache policy");
    return {};
}

Result<void> check_first_cell(const SweepJob& sweep) {
    if (!sweep.no_layout) return {};
    if (!sweep.cells.empty() && sweep.cells.front().access == Access::sequential_write) return {};
    return fail(Errc::bad_request, "a sweep without a layout begins with a sequential write");
}

} // namespace

Result<void> check_sweep(const JobSpec& job, std::optional<BackingDevice::Sectors> sectors) {
    if (auto sane = check_payload(job.payload); !sane) return sane;
    std::set<std::string> ids;
    for (const CellSpec& cell : job.as<SweepJob>()->cells) {
        if (auto sane = check_cell(job, cell, direct_unit(sectors)); !sane) return sane;
        if (!ids.insert(cell.id).second) return fail(Errc::bad_request, "cell " + cell.id + ": the name is used twice");
    }
    if (auto sane = check_first_cell(*job.as<SweepJob>()); !sane) return sane;
    if (job.cache == CachePolicy::direct && job.as<SweepJob>()->span % direct_unit(sectors) != 0_B)
        return fail(Errc::bad_request, "the span of " + std::to_string(job.as<SweepJob>()->span.count) +
                                           " bytes does not consist of whole sectors of " +
                                           std::to_string(direct_unit(sectors).count) + " bytes");
    return {};
}

Result<void> check_mix(const JobSpec& job, std::optional<BackingDevice::Sectors> sectors) {
    if (auto sane = check_payload(job.payload); !sane) return sane;
    const MixJob& mix = *job.as<MixJob>();
    const Bytes unit = direct_unit(sectors);
    if (mix.files == 0 || mix.files > most_files || mix.cells.empty())
        return fail(Errc::bad_request, "a mix needs 1 to " + std::to_string(most_files) + " files and a cell");
    if (mix.rounds && (mix.rounds->window < 2 || mix.rounds->most < mix.rounds->window))
        return fail(Errc::bad_request, "rounds need a window of at least 2, and at least as many rounds as the window");
    if (mix.backlog == 0 || mix.backlog > most_backlog)
        return fail(Errc::bad_request, "a backlog is 1 to " + std::to_string(most_backlog) + " requests");
    std::set<std::string> ids;
    for (const MixCell& cell : mix.cells) {
        const std::string name = "cell " + cell.cell.id + ": ";
        const Bytes block = cell.cell.block;
        if (block.count == 0 || block > mix.file_size || mix.file_size % block != 0_B || block > largest_block)
            return fail(Errc::bad_request, name + "files must hold whole blocks, of 1 byte to 1 GiB");
        if (block % smallest_sector != 0_B || (job.cache == CachePolicy::direct && block % unit != 0_B))
            return fail(Errc::bad_request, name + "requests need whole sectors of " + std::to_string(unit.count) +
                                               " bytes; choose another block");
        if (cell.reads + cell.writes == 0 || cell.cell.volume < block)
            return fail(Errc::bad_request, name + "the cell neither reads nor writes; choose at least one block");
        if (cell.on_new_files && (cell.reads != 0 || random(cell.cell.access)))
            return fail(Errc::bad_request, name + "new files can only be written in order");
        if (cell.cell.queue_depth != 1)
            return fail(Errc::bad_request,
                        name + "requests of a mix are sent one at a time; choose a queue depth of 1");
        if (!ids.insert(cell.cell.id).second) return fail(Errc::bad_request, name + "the name is used twice");
    }
    return {};
}

Result<void> check_files(const JobSpec& job) {
    if (auto sane = check_payload(job.payload); !sane) return sane;
    const FilesJob& files = *job.as<FilesJob>();
    if (job.cache == CachePolicy::direct)
        return fail(Errc::bad_request,
                    "suite " + job.suite + " makes files through the page cache; choose \"dropped\" or \"cached\"");
    for (const FileSet& set : files.sets) {
        std::uint64_t folders = 1;
        for (const std::uint32_t count : set.folders) folders = std::min(folders * count, most_folders + 1);
        if (set.files == 0 || set.files > most_small_files || folders == 0 || folders > most_folders)
            return fail(Errc::bad_request, "a set needs 1 to " + std::to_string(most_small_files) + " files in 1 to " +
                                               std::to_string(most_folders) + " folders");
        if (set.law && (set.law->smallest == 0_B || set.law->largest < set.law->smallest))
            return fail(Errc::bad_request, "the sizes of files must ascend from 1 byte at least");
    }
    for (const FileStep& step : files.steps) {
        const std::string name = "step " + step.cell.id + ": ";
        if (step.set >= files.sets.size()) return fail(Errc::bad_request, name + "the set of files does not exist");
        if (step.from >= files.sets.size())
            return fail(Errc::bad_request, name + "the set of files to copy from does not exist");
        const bool sized = !files.sets[step.set].sizes.empty();
        if ((step.by_size || step.order == FileOrder::random_in_cycle) && !sized)
            return fail(Errc::bad_request, name + "the set of files has no list of sizes");
        if (step.order == FileOrder::as_listed && step.work != FileWork::stat && step.work != FileWork::remove)
            return fail(Errc::bad_request, name + "only stat and remove follow the order of a folder");
        if (step.cell.block == 0_B || step.cell.block > largest_transfer)
            return fail(Errc::bad_request, name + "a transfer must have 1 byte to 64 MiB");
        if (step.seekers == 0 || step.seekers > most_seekers)
            return fail(Errc::bad_request, name + "1 to " + std::to_string(most_seekers) + " seekers may run at once");
        if (!(step.part >= 0 && step.part <= 1)) return fail(Errc::bad_request, name + "the part must be 0 to 1");
    }
    return {};
}

Result<void> check_verify(const JobSpec& job, std::optional<BackingDevice::Sectors> sectors) {
    if (auto sane = check_payload(job.payload); !sane) return sane;
    if (job.payload.kind != PayloadKind::incompressible && job.payload.kind != PayloadKind::given)
        return fail(Errc::bad_request,
                    "verify needs a payload that differs between positions: incompressible or given");
    const Bytes unit = direct_unit(sectors);
    const Bytes chunk = job.as<VerifyJob>()->chunk;
    if (chunk.count == 0 || chunk % unit != 0_B || chunk % smallest_sector != 0_B || chunk > 64_MiB)
        return fail(Errc::bad_request, "verify needs a chunk of whole sectors of " + std::to_string(unit.count) +
                                           " bytes up to 64 MiB, not " + std::to_string(chunk.count) + " bytes");
    // 0 means the whole medium; a smaller span would be rounded to 0.
    const Bytes span = job.as<VerifyJob>()->span;
    if (span > 0_B && span < std::max(unit, smallest_sector))
        return fail(Errc::bad_request, "verify needs a span of at least one sector, not " + std::to_string(span.count) +
                                           " bytes; leave it out for the whole medium");
    return {};
}

namespace {

Result<void> refused(const std::string& detail, const std::string& advice, Reporter& reporter) {
    reporter.add_job_finding(measure::Finding{.kind = measure::FindingKind::medium_full,
                                              .severity = measure::Severity::warning,
                                              .detail = detail,
                                              .offset = {}});
    return fail(Errc::bad_request, detail + ": " + advice);
}

} // namespace

Result<std::unique_ptr<WorkFolder>> open_work_folder(const System& system, const JobTarget& target,
                                                     Reporter& reporter) {
    auto folder = system.make_work_folder(target);
    if (folder && (*folder)->open_to_others())
        reporter.add_job_finding(measure::Finding{
            .kind = measure::FindingKind::driver_limit,
            .severity = measure::Severity::note,
            .detail = "the file system in " + target.path +
                      " stores no modes, so other users can write in the test's folder: to close it to them, mount the "
                      "file system with your uid and umask=077",
            .offset = {}});
    return folder;
}

Result<void> check_free_space(const WorkFolder& folder, Bytes needed, Bytes largest, const std::string& path,
                              Reporter& reporter) {
    const auto available = folder.free_space();
    if (!available) return fail(available.error());
    if (needed > *available) {
        const SizeTexts sizes = size_texts(needed, *available);
        return refused("the test needs " + sizes.first + "; " + path + " has space for " + sizes.second,
                       "free some space or choose a smaller span", reporter);
    }
    const auto most = folder.largest_file();
    if (most && largest > *most) {
        const SizeTexts sizes = size_texts(largest, *most);
        return fail(Errc::bad_request, "the test needs a file of " + sizes.first + "; FAT in " + path +
                                           " takes at most " + sizes.second + " a file: choose a smaller span");
    }
    return {};
}

Result<void> check_entries(const WorkFolder& folder, std::uint64_t needed, const std::string& path,
                           Reporter& reporter) {
    const auto available = folder.free_entries();
    if (!available || needed <= *available) return {};
    return refused("the test needs " + std::to_string(needed) + " files and folders; the file system in " + path +
                       " can have " + std::to_string(*available) + " more",
                   "make it with more inodes, or use a larger medium", reporter);
}

Result<void> check_device(const MediumFile& device, Bytes needed, const std::string& path) {
    const auto available = device.size();
    if (!available) return fail(available.error());
    if (needed <= *available) return {};
    const SizeTexts sizes = size_texts(needed, *available);
    return fail(Errc::bad_request,
                "the test needs " + sizes.first + "; " + path + " has " + sizes.second + ": choose a smaller span");
}

IoErrors io_errors_of(const JobSpec& job, const BackingDevice& device, JobControl& control) {
    return {job.on_io_error, LossTest([&device] { return device.gone(); }, [&device] { return device.responds(); }),
            [&device](Bytes length) { return device.host_full(length); }, &control.failures};
}

std::string too_slow_failures() {
    return "failed transfers took " +
           std::to_string(std::chrono::duration_cast<std::chrono::minutes>(longest_failing).count()) +
           " minutes, and the rest was not tested; --on-io-error go_on continues however long they take";
}

tl::unexpected<Error> interrupted_job(const IoErrors& errors, const std::string& where) {
    if (errors.host_error()) return fail(*errors.host_error());
    if (errors.medium_lost())
        return fail(Errc::no_medium,
                    "the medium vanished or stopped answering " + where + "; check contact and power, then resume");
    if (errors.medium_full())
        return fail(Errc::io_failed, "the medium is full " + where + "; free some space or choose a smaller span");
    if (errors.took_too_long()) return fail(Errc::io_failed, "stopped " + where + ": " + too_slow_failures());
    if (errors.first_error() != 0)
        return fail(Errc::io_failed, "stopped at the first I/O error " + where + ": " +
                                         std::generic_category().message(errors.first_error()));
    if (errors.any()) return fail(Errc::io_failed, "stopped at the first short transfer " + where);
    return fail(Errc::cancelled, "cancelled " + where + "; finished cells are kept");
}

} // namespace mediarig::workload
