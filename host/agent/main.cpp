// SPDX-License-Identifier: GPL-3.0-or-later
/// mediarig-agent: the part of mediarig that runs on the machine with the media. The composition root.
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <exception>
#include <iostream>
#include <string>

#include "host/agent/linux/hardening.hpp"
#include "host/agent/linux/linux_backend.hpp"
#include "host/agent/linux/undo_file.hpp"
#include "host/agent/server/line.hpp"
#include "host/agent/server/serve.hpp"
#include "host/base/process/caller.hpp"
#include "host/base/process/mount_namespace.hpp"
#include "host/base/process/word_limits.hpp"
#include "host/base/text.hpp"
#include "host/base/version.hpp"
#include "host/media/claim/linux/linux_media.hpp"
#include "host/media/mount/linux/linux_mounter.hpp"

namespace {

/// Maximum length of a printed message, because an argument may have 4 KiB.
constexpr std::size_t longest_message = 1500;

using namespace mediarig;

struct Options {
    std::string device; ///< empty for standard input and output
    std::string log_level{"warning"};
    std::string lab_media; ///< empty outside the lab's guest
};

/// Exit status 0: every medium was released; 1: the connection failed or a medium could not be released; else the
/// status of the error.
int report(const Error& error, int status) {
    std::cerr << "mediarig-agent: " << printable(error.detail) << '\n';
    return status;
}

int serve_controller(const Options& options) {
    const auto caller = process::find_caller();
    if (!caller) return report(caller.error(), exit_status(caller.error().code));
    auto line =
        options.device.empty() ? agent::take_standard_streams() : agent::open_device_line(*caller, options.device);
    if (!line) return report(line.error(), exit_status(line.error().code));

    // Call this before any thread starts: namespaces and capabilities belong to a thread.
    const auto apart = process::enter_private_mount_namespace();
    if (!apart) spdlog::info("mounting is not possible: {}", apart.error().detail);
    if (auto done = agent::drop_privileges(*caller); !done) return report(done.error(), exit_status(done.error().code));

    const bool may_mount = apart.has_value();
    const agent::MakeBackend make = [&](const std::atomic<bool>& stop_work) {
        return agent::make_linux_backend(media::make_linux_discovery(options.lab_media),
                                         {.stop_work = stop_work,
                                          .may_mount = may_mount,
                                          .caller = *caller,
                                          .undo_folder = agent::undo_folder(*caller)});
    };
    auto plugs = media::make_hotplug_monitor();
    if (!plugs) spdlog::warn("plug events are not reported: {}", plugs.error().detail);

    // A hung-up terminal stays closed; a virtio port and a line of the lab's guest have one controller after another.
    const bool stays = !options.device.empty() && (!options.lab_media.empty() || ::isatty(line->read) == 0);
    const auto serve = stays ? agent::serve_one_after_another : agent::serve;
    const auto served = serve(*line, make, plugs ? plugs->get() : nullptr, {});
    if (!served) return report(served.error(), served.error().code == Errc::bad_request ? 2 : 1);
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    spdlog::set_default_logger(spdlog::stderr_logger_mt("mediarig-agent"));
    spdlog::set_pattern("%n: %l: %v");

    Options options;
    CLI::App app{
        "Identifies, claims, formats, mounts and measures media for a mediarig controller.\n"
        "Serves JSON-RPC 2.0, one message per line; see docs/reference/agent-protocol.md."};
    app.set_version_flag("--version", std::string("mediarig-agent ") + version);
    bool stdio = true;
    app.add_flag("--stdio", stdio, "Use standard input and output (the default)");
    app.add_option("--device", options.device, "Use this character device")->type_name("PATH")->excludes("--stdio");
    app.add_option("--lab-media", options.lab_media, "Identities of the lab's media; only for the lab's guest")
        ->type_name("FOLDER");
    app.add_option("--log-level", options.log_level, "Level of the log on standard error")
        ->check(CLI::IsMember({"debug", "info", "warning", "error", "off"}))
        ->capture_default_str();
    for (const auto& checked : {process::check_arguments(argc, argv), process::check_environment()})
        if (!checked) return report(checked.error(), exit_status(checked.error().code));
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& wrong) {
        if (wrong.get_exit_code() == 0) return app.exit(wrong);
        std::cerr << "mediarig-agent: " << printable(std::string(wrong.what()).substr(0, longest_message))
                  << "; see mediarig-agent --help\n";
        return 2;
    }
    spdlog::set_level(spdlog::level::from_str(options.log_level));
    try {
        return serve_controller(options);
    } catch (const std::exception& unforeseen) {
        std::cerr << "mediarig-agent: this program failed (" << printable(unforeseen.what()) << ")\n";
        return 3;
    }
}
