// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <string>

#include "common/rigproto/messages.hpp"

namespace mediarig::rig {

struct BoardSettings {
    std::string path;   ///< path of the serial line; empty: the board is found by its USB identity
    std::string serial; ///< selects one of several boards if `path` is empty
    rigproto::Config config;
    std::chrono::milliseconds lease{3000};              ///< 1000..5000
    std::chrono::milliseconds come_back_within{10'000}; ///< time limit for a reconnection
    std::chrono::milliseconds job_within{180'000};      ///< longer jobs count as hung
};

} // namespace mediarig::rig
