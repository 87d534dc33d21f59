// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"

namespace mediarig::e2e {

/// Returns the reason why the lab cannot run here; empty if it can.
inline std::string why_no_lab() {
    const Folder folder;
    const ProgramOutput output = call_mediarig({"lab", "info"}, folder.path());
    return output.status == 0 ? "" : output.err.substr(0, output.err.find('\n'));
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
#define NEEDS_APFS() \
    if (!mediarig::e2e::guest_has_apfs()) MEDIARIG_SKIP("the lab's guest was built without apfs")
