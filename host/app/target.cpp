// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/target.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "host/base/shell_word.hpp"
#include "host/base/text.hpp"
#include "host/lab/resident/lab_paths.hpp"
#include "host/media/claim/linux/kernel/bounded_calls.hpp"

namespace mediarig::app {
namespace {

/// The device is on the agent's machine, so this process cannot check it.
Result<plan::MediumRef> device_elsewhere(const Target& wanted) {
    if (!wanted.name.starts_with("/dev/"))
        return fail(Errc::bad_request,
                    fmt::format("{}: name the block device by its path there, such as /dev/sda", wanted.name));
    plan::MediumRef medium{.name = std::filesystem::path(wanted.name).filename(), .path = wanted.name};
    medium.confirm = wanted.confirm;
    return medium;
}

Result<plan::MediumRef> medium_here(const Target& wanted) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path target = fs::absolute(wanted.name, error);
    if (auto responds = media::check_path_responds(target.string()); !responds) return fail(responds.error());
    // main.cpp checks the arguments; here the folder of a relative name may be invalid UTF-8.
    if (valid_utf8(target.string()) != target.string())
        return fail(
            Errc::bad_request,
            fmt::format(
                "{} is not valid UTF-8, which records require: rename the folder, or name the file by another path",
                target.string()));
    const fs::file_status status = error ? fs::file_status{} : fs::status(target, error);
    if (error || !fs::exists(status))
        return fail(
            Errc::bad_request,
            fmt::format("{}: no such device, image or directory; 'mediarig devices' lists the devices{}", wanted.name,
                        wanted.name.starts_with("/dev/") && lab::lab_process(lab::default_lab_place())
                            ? ", and --agent lab reaches the devices of the running lab"
                            : ""));

    plan::MediumRef medium{.name = target.filename().empty() ? target.string() : target.filename().string()};
    medium.confirm = wanted.confirm;
    switch (status.type()) {
        case fs::file_type::block:
            medium.path = target;
            // A loop device is confirmed by the path of its image. A serial contains no slash.
            if (wanted.confirm.find('/') != std::string::npos) medium.confirm = canonical_path(wanted.confirm);
            break;
        case fs::file_type::regular:
            medium.image = canonical_path(target);
            medium.confirm = canonical_path(wanted.confirm);
            break;
        case fs::file_type::directory:
            medium.directory = target;
            break;
        default:
            return fail(
                Errc::bad_request,
                fmt::format("{} is not a block device, image file or directory; 'mediarig devices' lists the devices",
                            wanted.name));
    }
    return medium;
}

} // namespace

std::string canonical_path(const std::string& typed) {
    namespace fs = std::filesystem;
    std::error_code failed;
    if (typed.starts_with("/dev/")) return typed;         // below /dev the agent refuses everything except devices
    if (!media::check_path_responds(typed)) return typed; // the agent reports the missing response
    const fs::path real = fs::canonical(typed, failed);
    return !failed && fs::is_regular_file(real, failed) ? real.string() : typed;
}

Error unconfirmed(const Target& target) {
    std::error_code unknown;
    const std::filesystem::path here = std::filesystem::absolute(target.name, unknown);
    const bool image = !target.elsewhere && std::filesystem::is_regular_file(here, unknown);
    const std::string effect = target.keeps_data
                                   ? fmt::format("this writes to {} and restores its content afterwards", target.name)
                                   : fmt::format("this erases {}", target.name);
    return {Errc::bad_request,
            image ? fmt::format("{}: confirm an image by its path, --confirm {}", effect, shell_word(here.string()))
                  : fmt::format("{}: confirm it with --confirm and its serial (its path if it has no "
                                "serial; for a loop device the path of its image file), as 'mediarig {}' shows it",
                                effect, target.elsewhere ? "lab devices" : "devices")};
}

Result<plan::MediumRef> medium_of(const Target& target) {
    if (target.name.starts_with("/dev/") && plan::leads_upwards(target.name))
        return fail(Errc::bad_request,
                    fmt::format("{} leads out of /dev by \"..\"; name the device itself", target.name));
    auto medium = target.elsewhere ? device_elsewhere(target) : medium_here(target);
    if (!medium) return medium;
    if (target.use_unknown && !medium->directory.empty())
        return fail(Errc::bad_request,
                    fmt::format("--use-unknown applies to a device or an image, and {} is a directory: leave it out",
                                target.name));
    medium->use_unknown = target.use_unknown;
    if (!target.contents_unknown) return medium;
    if (!medium->directory.empty())
        return fail(
            Errc::bad_request,
            fmt::format("--contents-unknown applies to a device or an image, and {} is a directory: leave it out",
                        target.name));
    medium->contents_unknown = true;
    return medium;
}

} // namespace mediarig::app
