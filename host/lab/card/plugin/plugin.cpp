// SPDX-License-Identifier: GPL-3.0-or-later
/// nbdkit plugin interface of one modelled medium. No exception leaves this file: the caller is C.
#define NBDKIT_API_VERSION 2
#include <nbdkit-plugin.h>

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include "host/lab/card/plugin/running_card.hpp"

// A medium serves requests one at a time: it has one head, one controller and one cache.
#define THREAD_MODEL NBDKIT_THREAD_MODEL_SERIALIZE_ALL_REQUESTS

namespace {

using namespace mediarig;
using namespace mediarig::lab;

/// Global because nbdkit passes no user data to config(), get_ready() and unload(). One server process serves one
/// medium.
struct State {
    CardParameters parameters;
    std::unique_ptr<RunningCard> card;
};
State* state = nullptr;

/// Calls `act` and turns an exception into an error of the server.
template <class Act>
auto guarded(Act act, decltype(act()) failed) noexcept {
    try {
        return act();
    } catch (const std::exception& cause) {
        nbdkit_error("card model: %s", cause.what());
    } catch (...) {
        nbdkit_error("card model: unknown exception");
    }
    nbdkit_set_error(EIO);
    return failed;
}

int complain(const Error& error) {
    nbdkit_error("%s", error.detail.c_str());
    return -1;
}

int answer(const char* what, const Result<Outcome>& outcome) {
    if (!outcome) {
        // The backing storage failed, not the medium; most likely the disk is full.
        nbdkit_error("%s", outcome.error().detail.c_str());
        nbdkit_set_error(EIO);
        return -1;
    }
    using Status = Outcome::Status;
    switch (outcome->status) {
        case Status::good:
            return 0;
        case Status::bad_sector:
            nbdkit_debug("%s: bad sector %llu", what, static_cast<unsigned long long>(outcome->at.index));
            nbdkit_set_error(EIO);
            return -1;
        case Status::no_power:
            nbdkit_set_error(EIO);
            return -1;
        case Status::out_of_range:
            nbdkit_set_error(EINVAL);
            return -1;
    }
    return -1;
}

bool parse_number(const char* text, std::uint64_t& out) {
    return nbdkit_parse_uint64_t("seed", text, &out) == 0;
}

int set(CardParameters& parameters, std::string_view key, const char* value) {
    const auto size = [&](std::optional<Bytes>& out) {
        const std::int64_t parsed = nbdkit_parse_size(value);
        if (parsed < 0) return -1;
        out = Bytes{static_cast<std::uint64_t>(parsed)};
        return 0;
    };
    const auto path = [&](std::string& out) {
        // Make the path absolute: the server may change its working folder.
        char* absolute = nbdkit_absolute_path(value);
        if (absolute == nullptr) return -1;
        out = absolute;
        std::free(absolute);
        return 0;
    };
    if (key == "config") {
        const std::string_view word(value);
        if (word.find('/') != std::string_view::npos || word.ends_with(".json")) return path(parameters.config);
        parameters.config = word;
        return 0;
    }
    if (key == "backing") return path(parameters.backing);
    if (key == "control") return path(parameters.control.emplace());
    if (key == "size") return size(parameters.overrides.claimed);
    if (key == "real_size") return size(parameters.overrides.real);
    if (key == "seed") return parse_number(value, parameters.overrides.start_value.emplace()) ? 0 : -1;
    if (key == "joins_within_ns") {
        std::uint64_t ns{};
        if (!parse_number(value, ns) || ns > 1'000'000'000) {
            nbdkit_error("joins_within_ns must be a number from 0 to 1000000000, is '%s'", value);
            return -1;
        }
        parameters.overrides.joins_within = std::chrono::nanoseconds(ns);
        return 0;
    }
    if (key == "time_scale") {
        char* end = nullptr;
        parameters.time_scale = std::strtod(value, &end);
        if (end != value && *end == '\0' && parameters.time_scale >= 0 && parameters.time_scale <= 1000) return 0;
        nbdkit_error("time_scale must be a number from 0 to 1000, is '%s'", value);
        return -1;
    }
    nbdkit_error("unknown parameter '%s'", std::string(key).c_str());
    return -1;
}

void card_load() {
    guarded(
        [] {
            state = new State;
            return 0;
        },
        -1);
}

void card_unload() {
    guarded(
        [] {
            delete state;
            return 0;
        },
        -1);
    state = nullptr;
}

int card_config(const char* key, const char* value) {
    return guarded([&] { return state == nullptr ? -1 : set(state->parameters, key, value); }, -1);
}

int card_config_complete() {
    if (state == nullptr) return -1;
    if (!state->parameters.config.empty() && !state->parameters.backing.empty()) return 0;
    nbdkit_error("both config= and backing= are needed");
    return -1;
}

int card_get_ready() {
    return guarded(
        [] {
            const auto sleep = [](Pacer::Time time) {
                const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
                // Returns early when the server is stopped.
                nbdkit_nanosleep(static_cast<unsigned>(seconds.count()),
                                 static_cast<unsigned>((time - seconds).count()));
            };
            auto card = RunningCard::make(state->parameters, sleep);
            if (!card) return complain(card.error());
            state->card = std::move(*card);
            return 0;
        },
        -1);
}

int card_after_fork() {
    return guarded(
        [] {
            const auto started = state->card->start_control();
            return started ? 0 : complain(started.error());
        },
        -1);
}

void* card_open(int) {
    return state->card.get();
}

RunningCard& card_of(void* handle) {
    return *static_cast<RunningCard*>(handle);
}

std::int64_t card_get_size(void* handle) {
    return static_cast<std::int64_t>(card_of(handle).config().claimed.count);
}

int card_block_size(void*, std::uint32_t* minimum, std::uint32_t* preferred, std::uint32_t* maximum) {
    *minimum = static_cast<std::uint32_t>(sector_size.count);
    *preferred = 4096;
    *maximum = std::uint32_t{32} << 20U;
    return 0;
}

int card_yes(void*) {
    return 1;
}

int card_is_rotational(void* handle) {
    return card_of(handle).config().disk ? 1 : 0;
}

int card_can_trim(void* handle) {
    return card_of(handle).config().can_trim ? 1 : 0;
}

int card_can_fua(void*) {
    return NBDKIT_FUA_NATIVE;
}

int card_pread(void* handle, void* buffer, std::uint32_t count, std::uint64_t offset, std::uint32_t) {
    return guarded(
        [&] {
            return answer("read", card_of(handle).read(offset, {static_cast<std::byte*>(buffer), count}));
        },
        -1);
}

int card_pwrite(void* handle, const void* buffer, std::uint32_t count, std::uint64_t offset, std::uint32_t flags) {
    return guarded(
        [&] {
            const auto durability = (flags & NBDKIT_FLAG_FUA) != 0 ? Durability::through : Durability::cached;
            return answer("write",
                          card_of(handle).write(offset, {static_cast<const std::byte*>(buffer), count}, durability));
        },
        -1);
}

int card_zero(void* handle, std::uint32_t count, std::uint64_t offset, std::uint32_t) {
    return guarded([&] { return answer("zero", card_of(handle).zero(offset, {count})); }, -1);
}

int card_trim(void* handle, std::uint32_t count, std::uint64_t offset, std::uint32_t) {
    return guarded([&] { return answer("trim", card_of(handle).trim(offset, {count})); }, -1);
}

int card_flush(void* handle, std::uint32_t) {
    return guarded([&] { return answer("flush", card_of(handle).flush()); }, -1);
}

nbdkit_plugin make_plugin() {
    nbdkit_plugin plugin{};
    plugin.name = "mediarig-card";
    plugin.longname = "mediarig card model";
    plugin.description = "a medium that behaves as described: sizes, speeds, stalls and faults";
    plugin.magic_config_key = "config";
    plugin.config_help =
        "config=NAME|FILE      (required) a medium of the catalogue, or a description in JSON\nbacking=FILE          "
        "(required) sparse file for the data; created if missing\nsize=SIZE             the claimed size, in place "
        "of the description's\nreal_size=SIZE        the real size, in place of the description's\nseed=N            "
        "    start value of the random numbers\njoins_within_ns=N     transfers that continue within this time are one "
        "command, in place of the description's\ncontrol=SOCKET        Unix socket for commands, one JSON object per "
        "line\ntime_scale=X          seconds to wait for each modelled one; 0: none (default 1)\n";
    plugin.load = card_load;
    plugin.unload = card_unload;
    plugin.config = card_config;
    plugin.config_complete = card_config_complete;
    plugin.get_ready = card_get_ready;
    plugin.after_fork = card_after_fork;
    plugin.open = card_open;
    plugin.get_size = card_get_size;
    plugin.block_size = card_block_size;
    plugin.can_write = card_yes;
    plugin.can_flush = card_yes;
    plugin.can_zero = card_yes;
    plugin.can_multi_conn = card_yes;
    plugin.is_rotational = card_is_rotational;
    plugin.can_trim = card_can_trim;
    plugin.can_fua = card_can_fua;
    plugin.pread = card_pread;
    plugin.pwrite = card_pwrite;
    plugin.zero = card_zero;
    plugin.trim = card_trim;
    plugin.flush = card_flush;
    return plugin;
}

nbdkit_plugin description = make_plugin();

} // namespace

NBDKIT_REGISTER_PLUGIN(description)
