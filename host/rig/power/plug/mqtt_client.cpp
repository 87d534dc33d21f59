// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/power/plug/mqtt_client.hpp"

#include <fmt/format.h>
#include <mosquitto.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>

namespace mediarig::rig {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int keep_alive_seconds = 30;
constexpr int at_least_once = 1;
/// Limits the memory that a broker can fill.
constexpr std::size_t most_waiting = 10'000;
constexpr std::size_t longest_message = 1 << 20;

/// The library must be initialised once per process.
void start_library() {
    static const int started = mosquitto_lib_init();
    (void)started;
}

} // namespace

struct MqttClient::State {
    std::string where;
    std::unique_ptr<mosquitto, decltype(&mosquitto_destroy)> client{nullptr, &mosquitto_destroy};
    std::optional<int> greeting; ///< the broker's return code; 0: accepted
    std::size_t subscribed{};
    std::deque<MqttMessage> waiting;

    [[nodiscard]] Result<void> identify(const BrokerAccess& access) {
        const auto unusable = [&](const char* why) {
            return fail(Errc::bad_request,
                        fmt::format("the certificates in {} cannot be used for the MQTT broker at {}: {}",
                                    access.authority.string(), where, why));
        };
        // Check here: the library reports an unreadable file as an invalid argument.
        if (!access.authority.empty() && ::access(access.authority.c_str(), R_OK) != 0)
            return unusable(std::strerror(errno));
        int status = MOSQ_ERR_SUCCESS;
        if (!access.user.empty())
            status = mosquitto_username_pw_set(client.get(), access.user.c_str(), access.password.c_str());
        // The library compares the certificate's names with the broker's name by default.
        if (status == MOSQ_ERR_SUCCESS && !access.authority.empty())
            status = mosquitto_tls_set(client.get(), access.authority.c_str(), nullptr, nullptr, nullptr, nullptr);
        if (status == MOSQ_ERR_SUCCESS) return {};
        return unusable(mosquitto_strerror(status));
    }
    [[nodiscard]] Result<void> turn(milliseconds within) {
        const auto most = std::clamp<milliseconds>(within, milliseconds(0), milliseconds(1000));
        const int status = mosquitto_loop(client.get(), static_cast<int>(most.count()), 1);
        if (status == MOSQ_ERR_SUCCESS) return {};
        return fail(Errc::io_failed, fmt::format("the connection to the MQTT broker at {} was lost: {}", where,
                                                 mosquitto_strerror(status)));
    }
};

MqttClient::MqttClient(std::unique_ptr<State> state) : state_(std::move(state)) {}
MqttClient::MqttClient(MqttClient&&) noexcept = default;
MqttClient& MqttClient::operator=(MqttClient&&) noexcept = default;
MqttClient::~MqttClient() {
    if (state_) mosquitto_disconnect(state_->client.get());
}

Result<MqttClient> MqttClient::connect(const std::string& host, std::uint16_t port, const BrokerAccess& access,
                                       const std::string& client, const std::vector<std::string>& topics,
                                       milliseconds within) {
    start_library();
    auto state = std::make_unique<State>();
    State& here = *state;
    here.where = fmt::format("{}:{}", host, port);
    here.client.reset(mosquitto_new(client.c_str(), /*clean_session=*/true, &here));
    if (!here.client) return fail(Errc::io_failed, "no memory for an MQTT client");
    mosquitto_connect_callback_set(
        here.client.get(), [](mosquitto*, void* self, int answer) { static_cast<State*>(self)->greeting = answer; });
    mosquitto_subscribe_callback_set(here.client.get(), [](mosquitto*, void* self, int, int, const int*) {
        ++static_cast<State*>(self)->subscribed;
    });
    mosquitto_message_callback_set(here.client.get(), [](mosquitto*, void* self, const mosquitto_message* message) {
        auto& waiting = static_cast<State*>(self)->waiting;
        const auto length = static_cast<std::size_t>(std::max(message->payloadlen, 0));
        if (waiting.size() >= most_waiting || length > longest_message) return;
        waiting.push_back(
            {.topic = message->topic,
             .payload = length == 0 ? std::string() : std::string(static_cast<const char*>(message->payload), length),
             .retained = message->retain});
    });
    if (auto set = here.identify(access); !set) return fail(std::move(set.error()));
    const auto deadline = steady_clock::now() + within;
    const int status = mosquitto_connect(here.client.get(), host.c_str(), port, keep_alive_seconds);
    if (status != MOSQ_ERR_SUCCESS)
        return fail(Errc::io_failed,
                    fmt::format("the MQTT broker at {} cannot be reached ({}): check that it runs and that "
                                "this is its address",
                                here.where, status == MOSQ_ERR_ERRNO ? "no connection" : mosquitto_strerror(status)));
    bool asked = false;
    while (!asked || here.subscribed < topics.size()) {
        if (here.greeting.value_or(0) != 0)
            return fail(Errc::no_permission, fmt::format("the MQTT broker at {} refuses: {}", here.where,
                                                         mosquitto_connack_string(*here.greeting)));
        if (here.greeting && !asked) {
            asked = true;
            for (const std::string& topic : topics)
                if (mosquitto_subscribe(here.client.get(), nullptr, topic.c_str(), at_least_once) != MOSQ_ERR_SUCCESS)
                    return fail(Errc::io_failed, fmt::format("the MQTT broker at {} rejected the subscription to {}",
                                                             here.where, topic));
            continue;
        }
        if (steady_clock::now() > deadline)
            return fail(Errc::timed_out, fmt::format("the MQTT broker at {} does not answer", here.where));
        auto turned = here.turn(milliseconds(100));
        // The broker disconnects after a refusal.
        if (!turned && here.greeting.value_or(0) == 0) return fail(std::move(turned.error()));
    }
    return MqttClient(std::move(state));
}

Result<void> MqttClient::publish(const std::string& topic, const std::string& payload, bool retain) {
    const int status = mosquitto_publish(state_->client.get(), nullptr, topic.c_str(), static_cast<int>(payload.size()),
                                         payload.data(), at_least_once, retain);
    if (status == MOSQ_ERR_SUCCESS) return {};
    return fail(Errc::io_failed,
                fmt::format("the MQTT broker at {} accepts no message: {}", state_->where, mosquitto_strerror(status)));
}

Result<std::optional<MqttMessage>> MqttClient::receive(milliseconds within) {
    const auto deadline = steady_clock::now() + within;
    for (;;) {
        if (!state_->waiting.empty()) {
            MqttMessage next = std::move(state_->waiting.front());
            state_->waiting.pop_front();
            return next;
        }
        const auto left = std::chrono::duration_cast<milliseconds>(deadline - steady_clock::now());
        if (left.count() < 0) return std::nullopt;
        if (auto turned = state_->turn(left); !turned) return fail(std::move(turned.error()));
    }
}

} // namespace mediarig::rig
