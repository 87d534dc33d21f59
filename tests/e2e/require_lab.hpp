// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"
#include "tests/json.hpp"

namespace mediarig::e2e {

/// Returns the reason why the lab cannot run here; empty if it can.
inline std::string why_no_lab() {
    const Folder folder;
    const ProgramOutput output = call_mediarig({"lab", "info"}, folder.path());
    return output.status == 0 ? "" : output.err.substr(0, output.err.find('\n'));
}

/// Returns the reason why the lab in virtual time cannot run here; empty if it can. Any other failure than a missing
/// image fails the test.
inline std::string why_no_virtual_lab() {
    using nlohmann::json;
    const Folder folder;
    const json medium{{"slot", 1}, {"kind", "usb"}, {"card", "good-uhs1"}, {"size", "64MiB"}};
    const json suite{{"suite", "quickbench"}, {"where", "raw"}, {"quick", true},
                     {"blocks", {"64KiB"}},   {"span", "4MiB"}, {"volume", "1MiB"}};
    write_file(folder / "plan.json", json{{"mediarig_plan", 1},
                                          {"media", {{{"slot", 1}}}},
                                          {"lab", json::array({medium})},
                                          {"lab_machine", "virtual"},
                                          {"suites", json::array({suite})}}
                                         .dump());
    const ProgramOutput output =
        call_mediarig({"run", (folder / "plan.json").string(), "--store", (folder / "r.db").string()}, folder.path());
    if (output.err.find("there is no guest image for virtual time") != std::string::npos)
        return output.err.substr(0, output.err.find('\n'));
    CAPTURE(output.err, output.out);
    REQUIRE(output.status == 0);
    return {};
}

/// True if the guest has APFS: its packages come from a newer Debian, which may be unavailable where the guest is
/// built.
inline bool guest_has_apfs() {
    const Folder folder;
    const ProgramOutput output = call_mediarig({"lab", "info"}, folder.path());
    return output.out.find("\napfs    absent") == std::string::npos;
}

} // namespace mediarig::e2e

#define NEEDS_LAB() \
    if (const std::string why = mediarig::e2e::why_no_lab(); !why.empty()) MEDIARIG_SKIP(why)
#define NEEDS_VIRTUAL_LAB() \
    if (const std::string why = mediarig::e2e::why_no_virtual_lab(); !why.empty()) MEDIARIG_SKIP(why)
#define NEEDS_APFS() \
    if (!mediarig::e2e::guest_has_apfs()) MEDIARIG_SKIP("the lab's guest was built without apfs")
