// SPDX-License-Identifier: GPL-3.0-or-later
/// sample_report FILE.html [WIDTH [DEVICES]]: writes the page of the sample campaign with its three devices repeated as
/// often as requested (7 MB of memory each), and the tables of up to 100 devices to standard output. For work on the
/// layout of reports.
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "host/report/output/terminal.hpp"
#include "tests/fakes/sample_campaign.hpp"
#include "tests/report/rendered.hpp"

int main(int argc, char** argv) {
    if (argc < 2) {
        std::cerr << "usage: sample_report FILE.html [WIDTH [DEVICES]]\n";
        return 2;
    }
    auto campaign = mediarig::fakes::sample_campaign();
    const std::size_t devices = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : campaign.devices.size();
    for (std::size_t i = 0; campaign.devices.size() < devices; ++i) campaign.devices.push_back(campaign.devices[i]);
    std::ofstream(argv[1]) << mediarig::tests::page_of(campaign);
    const std::size_t width = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 100;
    if (devices > 100) return 0; // tables of more devices do not suit a screen
    std::cout << mediarig::report::render_tables(campaign, {.width = width, .colour = mediarig::Colour::plain});
}
