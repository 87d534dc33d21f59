// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <clocale>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/json/reader.hpp"
#include "host/base/process/environment.hpp"
#include "host/base/process/word_limits.hpp"
#include "host/base/version.hpp"
#include "host/cli/command.hpp"
#include "host/cli/manual/configuration.hpp"
#include "host/cli/manual/conventions.hpp"
#include "host/cli/manual/help_text.hpp"
#include "host/cli/manual/mistakes.hpp"
#include "host/cli/manual/output_filter.hpp"
#include "host/cli/text/text.hpp"

namespace {

using mediarig::cli::Action;
using mediarig::cli::AllowedControls;
using mediarig::cli::Console;
using mediarig::cli::line_of;
using mediarig::process::environment;

/// https://bixense.com/clicolors and https://no-color.org: forcing colour takes precedence over forbidding it, and both
/// take precedence over the type of the stream.
bool is_coloured(int descriptor) {
    if (const auto forced = environment("CLICOLOR_FORCE"); !forced.empty() && forced != "0") return true;
    if (!environment("NO_COLOR").empty() || environment("CLICOLOR") == "0" || environment("TERM").empty() ||
        environment("TERM") == "dumb")
        return false;
    return ::isatty(descriptor) != 0;
}

/// Files and pipes receive no control sequences unless colour is forced: nothing is redrawn there.
AllowedControls own_controls_on(int descriptor) {
    return ::isatty(descriptor) != 0 || is_coloured(descriptor) ? AllowedControls::terminal : AllowedControls::none;
}

/// True if the reader has closed the pipe.
bool nobody_reads(int descriptor) {
    pollfd asked{descriptor, POLLOUT, 0};
    return ::poll(&asked, 1, 0) == 1 && (asked.revents & POLLERR) != 0;
}

unsigned columns_of(int descriptor) {
    winsize size{};
    if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

/// `out` and `err` are the filtered streams; the terminal properties come from the file descriptors.
Console console_on(std::ostream& out, std::ostream& err) {
    const bool err_is_terminal = ::isatty(STDERR_FILENO) != 0;
    const bool out_is_terminal = ::isatty(STDOUT_FILENO) != 0;
    return {.out = out,
            .err = err,
            .terminal = err_is_terminal,
            .out_terminal = out_is_terminal,
            .colour = is_coloured(STDOUT_FILENO),
            .columns = columns_of(out_is_terminal ? STDOUT_FILENO : STDERR_FILENO),
            .answers = out_is_terminal && err_is_terminal && ::isatty(STDIN_FILENO) != 0 ? &std::cin : nullptr};
}

/// Returns 3 if the output could not be written although a process reads it.
int status_after_output(Console& to, int status) {
    to.out.flush();
    if (to.out || nobody_reads(STDOUT_FILENO)) return status;
    to.err << "mediarig: standard output cannot be written: is it closed, or the disk full?\n";
    return 3;
}

/// CLI11 reports --help and --version as errors with status 0. A mistyped word produces one line and status 2.
int answer(const CLI::App& app, const CLI::ParseError& what, Console& to) {
    if (what.get_exit_code() == 0) return status_after_output(to, app.exit(what, to.out, to.err));
    to.err << line_of("mediarig: " + mediarig::cli::explain(app, what));
    return 2;
}

/// Help and version output must work with a broken configuration file; the completion must be the same for every user.
bool needs_configuration(int argc, char** argv) {
    int at = 1;
    while (at < argc && std::string_view(argv[at]).starts_with("--config"))
        at += std::string_view(argv[at]) == "--config" ? 2 : 1;
    const std::string_view first = at < argc ? argv[at] : "--help";
    return first != "help" && first != "bash-completion" && first != "--help" && first != "--help-all" &&
           first != "-h" && first != "--version";
}

/// Returns the place of a device, image or folder that the user typed in place of a command; 0 without one.
std::size_t place_of_target(const CLI::App& app, const std::vector<char*>& words) {
    std::size_t at = 1;
    while (at < words.size() && std::string_view(words[at]).starts_with("--config"))
        at += std::string_view(words[at]) == "--config" ? 2 : 1;
    if (at >= words.size()) return 0;
    const std::string word = words[at];
    const auto commands = app.get_subcommands([&](const CLI::App* command) { return command->get_name() == word; });
    if (word.starts_with('-') || !commands.empty()) return 0;
    std::error_code unknown;
    return word.starts_with("/dev/") || std::filesystem::exists(word, unknown) ? at : 0;
}

int run(int argc, char** argv) {
    using mediarig::cli::OutputFilter;
    const auto prose_width = [](int descriptor) { return ::isatty(descriptor) != 0 ? columns_of(descriptor) : 0U; };
    OutputFilter visible_out(*std::cout.rdbuf(), own_controls_on(STDOUT_FILENO), prose_width(STDOUT_FILENO));
    OutputFilter visible_err(*std::cerr.rdbuf(), own_controls_on(STDERR_FILENO), prose_width(STDERR_FILENO));
    std::ostream out(&visible_out), err(&visible_err);
    err << std::unitbuf; // like std::cerr
    Console to = console_on(out, err);
    CLI::App app{"Tests removable media: formats, measures, verifies, and explains the results."};
    app.name("mediarig");
    app.set_version_flag("--version", std::string("mediarig ") + mediarig::version);
    app.formatter(std::make_shared<mediarig::cli::HelpText>(to.columns));
    app.require_subcommand(1);
    std::string config_file;
    app.add_option("--config", config_file,
                   "configuration file, in place of the user's and the machine's; goes before the command")
        ->type_name("FILE");
    // Options are not configurable unless they declare it.
    app.option_defaults()->configurable(false);
    const auto configuration = std::make_shared<mediarig::cli::Configuration>();
    Action action;
    mediarig::cli::add_devices_command(app, to, action);
    mediarig::cli::add_describe_command(app, to, action);
    mediarig::cli::add_suites_command(app, to, action);
    mediarig::cli::add_inspect_command(app, to, action);
    mediarig::cli::add_format_command(app, to, action);
    mediarig::cli::add_bench_command(app, to, action);
    mediarig::cli::add_verify_command(app, to, action);
    mediarig::cli::add_check_command(app, to, action);
    mediarig::cli::add_scan_command(app, to, action);
    mediarig::cli::add_compare_command(app, to, action);
    mediarig::cli::add_lab_command(app, to, action);
    mediarig::cli::add_published_command(app, to, action);
    mediarig::cli::add_rig_command(app, to, action);
    mediarig::cli::add_run_command(app, to, action);
    mediarig::cli::add_watch_command(app, to, action);
    mediarig::cli::add_replay_command(app, to, action);
    mediarig::cli::add_results_command(app, to, action);
    mediarig::cli::add_report_command(app, to, action);
    mediarig::cli::add_campaigns_command(app, to, action);
    mediarig::cli::add_names_command(app, to, action);
    mediarig::cli::add_config_command(app, to, action, configuration);
    mediarig::cli::add_help_command(app, to, action);
    mediarig::cli::add_completion_command(app, to, action);
    // Set after the commands were added, because they would inherit this flag.
    app.set_help_all_flag("--help-all", "Print the help of all commands and exit");
    app.footer(mediarig::paragraph(mediarig::cli::exit_statuses_in_short(), to.columns));
    for (const auto& checked : {mediarig::process::check_arguments(argc, argv), mediarig::process::check_environment()})
        if (!checked) return mediarig::cli::report(to, checked.error());
    if (needs_configuration(argc, argv)) {
        auto read = mediarig::cli::read_configuration(app, mediarig::cli::config_file_in(argc, argv));
        if (!read) return mediarig::cli::report(to, read.error());
        *configuration = std::move(*read);
        mediarig::cli::apply_when_chosen(app, configuration);
    }
    std::vector<char*> words(argv, argv + argc);
    char describe[] = "describe";
    if (const std::size_t at = place_of_target(app, words); at != 0)
        words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), describe);
    try {
        app.parse(static_cast<int>(words.size()), words.data());
    } catch (const CLI::ParseError& what) {
        return answer(app, what, to);
    }
    return status_after_output(to, action());
}

