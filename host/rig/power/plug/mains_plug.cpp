// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/power/plug/mains_plug.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <random>
#include <thread>
#include <utility>

#include "host/rig/port/detachment.hpp"

namespace mediarig::rig {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

} // namespace

Result<MainsPlug> MainsPlug::connect(const PlugAddress& plug, PlugSetup setup) {
    const auto access = broker_access(setup.brokers, plug.host, plug.port);
    if (!access) return fail(access.error());
    // The broker disconnects a client when another client uses the same name.
    const std::string client = fmt::format("mediarig-{}-{:08x}", ::getpid(), std::random_device{}());
    auto broker = MqttClient::connect(plug.host, plug.port, *access, client, plug_subscriptions(plug, client));
    if (!broker) return fail(std::move(broker.error()));
    return MainsPlug(plug, setup, client, std::move(*broker));
}

Result<void> MainsPlug::drop_old_messages() {
    for (;;) {
        const auto old = broker_.receive(milliseconds(0));
        if (!old) return fail(old.error());
        if (!*old) return {};
    }
}

Result<PlugReport> MainsPlug::ask(const PlugMessage& question, bool (*answers)(const PlugReport&),
                                  std::string_view silence) {
    if (auto dropped = drop_old_messages(); !dropped) return fail(std::move(dropped.error()));
    if (auto asked = broker_.publish(question.topic, question.payload); !asked) return fail(std::move(asked.error()));
    const auto deadline = steady_clock::now() + setup_.answers_within;
    for (;;) {
        const auto left = std::chrono::duration_cast<milliseconds>(deadline - steady_clock::now());
        if (left.count() <= 0) break;
        const auto message = broker_.receive(left);
        if (!message) return fail(message.error());
        if (!*message) break;
        // A retained message is old regardless of its contents.
        if ((*message)->retained) continue;
        PlugReport says = read_plug_message(plug_, client_, (*message)->topic, (*message)->payload);
        // A late answer to an earlier request.
        if (says.request && *says.request != request_) continue;
        if (says.error)
            return fail(Errc::rig_fault, fmt::format("plug {} cannot be read: {}", plug_.text(), *says.error));
        if (answers(says)) return says;
    }
    return fail(
        Errc::timed_out,
        fmt::format("plug {} {} within {} s: check that it is on the network, has this topic and has a power meter",
                    plug_.text(), silence, static_cast<double>(setup_.answers_within.count()) / 1e3));
}

Result<double> MainsPlug::watts() {
    const auto said = ask(
        reading_message(plug_, client_, ++request_), [](const PlugReport& says) { return says.watts.has_value(); },
        "reports no power");
    if (!said) return fail(said.error());
    return *said->watts;
}

Result<void> MainsPlug::meters_when_off() {
    const auto question = off_metering_message(plug_);
    if (!question) return {};
    const auto said = ask(
        *question, [](const PlugReport& says) { return says.meters_when_off.has_value(); },
        "does not report its SetOption21");
    if (!said) return fail(said.error());
    if (!*said->meters_when_off)
        return fail(Errc::rig_fault, fmt::format("plug {} does not measure while it is off, so a welded relay could "
                                                 "not be detected: set SetOption21 to 1 in its console",
                                                 plug_.text()));
    return {};
}

Result<double> MainsPlug::set(bool on) {
    if (!on) {
        const auto before = watts();
        if (!before) return fail(before.error());
        if (*before < dead_watts)
            return fail(Errc::rig_fault,
                        fmt::format("plug {} carries {:.1f} W before it is switched off, too little "
                                    "to detect the change: check that the enclosure is plugged into it and switched on",
                                    plug_.text(), *before));
        if (auto meters = meters_when_off(); !meters) return fail(std::move(meters.error()));
    }
    const PlugMessage order = switch_message(plug_, client_, on, ++request_);
    if (auto asked = broker_.publish(order.topic, order.payload); !asked) return fail(std::move(asked.error()));
    const auto deadline = steady_clock::now() + setup_.settles_within;
    unsigned in_a_row = 0;
    double last = 0;
    do {
        const auto now = watts();
        if (!now) return fail(now.error());
        last = *now;
        in_a_row = (last >= dead_watts) == on ? in_a_row + 1 : 0;
        if (in_a_row == 2) return last;
        std::this_thread::sleep_for(setup_.poll_interval);
    } while (steady_clock::now() < deadline);
    return fail(
        Errc::rig_fault,
        fmt::format("plug {} was switched {} and carries {:.1f} W{}", plug_.text(), on ? "on" : "off", last,
                    on ? ": check that the enclosure is switched on" : ": its relay may be welded; pull it out"));
}

} // namespace mediarig::rig
