// SPDX-License-Identifier: GPL-3.0-or-later
/// The parts of a rig file. Inner part of host/rig/config: each complains about what does not fit.
#pragma once

#include "host/plan/reader.hpp"
#include "host/rig/config/rig_config.hpp"

namespace mediarig::rig {

void read_board(const plan::Node& node, RigConfig& rig);
void read_magazine(const plan::Node& node, RigConfig& rig);
void read_readers(const plan::Node& node, RigConfig& rig);
void read_bins(const plan::Node& node, RigConfig& rig);
void read_x_axis(const plan::Node& node, RigConfig& rig);
void read_z_axis(const plan::Node& node, RigConfig& rig);
void read_homing(const plan::Node& node, RigConfig& rig);
void read_nest(const plan::Node& node, RigConfig& rig);
void read_power(const plan::Node& node, RigConfig& rig);
/// What no part shows alone: every position within the travel, limits in their order.
void check_whole(const RigConfig& rig, plan::Faults& faults);

} // namespace mediarig::rig
