// SPDX-License-Identifier: GPL-3.0-or-later
/// The rig file: the board, its geometry and limits, and the USB paths of its readers. Omitted settings have the values
/// of the simulated rig. Schema: docs/schemas/rig.schema.json.
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
    std::string name;         ///< name in reports; may be empty
    std::string path;         ///< path of the serial line, "/dev/serial/by-id/…"; empty: found by USB identity
    std::string board_serial; ///< selects one of several boards; empty: there must be only one board
    std::chrono::milliseconds lease{3000};
    rigproto::Config board; ///< geometry and limits, as sent to the board
    /// Per reader, from port 0: required USB path of its block device. Empty: any.
    std::vector<std::string> reader_paths;
    /// Slots of a rig without a carriage, from slot 1. Not empty if the magazine has no pockets.
    std::vector<BankSlot> slots;
    bool sorts_into_bins{true}; ///< false: every card returns to its pocket regardless of its verdict
};

/// Returns the simulated rig.
[[nodiscard]] RigConfig default_rig();
/// Returns every reader as a slot powered by the board.
[[nodiscard]] std::vector<BankSlot> slots_of_readers(const RigConfig& rig);

/// Each fault begins with its location: "/magazine/pitch: must be …".
[[nodiscard]] tl::expected<RigConfig, std::vector<std::string>> parse_rig(std::string_view text);

/// Fails with bad_request (the first faults, in one line) and io_failed (cannot be read).
[[nodiscard]] Result<RigConfig> read_rig(const std::filesystem::path& file);

/// Readers of the sections of a rig file, which report faults. Internal to host/rig/config.
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
/// Checks relations between sections: positions within the travel, limits in order.
void check_whole(const RigConfig& rig, strict_json::Faults& faults);

} // namespace mediarig::rig
