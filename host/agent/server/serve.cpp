// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/server/serve.hpp"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>

#include "host/agent/server/visit.hpp"

namespace mediarig::agent {
namespace {

namespace asio = boost::asio;

/// Requests in a file would end with the file, and the end of the line cancels what they asked for.
Result<void> check_line(LineEnds line) {
    struct stat status {};
    if (::fstat(line.read, &status) != 0 || ::fcntl(line.write, F_GETFD) < 0)
        return fail(Errc::io_failed, "the line is not open");
    if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))
        return fail(Errc::bad_request, "a file is no line: give the agent a pipe, a socket or a character device");
    return {};
}

void close_both(LineEnds line) {
    ::close(line.read);
    if (line.write != line.read) ::close(line.write);
}

} // namespace

Result<void> serve(LineEnds line, MediaBackend& backend, std::atomic<bool>& stop_work, media::PlugMonitor* plugs,
                   const ServeOptions& options) {
    if (auto fits = check_line(line); !fits) {
        close_both(line);
        return fits;
    }
    // Reading and writing are waited for apart; the event queue of the kernel knows each descriptor once.
    if (line.read == line.write) line.write = ::dup(line.read);

    asio::io_context io(1);
    try {
        Visit visit(io, line, backend, stop_work, plugs, options);
        asio::signal_set signals(io);
        if (options.handle_signals) {
            // A controller that is gone is an error of write(), not the end of a process that holds mounts.
            std::signal(SIGPIPE, SIG_IGN);
            for (const int number : {SIGTERM, SIGINT, SIGHUP}) signals.add(number);
            signals.async_wait([&](boost::system::error_code stopped, int number) {
                if (stopped) return;
                spdlog::info("ended by signal {}", number);
                visit.end({});
            });
        }
        visit.begin();
        io.run();
        return visit.outcome();
    } catch (const std::exception& broken) {
        // What the kernel cannot wait for, such as /dev/null, and a machine out of descriptors end here.
        return fail(Errc::io_failed, std::string("the line cannot be served: ") + broken.what());
    }
}

} // namespace mediarig::agent
