// SPDX-License-Identifier: GPL-3.0-or-later
#include <sys/ioctl.h>
#include <unistd.h>

#include <clocale>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

#include "host/cli/command.hpp"
#include "host/cli/output_filter.hpp"
#include "host/cli/text.hpp"
#include "host/text.hpp"
#include "host/version.hpp"

namespace {

using mediarig::cli::Action;
using mediarig::cli::Console;
using mediarig::cli::line_of;
using mediarig::cli::OwnControls;

/// A file or a pipe gets none: nothing there is drawn over or coloured.
OwnControls own_controls_on(int descriptor) {
    return ::isatty(descriptor) != 0 ? OwnControls::terminal : OwnControls::none;
}

unsigned columns_of(int descriptor) {
    winsize size{};
    if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

/// `out` and `err` are the filtered streams; what they are connected to is asked of the system.
Console console_on(std::ostream& out, std::ostream& err) {
    const bool err_is_terminal = ::isatty(STDERR_FILENO) != 0;
    const bool out_is_terminal = ::isatty(STDOUT_FILENO) != 0;
    // https://no-color.org: any value that is not empty.
    const char* no_colour = std::getenv("NO_COLOR"); // NOLINT(concurrency-mt-unsafe): no thread exists yet
    const bool colour = out_is_terminal && (no_colour == nullptr || *no_colour == '\0');
    return {.out = out,
            .err = err,
            .terminal = err_is_terminal,
            .colour = colour,
            .columns = columns_of(out_is_terminal ? STDOUT_FILENO : STDERR_FILENO)};
}

/// CLI11 answers --help and --version through the same road as errors; a wrong word gets one line and status 2.
int answer(const CLI::App& app, const CLI::ParseError& what, const char* first_word, Console& to) {
    if (what.get_exit_code() == 0) return app.exit(what, to.out, to.err);
    const auto chosen = app.get_subcommands();
    // CLI11 only says that a command is missing, not that it does not know the one that is there.
    if (chosen.empty() && first_word != nullptr && *first_word != '-') {
        to.err << line_of(std::string("mediarig: there is no command '") + first_word + "' (see mediarig --help)");
        return 2;
    }
    const std::string help = chosen.empty() ? "mediarig --help" : "mediarig " + chosen.front()->get_name() + " --help";
    std::string line = what.what();
    if (const auto end = line.find('\n'); end != std::string::npos) line.resize(end);
    to.err << line_of("mediarig: " + line + " (see " + help + ")");
    return 2;
}

/// Reports, records and the agent's protocol are JSON, which holds no other text. 0, or 2 for the first word that is
/// none.
int check_text(int argc, char** argv, Console& to) {
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (mediarig::valid_utf8(word) == word) continue;
        to.err << line_of("mediarig: " + word +
                          " is not UTF-8, and a record can hold no other text: rename the file, or write the word in "
                          "UTF-8");
        return 2;
    }
    return 0;
}

int run(int argc, char** argv) {
    using mediarig::cli::OutputFilter;
    OutputFilter visible_out(*std::cout.rdbuf(), own_controls_on(STDOUT_FILENO));
    OutputFilter visible_err(*std::cerr.rdbuf(), own_controls_on(STDERR_FILENO));
    std::ostream out(&visible_out), err(&visible_err);
    err << std::unitbuf; // as std::cerr
    Console to = console_on(out, err);
    CLI::App app{"Tests removable media: formats, measures, verifies, and says what the numbers mean."};
    app.name("mediarig");
    app.set_version_flag("--version", std::string("mediarig ") + mediarig::version);
    app.require_subcommand(1);
    Action action;
    mediarig::cli::add_devices_command(app, to, action);
    mediarig::cli::add_inspect_command(app, to, action);
    mediarig::cli::add_format_command(app, to, action);
    mediarig::cli::add_bench_command(app, to, action);
    mediarig::cli::add_verify_command(app, to, action);
    mediarig::cli::add_price_command(app, to, action);
    mediarig::cli::add_lab_command(app, to, action);
    mediarig::cli::add_rig_command(app, to, action);
    mediarig::cli::add_run_command(app, to, action);
    mediarig::cli::add_results_command(app, to, action);
    mediarig::cli::add_report_command(app, to, action);
    mediarig::cli::add_manual_command(app, to, action);
    if (const int refused = check_text(argc, argv, to); refused != 0) return refused;
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& what) {
        return answer(app, what, argc > 1 ? argv[1] : nullptr, to);
    }
    const int status = action();
    to.out.flush();
    if (!to.out) {
        to.err << "mediarig: standard output cannot be written: is the disk full?\n";
        return 3;
    }
    return status;
}

} // namespace

int main(int argc, char** argv) {
    // A pipe that closes early is an output that cannot be written, not a reason to die in the middle of a test.
    std::signal(SIGPIPE, SIG_IGN);
    // Nor is a limit on the size of files: the write fails, and says so.
    std::signal(SIGXFSZ, SIG_IGN);
    try {
        return run(argc, argv);
    } catch (const std::exception& unforeseen) {
        std::cerr << line_of(std::string("mediarig: ") + unforeseen.what());
        return 3;
    }
}
