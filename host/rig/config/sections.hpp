// SPDX-License-Identifier: GPL-3.0-or-later
/// The parts of a rig file. Inner part of host/rig/config: each complains about what does not fit.
#pragma once

#include "host/rig/config/rig_config.hpp"
#include "host/strict_json/reader.hpp"

namespace mediarig::rig {

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
