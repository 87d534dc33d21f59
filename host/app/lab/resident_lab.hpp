// SPDX-License-Identifier: GPL-3.0-or-later
/// Starts a lab that keeps running: in this process until it is stopped, or in a background process.
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
#include "host/lab/resident/lab_paths.hpp"

namespace mediarig::app {

struct ResidentOptions {
    std::vector<lab::LabSlot>
        slots; ///< empty: three USB ports, an enclosure, two reader slots, two SD slots, a port of a hub
    std::optional<std::chrono::milliseconds> idle; ///< ends after this time without a request
    std::filesystem::path media;                   ///< contents of cards; empty: a temporary folder
    lab::LabPaths place = lab::default_lab_place();
    lab::ImageOptions image = lab::default_image_options();
};

/// Called once with the lab's status when the lab accepts requests. If it returns false, the starting process has
/// ended, and the lab ends too.
using LabReadyCallback = std::function<bool(const nlohmann::json& status)>;

/// Boots the lab and serves requests; returns after a stop request, after SIGINT, SIGTERM or SIGHUP, or when the idle
/// time has passed. Fails with bad_request (a lab already runs, too many slots), no_driver, rig_fault, io_failed,
/// cancelled (a signal before the lab was ready).
[[nodiscard]] Result<void> run_resident_lab(const ResidentOptions& options, const LabReadyCallback& ready);

/// Runs this program with `words` in a new session with only /dev/null open, and waits for the single answer on
/// descriptor `answer_descriptor`. A signal during the wait ends the process. Fails with the error in the answer, with
/// cancelled, io_failed, or rig_fault (the program ended without an answer).
inline constexpr int answer_descriptor = 3;
[[nodiscard]] Result<nlohmann::json> start_in_background(const std::vector<std::string>& words);

} // namespace mediarig::app
