// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/server/method_rights.hpp"

#include <algorithm>

namespace mediarig::agent {
namespace {

constexpr MethodRight rights[] = {
    {"hello", "", RightsOf::nobody, "reports this machine's name, kernel, processor and tools"},
    {"devices", "", RightsOf::agent, "reports name, size, serial and use of every block device"},
    {"identify", "block device", RightsOf::agent,
     "reports the same of one device, by any name that the caller may look up"},
    {"identify", "image file, directory", RightsOf::caller,
     "reports size or free space of files and directories that the caller may look up"},
    {"inspect", "block device", RightsOf::agent, "reports its partitions, volumes, labels and parameters; no file"},
    {"inspect", "image file", RightsOf::caller, "reports the same of a file that the caller may read"},
    {"smart", "block device", RightsOf::agent, "reports the health of a disk"},
    {"support", "", RightsOf::agent,
     "reports the tools and drivers that a file system lacks; the kernel may load a driver's module"},
    {"claim", "block device", RightsOf::agent, "only a device that passes every layer above, with its confirmation"},
    {"claim", "image file", RightsOf::caller, "only a file that the caller may write and that no other process uses"},
    {"discard", "", RightsOf::claim, "erases the claimed medium, and reads a few places of it"},
    {"format", "", RightsOf::claim, "erases the claimed medium"},
    {"mount", "", RightsOf::claim, "mounts on a folder that only the agent sees"},
    {"settle", "", RightsOf::claim, "writes the cached data of the mounted volume, and watches counters"},
    {"check", "", RightsOf::claim, "reads the claimed medium"},
    {"run", "claim", RightsOf::claim, "writes and reads the claimed medium, or its own files in the mounted volume"},
    {"run", "directory", RightsOf::caller, "writes and reads its own files in a new folder there, and removes them"},
    {"unmount", "", RightsOf::claim, "the agent's own mount"},
    {"release", "", RightsOf::claim, "the medium of the claim"},
    {"cancel", "", RightsOf::nobody, "a request of the same line"},
    {"start_over", "", RightsOf::nobody, "the claims and mounts of the previous controller"},
};

} // namespace

std::span<const MethodRight> method_rights() {
    return rights;
}

bool has_right(std::string_view method) {
    return std::ranges::any_of(rights, [&](const MethodRight& right) { return right.method == method; });
}

std::string_view name_of(RightsOf of) {
    switch (of) {
        case RightsOf::nobody:
            return "nobody";
        case RightsOf::agent:
            return "agent";
        case RightsOf::caller:
            return "caller";
        case RightsOf::claim:
            return "claim";
    }
    return {};
}

} // namespace mediarig::agent