/// Opens closed standard streams: otherwise the next opened file would get such a descriptor, and output would be
/// written into that file.
void hold_standard_streams() {
    // open() returns the lowest free descriptor. Open read-only, so that writing to the descriptor still fails.
    while (::fcntl(STDERR_FILENO, F_GETFD) < 0 || ::fcntl(STDOUT_FILENO, F_GETFD) < 0 ||
           ::fcntl(STDIN_FILENO, F_GETFD) < 0)
        if (::open("/dev/null", O_RDONLY) < 0) return;
}

} // namespace

int main(int argc, char** argv) {
    hold_standard_streams();
    // A closed pipe is a write error; it must not kill the process during a test.
    std::signal(SIGPIPE, SIG_IGN);
    // A write beyond the maximum file size must also fail with an error.
    std::signal(SIGXFSZ, SIG_IGN);
    try {
        return run(argc, argv);
    } catch (const std::bad_alloc&) {
        std::cerr << "mediarig: out of memory: end other programs, or name a smaller file\n";
    } catch (const std::exception& unforeseen) {
        // This exception is a fault of this program. Its text comes from a library, is meant for developers, and may
        // have any length.
        std::cerr << line_of("mediarig: this program failed (" +
                             mediarig::strict_json::excerpt(unforeseen.what(), 200) + "): please report the command");
    }
    return 3;
}
