// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/single.hpp"

#include <fmt/format.h>

#include "host/app/target.hpp"
#include "host/plan/check_suite.hpp"

namespace mediarig::app {

Result<plan::Plan> single_plan(const SingleRequest& request) {
    const bool raw = request.suite.where == plan::Where::raw;
    const Target target{.name = request.target,
                        .elsewhere = request.elsewhere,
                        .confirm = request.confirm,
                        .contents_unknown = request.contents_unknown,
                        .use_unknown = request.use_unknown};
    const auto found = medium_of(target);
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
    if (!medium.directory.empty() && !request.confirm.empty())
        return fail(Errc::bad_request, fmt::format("--confirm permits erasing a device or an image, and {} is a "
                                                   "directory: leave it out",
                                                   request.target));
    if (request.contents_unknown && !raw)
        return fail(Errc::bad_request, fmt::format("--contents-unknown permits destroying what is on {}, and its file "
                                                   "system is to be measured: add --raw, or leave it out",
                                                   request.target));
    for (const plan::SuiteEntry& suite : request.before)
        if (auto sane = plan::check_suite(suite, "--raw"); !sane) return fail(sane.error());
    if (auto sane = plan::check_suite(request.suite, "--raw"); !sane) return fail(sane.error());
    if (raw && request.confirm.empty()) return fail(unconfirmed(target));

    plan::Plan plan{.name = request.suite.request.name, .media = {medium}, .suites = request.before};
    plan.suites.push_back(request.suite);
    if (medium.directory.empty() && !raw) plan.formats = {plan::FormatEntry{.keep = true}};
    return plan;
}

} // namespace mediarig::app
