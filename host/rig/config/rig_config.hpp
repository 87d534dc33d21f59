// SPDX-License-Identifier: GPL-3.0-or-later
/// The rig file: which board, its geometry and limits, and where its readers are on the USB. What is left out is as in
/// the simulated rig. The schema: docs/schemas/rig.schema.json.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/rigproto/messages.hpp"
#include "host/base/json/reader.hpp"
#include "host/base/result.hpp"
#include "host/rig/bank/slot_power.hpp"

namespace mediarig::rig {

struct RigConfig {
    std::string name;         ///< what reports call the rig; may be empty
    std::string path;         ///< of the board's line: "/dev/serial/by-id/…"; empty: found by its USB identity
    std::string board_serial; ///< where several boards are plugged in: this one; empty: the only one
    std::chrono::milliseconds lease{3000};
    rigproto::Config board; ///< geometry and limits, as they are sent
    /// Of each reader, from port 0 on: the USB path that its block device must have. Empty: not bound.
    std::vector<std::string> reader_paths;
    /// Of a rig without a carriage: its slots, from slot 1 on. Never empty where the magazine has no pockets.
    std::vector<BankSlot> slots;
    bool sorts_into_bins{true}; ///< else every card goes back to its pocket, whatever its verdict
};

/// The simulated rig.
[[nodiscard]] RigConfig default_rig();
/// Every reader as a slot that the board powers.
[[nodiscard]] std::vector<BankSlot> slots_of_readers(const RigConfig& rig);

/// Each fault names its place: "/magazine/pitch: must be …".
[[nodiscard]] tl::expected<RigConfig, std::vector<std::string>> parse_rig(std::string_view text);

/// Fails with bad_request (the first faults, on one line) and io_failed (cannot be read).
[[nodiscard]] Result<RigConfig> read_rig(const std::filesystem::path& file);

/// The parts of a rig file. Inner part of host/rig/config: each complains about what does not fit.
void read_board(const strict_json::Node& node, RigConfig& rig);
void read_magazine(const strict_json::Node& node, RigConfig& rig);
void read_readers(const strict_json::Node& node, RigConfig& rig);
void read_bins(const strict_json::Node& node, RigConfig& rig);
void read_x_axis(const strict_json::Node& node, RigConfig& rig);
void read_z_axis(const strict_json::Node& node, RigConfig& rig);
void read_homing(const strict_json::Node& node, RigConfig& rig);
void read_nest(const strict_json::Node& node, RigConfig& rig);
void read_power(const strict_json::Node& node, RigConfig& rig);
void read_slots(const strict_json::Node& node, RigConfig& rig);
/// What no part shows alone: every position within the travel, limits in their order.
void check_whole(const RigConfig& rig, strict_json::Faults& faults);

} // namespace mediarig::rig
