// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "host/store/sqlite/open_store.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"
#include "tests/store/scripted_campaign.hpp"

namespace mediarig::store {

/// A store in a temporary folder, into which the scripted campaign can be played.
struct PlayedStore {
    static inline const std::string campaign = "0193b4c1-7a2e-7d3f-9c41-5be0d1a2f6e7";

    tests::Scratch scratch;
    std::filesystem::path file = scratch / "mediarig.db";
    std::unique_ptr<Store> store = open();

    std::unique_ptr<Store> open() const {
        auto opened = open_store(file);
        REQUIRE(reason(opened) == "success");
        return std::move(*opened);
    }
    void play(const std::string& id = campaign) const {
        for (const Call& call : scripted_campaign(id)) {
            INFO(call.what);
            REQUIRE(reason(call.make(*store)) == "success");
        }
    }
};

} // namespace mediarig::store
