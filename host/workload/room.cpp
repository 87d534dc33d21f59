// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/room.hpp"

#include "host/size_texts.hpp"

namespace mediarig::workload {
namespace {

Result<void> refused(const std::string& detail, const std::string& advice, Reporter& reporter) {
    reporter.about_job(measure::Finding{.kind = measure::FindingKind::medium_full,
                                        .severity = measure::Severity::warning,
                                        .detail = detail,
                                        .offset = {}});
    return fail(Errc::bad_request, detail + ": " + advice);
}

} // namespace

Result<void> check_room(const WorkFolder& folder, Bytes needed, Bytes largest, const std::string& path,
                        Reporter& reporter) {
    const auto available = folder.free_space();
    if (!available) return fail(available.error());
    if (needed > *available) {
        const SizeTexts sizes = size_texts(needed, *available);
        return refused("the test needs " + sizes.first + "; " + path + " has room for " + sizes.second,
                       "make room or ask for a smaller span", reporter);
    }
    const auto most = folder.largest_file();
    if (most && largest > *most) {
        const SizeTexts sizes = size_texts(largest, *most);
        return fail(Errc::bad_request, "the test needs a file of " + sizes.first + "; FAT in " + path +
                                           " takes at most " + sizes.second + " a file: ask for a smaller span");
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
                "the test needs " + sizes.first + "; " + path + " has " + sizes.second + ": ask for a smaller span");
}

} // namespace mediarig::workload
