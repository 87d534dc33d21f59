// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/single.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace mediarig::app {

namespace {

/// What the agent's machine will say about it is not known here.
Result<plan::MediumRef> device_elsewhere(const SingleRequest& request) {
    if (!request.target.starts_with('/'))
        return fail(Errc::bad_request,
                    fmt::format("{}: name the block device by its path there, such as /dev/sda", request.target));
    plan::MediumRef medium{.name = std::filesystem::path(request.target).filename(), .path = request.target};
    medium.confirm = request.confirm;
    return medium;
}

Result<plan::MediumRef> medium_here(const SingleRequest& request) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path target = fs::absolute(request.target, error);
    const fs::file_status status = error ? fs::file_status{} : fs::status(target, error);
    if (error || !fs::exists(status))
        return fail(Errc::bad_request,
                    fmt::format("{}: no such device, image or directory; `mediarig devices` lists what is here",
                                request.target));

    plan::MediumRef medium{.name = target.filename().empty() ? target.string() : target.filename().string()};
    medium.confirm = request.confirm;
    switch (status.type()) {
        case fs::file_type::block:
            medium.path = target;
            break;
        case fs::file_type::regular:
            medium.image = target;
            break;
        case fs::file_type::directory:
            medium.directory = target;
            break;
        default:
            return fail(Errc::bad_request, fmt::format("{} is no block device, image file or directory; `mediarig "
                                                       "devices` lists what is here",
                                                       request.target));
    }
    return medium;
}

} // namespace

Result<plan::Plan> single_plan(const SingleRequest& request) {
    const bool raw = request.suite.where == plan::Where::raw;
    const auto found = request.elsewhere ? device_elsewhere(request) : medium_here(request);
    if (!found) return fail(found.error());
    plan::MediumRef medium = *found;
    medium.partition = request.partition;
    if (request.partition && (raw || !medium.directory.empty()))
        return fail(Errc::bad_request, fmt::format("--partition chooses the file system to be mounted, and {}: leave "
                                                   "one of the two out",
                                                   raw ? "--raw mounts none" : request.target + " is a directory"));
    if (!medium.directory.empty() && raw)
        return fail(Errc::bad_request, fmt::format("{} is a directory: the bare device cannot be reached through it; "
                                                   "name the device, or leave out --raw",
                                                   request.target));
    if (raw && request.confirm.empty())
        return fail(Errc::bad_request, fmt::format("this destroys what is on {}: confirm it with --confirm and its "
                                                   "serial (or its path, where it has none)",
                                                   request.target));

    plan::Plan plan{.name = request.suite.request.name, .media = {medium}, .suites = request.before};
    plan.suites.push_back(request.suite);
    if (medium.directory.empty() && !raw) plan.formats = {plan::FormatEntry{.keep = true}};
    return plan;
}

} // namespace mediarig::app
