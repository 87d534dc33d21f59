// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/server/method_rights.hpp"

#include <algorithm>

namespace mediarig::agent {
namespace {

constexpr MethodRight rights[] = {
    {"hello", "", RightsOf::none, "machine name, kernel, processor, tools"},
    {"devices", "", RightsOf::agent, "name, size, serial, use of every block device"},
    {"identify", "block device", RightsOf::agent, "the same, by a name that the caller may look up"},
    {"identify", "image file, directory", RightsOf::caller, "size or free space, if the caller may look it up"},
    {"inspect", "block device", RightsOf::agent, "partitions, volumes, labels, parameters; no file"},
    {"inspect", "image file", RightsOf::caller, "the same, if the caller may read it"},
    {"smart", "block device", RightsOf::agent, "health of a disk"},
    {"support", "", RightsOf::agent, "missing tools and drivers; may load a kernel module"},
    {"claim", "block device", RightsOf::agent, "a device that passes all layers"},
    {"claim", "image file", RightsOf::caller, "an unused file that the caller may write"},
    {"discard", "", RightsOf::claim, "erases and samples the claimed medium"},
    {"format", "", RightsOf::claim, "erases the claimed medium"},
    {"mount", "", RightsOf::claim, "a folder that only the agent sees"},
    {"settle", "", RightsOf::claim, "writes back the mounted volume, reads counters"},
    {"check", "", RightsOf::claim, "reads the claimed medium"},
    {"run", "claim", RightsOf::claim, "writes and reads the claimed medium, or its own files on it"},
    {"run", "directory", RightsOf::caller, "its own files in a new folder there"},
    {"unmount", "", RightsOf::claim, "the agent's own mount"},
    {"release", "", RightsOf::claim, "everything in the claim"},
    {"cancel", "", RightsOf::none, "a request of the same connection"},
    {"start_over", "", RightsOf::none, "the state of the previous connection"},
};

} // namespace

std::span<const MethodRight> method_rights() {
    return rights;
}

bool has_right(std::string_view method) {
    return std::ranges::any_of(rights, [&](const MethodRight& right) { return right.method == method; });
}

} // namespace mediarig::agent
