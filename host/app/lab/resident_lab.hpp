// SPDX-License-Identifier: GPL-3.0-or-later
/// Starts the lab that stays: in this process until it is stopped, or in one of its own behind the user's back.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/lab/image/guest_image.hpp"
#include "host/lab/machine/machine_spec.hpp"
#include "host/lab/resident/place.hpp"

namespace mediarig::app {

struct ResidentOptions {
    std::vector<lab::Slot>
        slots; ///< empty: three USB ports, an enclosure, two reader slots, two SD slots, a hub's port
    std::optional<std::chrono::milliseconds> idle; ///< ends by itself when nobody asked it for anything for so long
    std::filesystem::path media;                   ///< keeps what cards hold; empty: a folder that goes with the lab
    lab::LabPlace place = lab::default_lab_place();
    lab::ImageOptions image = lab::default_image_options();
};

/// Told once, when the lab can be asked: its status. False: nobody is there to hear it, so the lab ends.
using LabIsReady = std::function<bool(const nlohmann::json& status)>;

/// Boots, serves, and returns when the lab was stopped: by a request, by SIGINT, SIGTERM or SIGHUP, or because nobody
/// used it. Fails with bad_request (a lab runs already, too many slots), no_driver, rig_fault, io_failed, cancelled (a
/// signal came before it was ready).
[[nodiscard]] Result<void> run_resident_lab(const ResidentOptions& options, const LabIsReady& ready);

/// Runs this very program with `words` in a session of its own, with nothing but /dev/null open, and waits for the one
/// answer that it writes to descriptor `answer_descriptor`; a signal meanwhile ends it. Fails with what the answer
/// says, with cancelled, io_failed, or rig_fault (it ended without an answer).
inline constexpr int answer_descriptor = 3;
[[nodiscard]] Result<nlohmann::json> start_in_background(const std::vector<std::string>& words);

} // namespace mediarig::app
