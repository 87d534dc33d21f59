// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/selection.hpp"

#include <algorithm>

#include "tests/catch.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::lab;

namespace {

const Candidate kernel{"linux-image-amd64", "6.1.192-2", "bookworm-security"};
constexpr const char* abi = "6.1.0-56-amd64";

/// A mirror with older and newer versions besides the wanted ones.
std::vector<Candidate> mirror() {
    const std::string old = "6.1.176-1", now = "6.1.192-2", security = "bookworm-security";
    return {{"linux-image-6.1.0-56-amd64", now, security},
            {"linux-headers-6.1.0-56-amd64", now, security},
            {"linux-headers-6.1.0-56-common", now, security},
            {"linux-kbuild-6.1", now, security},
            {"linux-kbuild-6.1", old, "bookworm"},
            {"busybox-static", "1:1.38", "sid"},
            {"busybox-static", "1:1.35", "bookworm"},
            {"exfatprogs", "1.2.0", "bookworm"},
            {"dosfstools", "4.2", "bookworm"},
            {"fdisk", "2.38", "bookworm"},
            {"libblkid1", "2.38", "bookworm"},
            {"libfdisk1", "2.38", "bookworm"},
            {"libreadline8", "8.2", "bookworm"},
            {"libsmartcols1", "2.38", "bookworm"},
            {"libtinfo6", "6.4", "bookworm"},
            {"libuuid1", "2.38", "bookworm"},
            {"smartmontools", "7.3", "bookworm"},
            {"libstdc++6", "12.2", "bookworm"},
            {"libgcc-s1", "12.2", "bookworm"},
            {"libselinux1", "3.4", "bookworm"},
            {"libpcre2-8-0", "10.42", "bookworm"},
            {"libc6", "2.41", "trixie"},
            {"libc6", "2.36", "bookworm"},
            {"libc-bin", "2.36", "bookworm"},
            {"apfs-dkms", "0.3.22-1", "sid"},
            {"apfs-dkms", "0.3.0-1", "bookworm"},
            {"apfsprogs", "0.2.1-4", "sid"},
            {"apfsprogs", "0.2.0-1", "trixie"}};
}

std::vector<Candidate> mirror_without(const std::string& name) {
    auto all = mirror();
    std::erase_if(all, [&](const Candidate& one) { return one.name == name; });
    return all;
}

std::string version_of(const Selection& selection, const std::string& name) {
    const auto found = std::find_if(selection.packages.begin(), selection.packages.end(),
                                    [&](const Package& one) { return one.name == name; });
    return found == selection.packages.end() ? "none" : found->version + " " + found->suite;
}

} // namespace

TEST_CASE("all package names follow from the kernel's name") {
    const auto names = candidate_packages(abi);
    CHECK(names == std::vector<std::string>{"linux-headers-6.1.0-56-amd64",
                                            "linux-headers-6.1.0-56-common",
                                            "linux-kbuild-6.1",
                                            "linux-image-6.1.0-56-amd64",
                                            "busybox-static",
                                            "exfatprogs",
                                            "dosfstools",
                                            "fdisk",
                                            "libblkid1",
                                            "libfdisk1",
                                            "libreadline8",
                                            "libsmartcols1",
                                            "libtinfo6",
                                            "libuuid1",
                                            "smartmontools",
                                            "libstdc++6",
                                            "libgcc-s1",
                                            "libselinux1",
                                            "libpcre2-8-0",
                                            "libc6",
                                            "libc-bin",
                                            "apfs-dkms",
                                            "apfsprogs",
                                            "linux-source-6.1"});
}

TEST_CASE("user land comes from the guest's suite, headers match the kernel, and apfs has the tested version") {
    const auto chosen = select(kernel, abi, mirror());
    REQUIRE(reason(chosen) == "success");
    CHECK(version_of(*chosen, "busybox-static") == "1:1.35 bookworm");
    CHECK(version_of(*chosen, "libc6") == "2.36 bookworm");
    CHECK(version_of(*chosen, "linux-kbuild-6.1") == "6.1.192-2 bookworm-security");
    CHECK(version_of(*chosen, "apfs-dkms") == "0.3.22-1 sid");
    CHECK(version_of(*chosen, "apfsprogs") == "0.2.0-1 trixie");
    CHECK(offers_apfs(*chosen));
    CHECK(parse_selection(to_json(*chosen).dump()) == *chosen);
}

TEST_CASE("without the tested apfs module the newest one of its suite is selected, never the read-only module") {
    auto all = mirror_without("apfs-dkms");
    all.push_back({"apfs-dkms", "0.4.1-1", "sid"});
    all.push_back({"apfs-dkms", "0.3.0-1", "bookworm"});
    CHECK(version_of(*select(kernel, abi, all), "apfs-dkms") == "0.4.1-1 sid");
    std::erase_if(all, [](const Candidate& one) { return one.suite == "sid" && one.name == "apfs-dkms"; });
    CHECK(version_of(*select(kernel, abi, all), "apfs-dkms") == "none");
}

TEST_CASE("packages that only apfs needs are optional as a group") {
    for (const char* name : {"apfs-dkms", "apfsprogs", "linux-kbuild-6.1", "linux-headers-6.1.0-56-common"}) {
        CAPTURE(name);
        const auto chosen = select(kernel, abi, mirror_without(name));
        REQUIRE(reason(chosen) == "success");
        CHECK_FALSE(offers_apfs(*chosen));
        CHECK(chosen->packages.size() == 18);
    }
}

TEST_CASE("a required package that no archive offers is named") {
    for (const char* name : {"busybox-static", "exfatprogs", "dosfstools", "fdisk", "libfdisk1", "libc6", "libc-bin"}) {
        const auto chosen = select(kernel, abi, mirror_without(name));
        REQUIRE_FALSE(chosen);
        CHECK(chosen.error().code == Errc::no_driver);
        CHECK_THAT(reason(chosen), ContainsSubstring(std::string("Debian bookworm offers no package ") + name));
    }
    // The list names the package before its file is there: mirrors are updated one by one.
    CHECK_THAT(reason(select(kernel, abi, mirror_without("linux-image-6.1.0-56-amd64"))),
               ContainsSubstring("offers no package linux-image-6.1.0-56-amd64 6.1.192-2"));
}

TEST_CASE("a stored selection that lacks a newly required package is incomplete") {
    auto chosen = select(kernel, abi, mirror());
    REQUIRE(chosen);
    CHECK(is_complete_guest(*chosen));
    std::erase_if(chosen->packages, [](const Package& one) { return one.name == "fdisk"; });
    CHECK_FALSE(is_complete_guest(*chosen));
}

TEST_CASE("an unparsable selection is invalid") {
    for (const char* text :
         {"", "{}", "[]", "{\"kernel_abi\":1,\"packages\":[]}", "{\"kernel_abi\":\"x\",\"packages\":[{}]}",
          R"({"kernel_abi":"x","packages":[{"name":"a","version":"1","suite":"s","use":"fun"}]})"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_selection(text));
    }
}
