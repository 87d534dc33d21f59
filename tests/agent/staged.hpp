// SPDX-License-Identifier: GPL-3.0-or-later
/// The typed client against a scripted agent.
#pragma once

#include <future>
#include <memory>
#include <string>

#include "host/agent/client/agent_client.hpp"
#include "host/agent/protocol/message.hpp"
#include "tests/agent/client_harness.hpp"
#include "tests/agent/serving.hpp"

namespace mediarig::agent {

/// Runs in its own thread, which is joined at the end.
struct Staged {
    ClientHarness talk;
    std::unique_ptr<AgentClient> client;
    std::future<void> played;

    template <class Play>
    explicit Staged(Play play) {
        auto [link, theirs] = make_stream_link(talk.io);
        client = std::make_unique<AgentClient>(std::move(link));
        played = std::async(std::launch::async, [fd = theirs, play] {
            RawPeer peer(fd);
            play(peer);
        });
    }
    ~Staged() {
        client.reset();
        played.wait();
    }
};

inline std::string good_hello(const nlohmann::json& id) {
    HelloReport report;
    report.protocol = protocol_version;
    return serialise(Response{id, to_json(report)});
}

/// Answers hello, waits for one more request, then sends `bytes` and stays until the controller disconnects.
inline auto says_after_one_request(std::string bytes) {
    return [bytes](RawPeer& peer) {
        if (const auto hello = peer.next()) peer.send(good_hello((*hello)["id"]));
        if (peer.next()) peer.send(bytes);
        while (peer.next()) continue;
    };
}

inline std::string line(const nlohmann::json& message) {
    return message.dump() + "\n";
}
inline nlohmann::json notification(const char* method, const nlohmann::json& params) {
    return {{"jsonrpc", "2.0"}, {"method", method}, {"params", params}};
}

} // namespace mediarig::agent
