// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/manifest.hpp"

#include <set>

#include "tests/catch.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::lab;

namespace {

Selection selection() {
    return {.kernel_abi = "6.1.0-56-amd64",
            .packages = {{"linux-image-6.1.0-56-amd64", "6.1.192-2", "bookworm-security", PackageUse::kernel},
                         {"exfatprogs", "1.2.0", "bookworm", PackageUse::guest},
                         {"apfs-dkms", "0.3.22-1", "sid", PackageUse::apfs_module},
                         {"apfsprogs", "0.2.0-1", "trixie", PackageUse::apfs_tools}}};
}

} // namespace

TEST_CASE("the key of an image depends on versions, agent and apfs only") {
    const AgentProgram agent{"0.1.0", "abc"};
    std::set<std::string> keys{image_key(selection(), agent, true)};
    CHECK(keys.contains(image_key(selection(), agent, true)));
    keys.insert(image_key(selection(), agent, false));
    keys.insert(image_key(selection(), {"0.1.0", "abd"}, true));
    for (std::size_t i = 0; i < selection().packages.size(); ++i) {
        auto other = selection();
        other.packages[i].version += "+deb12u1";
        keys.insert(image_key(other, agent, true));
    }
    auto other = selection();
    other.kernel_abi = "6.1.0-57-amd64";
    keys.insert(image_key(other, agent, true));
    CHECK(keys.size() == 8);
}

TEST_CASE("the key of an image contains its versions and is a valid file name") {
    const std::string key = image_key(selection(), {"0.1.0", "abc"}, true);
    CHECK(key.starts_with("6.1.0-56-amd64_apfs-0.3.22-1_"));
    CHECK(image_key(selection(), {"0.1.0", "abc"}, false).starts_with("6.1.0-56-amd64_without-apfs_"));
    CHECK(key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-_") == std::string::npos);
    CHECK(parts_key(selection(), true) != parts_key(selection(), false));
}

TEST_CASE("a manifest survives a JSON round trip") {
    Manifest manifest{.key = "k", .selection = selection()};
    manifest.apfs = {true, "0.3.22-1", false, ""};
    manifest.modules = {{"virtio", {33265}}, {"apfs", {457984}}};
    manifest.compiler = "gcc-12 12.2";
    manifest.agent = {"0.1.0", "abc"};
    manifest.kernel_size = {65906612};
    manifest.initrd_size = {15069036};
    manifest.built_at = "2026-11-21T16:07:36Z";
    manifest.build_seconds = 23.5;
    const auto json = to_json(manifest);
    CHECK(json.at("selection").at("packages").at(0).at("suite") == "bookworm-security");
    CHECK(json.at("modules").at(1).at("size") == 457984);
    CHECK(parse_manifest(json.dump()) == manifest);
}

TEST_CASE("an incomplete manifest is invalid") {
    const auto whole = to_json(Manifest{.key = "k", .selection = selection()});
    for (const auto& [name, value] : whole.items()) {
        auto lacking = whole;
        lacking.erase(name);
        CAPTURE(name);
        CHECK_FALSE(parse_manifest(lacking.dump()));
    }
    CHECK_FALSE(parse_manifest(""));
    CHECK_FALSE(parse_manifest(whole.dump().substr(0, 40)));
}
