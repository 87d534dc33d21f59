// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/agent/serving.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <utility>

#include "host/workload/json.hpp"
#include "tests/catch.hpp"

namespace mediarig::agent {

using nlohmann::json;

RawPeer::~RawPeer() {
    close();
}

void RawPeer::close() {
    if (const int fd = std::exchange(fd_, -1); fd >= 0) ::close(fd);
}

void RawPeer::half_close() {
    ::shutdown(fd_, SHUT_WR);
}

bool RawPeer::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

bool RawPeer::send_request(const json& id, const std::string& method, const json& params) {
    const json request{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}};
    return send(request.dump() + "\n");
}

std::optional<json> RawPeer::next() {
    while (true) {
        if (auto frame = framer_.next()) return json::parse(frame->text);
        pollfd readable{fd_, POLLIN, 0};
        if (::poll(&readable, 1, 60'000) != 1) FAIL("nothing was received for one minute");
        std::array<char, 65536> buffer{};
        const ssize_t got = ::read(fd_, buffer.data(), buffer.size());
        if (got <= 0) return std::nullopt;
        framer_.push({buffer.data(), static_cast<std::size_t>(got)});
    }
}

json RawPeer::answer_to(const json& id) {
    while (auto message = next()) {
        if (message->contains("id") && (*message)["id"] == id) return *message;
        heard.push_back(std::move(*message));
    }
    FAIL("the connection ended before the answer to " + id.dump());
    return {};
}

std::string outcome_of(const json& answer) {
    if (answer.contains("result")) return "ok";
    const json& error = answer.at("error");
    const std::string errc =
        error.contains("data") ? error["data"].at("errc").get<std::string>() + ": " : std::string();
    return error.at("code").dump() + " " + errc + error.at("message").get<std::string>();
}

json claim_of(const std::string& target) {
    return {{"target", target}, {"confirm", "S-" + target}};
}
json exfat(std::uint64_t claim) {
    return {{"claim", claim}, {"fs", "exfat"}};
}
json format_exfat(std::uint64_t claim) {
    return {{"claim", claim}, {"format", {{"fs", "exfat"}}}};
}
json run_on(std::uint64_t claim, const workload::JobSpec& job) {
    return {{"claim", claim}, {"raw", false}, {"job", workload::to_json(job)}, {"done", json::array()}};
}

void mount_first(RawPeer& peer) {
    peer.send_request("c", "claim", claim_of("/dev/sdx"));
    peer.send_request("f", "format", format_exfat(1));
    peer.send_request("m", "mount", exfat(1));
    REQUIRE(outcome_of(peer.answer_to("m")) == "ok");
    peer.heard.clear();
}

std::vector<json> notified(const RawPeer& peer, const std::string& method) {
    std::vector<json> found;
    for (const json& message : peer.heard)
        if (message.value("method", "") == method) found.push_back(message["params"]);
    return found;
}

Serving::Serving() {
    std::signal(SIGPIPE, SIG_IGN);
    options.handle_signals = false;
    backend.media["/dev/sdx"] = fake_medium("/dev/sdx");
    backend.media["/dev/sdy"] = fake_medium("/dev/sdy");
}

Serving::~Serving() {
    backend.release();
    if (peer_) peer_->close();
    if (served_.valid()) served_.wait();
}

RawPeer& Serving::start() {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    peer_.emplace(ends[0]);
    served_ = std::async(std::launch::async, [this, theirs = ends[1]] {
        return serve({theirs, theirs}, maker_of(backend), plugs, options);
    });
    return *peer_;
}

RawPeer& Serving::greet() {
    RawPeer& peer = start();
    peer.send_request("hello", "hello", {{"protocol", 1}, {"controller", "test 1"}});
    REQUIRE(outcome_of(peer.answer_to("hello")) == "ok");
    return peer;
}

Result<void> Serving::ended() {
    if (served_.wait_for(std::chrono::minutes(1)) != std::future_status::ready) FAIL("the server did not end");
    return served_.get();
}

} // namespace mediarig::agent
