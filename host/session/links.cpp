// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/session/links.hpp"

namespace mediarig::session {

std::vector<measure::Link> links_of(const media::Medium& medium) {
    std::vector<measure::Link> links;
    if (medium.usb) links.push_back(measure::usb_link(medium.usb->speed_mbit));
    if (medium.sd && !medium.sd->bus_timing.empty())
        links.push_back(measure::sd_link(medium.sd->bus_timing, medium.sd->bus_clock_hz, medium.sd->bus_width));
    return links;
}

} // namespace mediarig::session
