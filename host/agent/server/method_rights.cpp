// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/server/method_rights.hpp"

#include <algorithm>

namespace mediarig::agent {
namespace {

constexpr MethodRight rights[] = {
    {"hello", "", RightsOf::nobody, "tells this machine's name, kernel, processor and tools"},
    {"devices", "", RightsOf::agent, "tells name, size, serial and use of every block device"},
    {"identify", "block device", RightsOf::agent, "the same of one, by any name that the caller may look up"},
    {"identify", "image file, directory", RightsOf::caller, "tells size or free space of what the caller may look up"},
    {"inspect", "block device", RightsOf::agent, "tells its partitions, volumes, labels and parameters; no file"},
    {"inspect", "image file", RightsOf::caller, "the same of a file that the caller may read"},
    {"smart", "block device", RightsOf::agent, "tells the health of a disk"},
    {"support", "", RightsOf::agent,
     "tells which tools and drivers a file system would lack; the kernel may load a driver's module"},
    {"claim", "block device", RightsOf::agent, "only one that passes every layer above, with its confirmation"},
    {"claim", "image file", RightsOf::caller, "only one that the caller may write, and that nobody else uses"},
    {"discard", "", RightsOf::claim, "erases the claimed medium, and reads a few places of it"},
    {"format", "", RightsOf::claim, "erases the claimed medium"},
    {"mount", "", RightsOf::claim, "a folder that the agent alone sees"},
    {"settle", "", RightsOf::claim, "has what the mounted volume holds back written, and watches counters"},
    {"check", "", RightsOf::claim, "reads the claimed medium"},
    {"run", "claim", RightsOf::claim, "writes and reads the claimed medium, or files of its own in the mounted volume"},
    {"run", "directory", RightsOf::caller, "writes and reads files of its own in a new folder there, and removes them"},
    {"unmount", "", RightsOf::claim, "the agent's own mount"},
    {"release", "", RightsOf::claim, "what the claim holds"},
    {"cancel", "", RightsOf::nobody, "a request of the same line"},
    {"start_over", "", RightsOf::nobody, "what the controller before left"},
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
