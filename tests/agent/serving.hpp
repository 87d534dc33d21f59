// SPDX-License-Identifier: GPL-3.0-or-later
/// The real server with fake media, in a thread of the test. The test is the controller, over a socket pair.
#pragma once

#include <atomic>
#include <future>
#include <optional>
#include <string>
#include <thread>

#include "host/agent/server/serve.hpp"
#include "host/base/async/line_framer.hpp"
#include "tests/fakes/fake_media_backend.hpp"
#include "tests/json.hpp"

namespace mediarig::agent {

/// One end of a connection, read and written directly by the test.
class RawPeer {
public:
    /// Owns the descriptor.
    explicit RawPeer(int descriptor) : fd_(descriptor) {}
    RawPeer(const RawPeer&) = delete;
    RawPeer& operator=(const RawPeer&) = delete;
    ~RawPeer();

    /// Returns false if the other side has disconnected.
    bool send(std::string_view bytes);
    bool send_request(const nlohmann::json& id, const std::string& method,
                      const nlohmann::json& params = nlohmann::json::object());
    /// Returns the next line as JSON, or nothing at the end. Waits for at most one minute.
    std::optional<nlohmann::json> next();
    /// Returns the answer to `id`. Earlier messages are kept in `heard`.
    nlohmann::json answer_to(const nlohmann::json& id);
    void half_close();
    void close();

    std::vector<nlohmann::json> heard;

private:
    int fd_;
    LineFramer framer_{std::size_t{64} << 20};
};

/// Text of an answer: "ok", or code and message: "-32601 unknown method 'x'", "-32000 refused: why".
[[nodiscard]] std::string outcome_of(const nlohmann::json& answer);

/// Parameters of the usual requests.
[[nodiscard]] nlohmann::json claim_of(const std::string& target);
[[nodiscard]] nlohmann::json exfat(std::uint64_t claim);
[[nodiscard]] nlohmann::json format_exfat(std::uint64_t claim);
[[nodiscard]] nlohmann::json run_on(std::uint64_t claim, const workload::JobSpec& job);
/// Claims /dev/sdx as claim 1, formats and mounts it.
void mount_first(RawPeer& peer);
/// Parameters of the notifications that the peer has received.
[[nodiscard]] std::vector<nlohmann::json> notified(const RawPeer& peer, const std::string& method);

class Serving {
public:
    Serving();
    ~Serving();

    FakeMediaBackend backend;
    ServeOptions options;
    media::HotplugMonitor* plugs{nullptr};

    /// Starts the server; the script of `backend` must be complete before.
    RawPeer& start();
    /// Like start(), with a completed hello.
    RawPeer& greet();
    RawPeer& peer() { return *peer_; }
    /// Waits until the server returned, for at most a minute.
    Result<void> ended();

private:
    std::optional<RawPeer> peer_;
    std::future<Result<void>> served_;
};

} // namespace mediarig::agent
