// SPDX-License-Identifier: GPL-3.0-or-later
/// sample_store FILE.db DEVICES: a store with the sample campaign, its three devices repeated as often as requested
/// (0.8 MB of file each), for measuring the cost of `mediarig report` for many devices.
#include <cstdlib>
#include <iostream>

#include "host/store/sqlite/open_store.hpp"
#include "tests/fakes/keep_campaign.hpp"
#include "tests/fakes/sample_campaign.hpp"

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: sample_store FILE.db DEVICES\n";
        return 2;
    }
    auto store = mediarig::store::open_store(argv[1]);
    if (!store) {
        std::cerr << store.error().detail << '\n';
        return 3;
    }
    const auto kept =
        mediarig::fakes::keep_campaign(**store, mediarig::fakes::sample_campaign(), std::strtoul(argv[2], nullptr, 10));
    if (!kept) std::cerr << kept.error().detail << '\n';
    return kept ? 0 : 3;
}
