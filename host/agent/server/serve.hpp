// SPDX-License-Identifier: GPL-3.0-or-later
/// One controller's connection: answers requests until the line ends, then puts everything away. Or one connection
/// after another, on a line that outlives its controllers.
#pragma once

#include <chrono>
#include <cstddef>

#include "host/agent/server/media_backend.hpp"
#include "host/media/discovery.hpp"
#include "host/result.hpp"

namespace mediarig::agent {

/// Both ends of the line; may be one descriptor twice. Owned by serve(), which closes them.
struct LineEnds {
    int read{-1};
    int write{-1};
};

struct ServeOptions {
    /// SIGTERM, SIGINT and SIGHUP end the connection in order, SIGPIPE is ignored. Off where a test's own process
    /// serves, which then has to ignore SIGPIPE itself.
    bool handle_signals{true};
    std::chrono::milliseconds progress_interval{200};
    /// Bytes of unread output from which on the job waits, between two cells.
    std::size_t output_room{std::size_t{4} << 20};
    /// Requests that may wait for their turn.
    std::size_t most_waiting{64};
    /// Claims that can be held at one time, and requests that can be at work.
    std::size_t most_workers{80};
};

/// Blocking. This thread serves the line and the timers; each claim has a worker with a thread and a backend of its own
/// (`make`), and so has each other request that is at work. Requests about one claim, one target or one directory are
/// carried out in the order in which they came, all others side by side. `plugs` may be null. Returns when everything
/// is put away; fails with io_failed (the line broke) or with what could not be put away.
[[nodiscard]] Result<void> serve(LineEnds line, const MakeBackend& make, media::HotplugMonitor* plugs,
                                 const ServeOptions& options);

/// As serve(), for a port that stays when its controller goes: a virtio port reads as ended while nobody is connected
/// at the other side. Then everything is put away, and the next controller is waited for. A controller that comes so
/// fast that the gap is not seen says `start_over` first: that ends the connection before it, and is answered when all
/// of that is put away, as the first line of the new connection and after a line end, so that no half message on either
/// way harms. Returns after a signal, or fails with io_failed where the line itself is broken.
[[nodiscard]] Result<void> serve_one_after_another(LineEnds line, const MakeBackend& make, media::HotplugMonitor* plugs,
                                                   const ServeOptions& options);

} // namespace mediarig::agent
