// SPDX-License-Identifier: GPL-3.0-or-later
/// sample_report FILE.html [WIDTH]: writes the sample campaign's page, and its tables to standard output; for people
/// who work on how reports look.
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "host/report/html/html.hpp"
#include "host/report/terminal.hpp"
#include "tests/fakes/sample_campaign.hpp"

int main(int argc, char** argv) {
    if (argc < 2) {
        std::cerr << "usage: sample_report FILE.html [WIDTH]\n";
        return 2;
    }
    const auto campaign = mediarig::fakes::sample_campaign();
    std::ofstream(argv[1]) << mediarig::report::render_html(campaign);
    const std::size_t width = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 100;
    std::cout << mediarig::report::render_tables(campaign, {.width = width, .colour = mediarig::report::Colour::plain});
}
