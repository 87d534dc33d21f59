// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/server/serve.hpp"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>

#include "host/agent/server/controller_connection.hpp"
#include "host/text.hpp"

namespace mediarig::agent {
namespace {

namespace asio = boost::asio;

/// Requests in a file would end with the file, and the end of the line cancels what they asked for.
Result<void> check_line(LineEnds line) {
    struct stat status {};
    if (::fstat(line.read, &status) != 0 || ::fcntl(line.write, F_GETFD) < 0)
        return fail(Errc::io_failed, "the line is not open");
    if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))
        return fail(Errc::bad_request, "a file is not a line: give the agent a pipe, a socket or a character device");
    return {};
}

void close_both(LineEnds line) {
    ::close(line.read);
    if (line.write != line.read) ::close(line.write);
}

/// Reading and writing are waited for apart; the event queue of the kernel knows each descriptor once.
LineEnds copy_of(LineEnds line) {
    return {::fcntl(line.read, F_DUPFD_CLOEXEC, 3), ::fcntl(line.write, F_DUPFD_CLOEXEC, 3)};
}

/// Who a connection is for, and what it works with.
struct Setting {
    LineLife life{};
    const MakeBackend& make;
    media::HotplugMonitor* plugs{};
    const ServeOptions& options;
};

struct ConnectionEnd {
    Result<void> outcome;
    std::optional<nlohmann::json> start_over; ///< the id to be answered by the next connection
    bool last{};                              ///< a signal came, or the line broke
};

/// Owns both descriptors.
ConnectionEnd visit_once(LineEnds line, const Setting& setting, const std::optional<Response>& first) {
    asio::io_context io(1);
    try {
        ControllerConnection connection(io, line, setting.life, setting.make, setting.plugs, setting.options);
        bool signalled = false;
        asio::signal_set signals(io);
        if (setting.options.handle_signals) {
            // A controller that is gone is an error of write(), not the end of a process that holds mounts.
            std::signal(SIGPIPE, SIG_IGN);
            std::signal(SIGXFSZ, SIG_IGN);
            for (const int number : {SIGTERM, SIGINT, SIGHUP}) signals.add(number);
            signals.async_wait([&](boost::system::error_code stopped, int number) {
                if (stopped) return;
                spdlog::info("ended by signal {}", number);
                signalled = true;
                connection.end({});
            });
        }
        if (first) connection.begin_with(*first);
        connection.begin();
        io.run();
        return {connection.outcome(), connection.start_over(), signalled || connection.line_broke()};
    } catch (const std::exception& broken) {
        // What the kernel cannot wait for, such as /dev/null, and a machine out of descriptors end here.
        return {fail(Errc::io_failed, std::string("the line cannot be served: ") + broken.what()), {}, true};
    }
}

} // namespace

Result<void> serve(LineEnds line, const MakeBackend& make, media::HotplugMonitor* plugs, const ServeOptions& options) {
    if (auto fits = check_line(line); !fits) {
        close_both(line);
        return fits;
    }
    if (line.read == line.write) line.write = ::dup(line.read);
    return visit_once(line, {LineLife::one_controller, make, plugs, options}, {}).outcome;
}

Result<void> serve_one_after_another(LineEnds line, const MakeBackend& make, media::HotplugMonitor* plugs,
                                     const ServeOptions& options) {
    if (auto fits = check_line(line); !fits) {
        close_both(line);
        return fits;
    }
    const Setting setting{LineLife::many_controllers, make, plugs, options};
    std::optional<Response> first;
    while (true) {
        // The line itself stays open: a virtio port that is closed drops what the next controller has said already.
        const ConnectionEnd visited = visit_once(copy_of(line), setting, first);
        if (visited.last) {
            close_both(line);
            return visited.outcome;
        }
        if (!visited.outcome) spdlog::error("{}", printable(visited.outcome.error().detail));
        first.reset();
        if (!visited.start_over) continue;
        first = Response{*visited.start_over, nlohmann::json::object()};
        if (!visited.outcome) first->outcome = tl::unexpected(to_rpc(visited.outcome.error()));
    }
}

} // namespace mediarig::agent
