// SPDX-License-Identifier: GPL-3.0-or-later
/// Makes the plant and its wiring available to the emulator through Node-API. The simulated board uses the same model.
///
/// Exports one class, Plant({ pockets, ports, start }), where `start` is the initial position of the carriage. Times
/// are nanoseconds of board time; levels of inputs are returned as bits.
#include <node_api.h>

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "common/rigproto/wire.hpp"
#include "firmware/board/posix/event_json.hpp"
#include "firmware/plant/wiring.hpp"

namespace {

using mediarig::plant::Nanoseconds;
using mediarig::plant::Plant;
using mediarig::plant::PlantEvent;
using mediarig::plant::Wiring;

struct Rig {
    explicit Rig(const mediarig::plant::PlantConfig& config) : plant(config), wiring(plant) {}
    Plant plant;
    Wiring wiring;
};

/// One call from JavaScript: its arguments and its object.
class Call {
public:
    Call(napi_env env, napi_callback_info info) : env_(env) {
        std::size_t count = arguments_.size();
        napi_get_cb_info(env, info, &count, arguments_.data(), &self_, nullptr);
    }
    [[nodiscard]] Rig& rig() const {
        void* raw = nullptr;
        napi_unwrap(env_, self_, &raw);
        return *static_cast<Rig*>(raw);
    }
    [[nodiscard]] napi_value self() const { return self_; }
    [[nodiscard]] double number(std::size_t index) const {
        double value = 0;
        napi_get_value_double(env_, arguments_[index], &value);
        return value;
    }
    /// The emulator counts in fractions of a nanosecond while it runs from the ring oscillator.
    [[nodiscard]] Nanoseconds time(std::size_t index) const {
        return static_cast<Nanoseconds>(std::llround(number(index)));
    }
    [[nodiscard]] unsigned whole(std::size_t index) const { return static_cast<unsigned>(number(index)); }
    [[nodiscard]] bool flag(std::size_t index) const {
        bool value = false;
        napi_get_value_bool(env_, arguments_[index], &value);
        return value;
    }
    [[nodiscard]] std::string text(std::size_t index) const {
        std::array<char, 512> buffer{};
        std::size_t length = 0;
        napi_get_value_string_utf8(env_, arguments_[index], buffer.data(), buffer.size(), &length);
        return {buffer.data(), length};
    }
    [[nodiscard]] unsigned member(std::size_t index, const char* name, unsigned missing) const {
        napi_value value = nullptr;
        double number = missing;
        if (napi_get_named_property(env_, arguments_[index], name, &value) == napi_ok)
            napi_get_value_double(env_, value, &number);
        return static_cast<unsigned>(number);
    }
    [[nodiscard]] napi_value give(double value) const {
        napi_value result = nullptr;
        napi_create_double(env_, value, &result);
        return result;
    }
    [[nodiscard]] napi_value give(bool value) const {
        napi_value result = nullptr;
        napi_get_boolean(env_, value, &result);
        return result;
    }
    [[nodiscard]] napi_value give(const std::string& value) const {
        napi_value result = nullptr;
        napi_create_string_utf8(env_, value.data(), value.size(), &result);
        return result;
    }

private:
    napi_env env_;
    std::array<napi_value, 3> arguments_{};
    napi_value self_{};
};

napi_value construct(napi_env env, napi_callback_info info) {
    const Call call(env, info);
    const auto pockets = static_cast<std::uint8_t>(call.member(0, "pockets", mediarig::rigproto::max_pockets));
    const auto ports = static_cast<std::uint8_t>(call.member(0, "ports", mediarig::rigproto::port_count));
    auto config = mediarig::plant::simulated_plant(pockets, ports);
    config.x.start = static_cast<std::int32_t>(call.member(0, "start", static_cast<unsigned>(config.x.start)));
    auto rig = std::make_unique<Rig>(config);
    const auto destroy = [](napi_env, void* raw, void*) { std::unique_ptr<Rig>(static_cast<Rig*>(raw)).reset(); };
    if (napi_wrap(env, call.self(), rig.get(), destroy, nullptr, nullptr) == napi_ok) static_cast<void>(rig.release());
    return call.self();
}

napi_value drive(napi_env env, napi_callback_info info) {
    const Call call(env, info);
    const Nanoseconds at = call.time(0);
    call.rig().wiring.drive(call.whole(1), call.flag(2), at);
    return call.give(static_cast<double>(call.rig().wiring.levels(at)));
}

napi_value released(napi_env env, napi_callback_info info) {
    const Call call(env, info);
    const Nanoseconds at = call.time(0);
    call.rig().wiring.release(at);
    return call.give(static_cast<double>(call.rig().wiring.levels(at)));
}

napi_value sense(napi_env env, napi_callback_info info) {
    const Call call(env, info);
    return call.give(static_cast<double>(call.rig().wiring.levels(call.time(0))));
}

napi_value adc(napi_env env, napi_callback_info info) {
    const Call call(env, info);
    return call.give(static_cast<double>(call.rig().wiring.convert(call.whole(1), call.time(0))));
}

napi_value idle(napi_env env, napi_callback_info info) {
    const Call call(env, info);
    return call.give(Wiring::idle(call.whole(0)));
}

napi_value next_change(napi_env env, napi_callback_info info) {
    const Call call(env, info);
    const auto next = call.rig().wiring.next_change();
    return call.give(next ? static_cast<double>(*next) : std::numeric_limits<double>::infinity());
}

/// Returns an empty text if the sentence was understood, else the error.
napi_value say(napi_env env, napi_callback_info info) {
    const Call call(env, info);
    const auto said = call.rig().plant.say(call.text(0), call.time(1));
    return call.give(said ? std::string() : said.error());
}

/// Returns the events since the last call as JSON.
napi_value events(napi_env env, napi_callback_info info) {
    const Call call(env, info);
    std::string text = "[";
    for (const PlantEvent& one : call.rig().plant.take_events()) {
        if (text.size() > 1) text += ',';
        text += mediarig::board::event_json(one);
    }
    return call.give(text + "]");
}

/// Returns the state in the form of the simulated board, as JSON.
napi_value tell_state(napi_env env, napi_callback_info info) {
    const Call call(env, info);
    return call.give(mediarig::board::state_json(call.rig().plant, call.flag(0)));
}

/// Returns the state of the rig for tests, as JSON.
napi_value state(napi_env env, napi_callback_info info) {
    const Call call(env, info);
    const Rig& rig = call.rig();
    const auto& on = rig.plant.actuators();
    const auto axis = [&](mediarig::rigproto::Axis which) { return std::to_string(rig.plant.position(which)); };
    const auto made = [&](mediarig::rigproto::Axis which) { return std::to_string(rig.plant.steps_made(which)); };
    using mediarig::rigproto::Axis;
    return call.give(
        R"({"x":)" + axis(Axis::x) + R"(,"z":)" + axis(Axis::z) + R"(,"x_steps":)" + made(Axis::x) + R"(,"z_steps":)" +
        made(Axis::z) + R"(,"ports_on":)" + std::to_string(on.ports_on) + R"(,"motors_on":)" +
        (on.motors_on ? "true" : "false") + R"(,"pump":)" + (on.pump ? "true" : "false") + R"(,"valve":)" +
        (on.valve ? "true" : "false") + R"(,"jaw_open":)" + (on.jaw_open ? "true" : "false") + R"(,"nest_power":)" +
        (on.nest_power ? "true" : "false") + R"(,"holding":)" + (rig.plant.holding() ? "true" : "false") +
        R"(,"leds":)" + std::to_string(rig.wiring.leds()) + R"(,"hazards":)" +
        std::to_string(mediarig::plant::names_of(rig.plant.hazards()).size()) + R"(,"too_fast":)" +
        std::to_string(rig.wiring.too_fast()) + R"(,"too_fast_pin":)" + std::to_string(rig.wiring.too_fast_pin()) +
        R"(,"fingerprint":")" + std::to_string(rig.plant.fingerprint()) + R"("})");
}

/// Returns the configuration that a host sends to this rig: the payload, in hex.
napi_value config(napi_env env, napi_callback_info info) {
    const Call call(env, info);
    mediarig::rigproto::Frame frame;
    mediarig::rigproto::append(frame, call.rig().plant.config().geometry);
    std::string hex;
    for (const std::uint8_t byte : frame.payload()) {
        hex += "0123456789abcdef"[byte >> 4U];
        hex += "0123456789abcdef"[byte & 15U];
    }
    return call.give(hex);
}

napi_value inputs(napi_env env, napi_callback_info info) {
    const Call call(env, info);
    return call.give(static_cast<double>(Wiring::inputs()));
}

} // namespace

extern "C" NAPI_MODULE_EXPORT napi_value napi_register_module_v1(napi_env env, napi_value exports) {
    const auto method = [](const char* title, napi_callback function) {
        return napi_property_descriptor{title, nullptr, function, nullptr, nullptr, nullptr, napi_default, nullptr};
    };
    const std::array methods{
        method("drive", drive),
        method("released", released),
        method("sense", sense),
        method("adc", adc),
        method("idle", idle),
        method("nextChange", next_change),
        method("say", say),
        method("events", events),
        method("state", state),
        method("tellState", tell_state),
        method("config", config),
        napi_property_descriptor{"inputs", nullptr, nullptr, inputs, nullptr, nullptr, napi_default, nullptr}};
    napi_value plant = nullptr;
    napi_define_class(env, "Plant", NAPI_AUTO_LENGTH, construct, nullptr, methods.size(), methods.data(), &plant);
    napi_set_named_property(env, exports, "Plant", plant);
    return exports;
}
