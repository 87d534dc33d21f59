// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/run/campaign_ports.hpp"

namespace mediarig::campaign {

Clock Clock::system() {
    return {
        .utc = [] { return std::chrono::time_point_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now()); },
        .monotonic = [] { return std::chrono::steady_clock::now().time_since_epoch(); }};
}

} // namespace mediarig::campaign
