// SPDX-License-Identifier: GPL-3.0-or-later
/// Device logs of any content: views or an error of one line.
#include <cstdlib>
#include <sstream>

#include "host/store/log_replay.hpp"

using namespace mediarig::store;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::istringstream log(std::string(reinterpret_cast<const char*>(data), size));
    LogReplay replay(LogReplay::CellKey{"c", "p", "x"});
    const auto torn = replay_log(log, replay);
    if (!torn && torn.error().detail.empty()) std::abort();
    for (const CampaignView& campaign : replay.finish().campaigns)
        if (campaign.devices.size() != 1) std::abort();
    return 0;
}
