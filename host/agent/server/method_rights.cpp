// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/server/method_rights.hpp"

#include <algorithm>

namespace mediarig::agent {
namespace {

constexpr MethodRight rights[] = {
    {"hello", "", RequiredRights::none, "machine name, kernel, processor, tools"},
    {"devices", "", RequiredRights::agent, "name, size, serial, use of every block device"},
    {"identify", "block device", RequiredRights::agent, "the same, by a name that the caller may look up"},
    {"identify", "image file, directory", RequiredRights::caller, "size or free space, if the caller may look it up"},
    {"inspect", "block device", RequiredRights::agent, "partitions, volumes, labels, parameters; no file"},
    {"inspect", "image file", RequiredRights::caller, "the same, if the caller may read it"},
    {"smart", "block device", RequiredRights::agent, "health of a disk"},
    {"card_health", "block device", RequiredRights::agent, "health counters of a card in a slot of the machine"},
    {"scan", "block device", RequiredRights::agent,
     "reads all of it; reports times, and files at weak places, no content"},
    {"scan", "image file", RequiredRights::caller, "the same, if the caller may read it"},
    {"support", "", RequiredRights::agent, "missing tools and drivers; may load a kernel module"},
    {"claim", "block device", RequiredRights::agent, "a device that passes all layers"},
    {"claim", "image file", RequiredRights::caller, "an unused file that the caller may write"},
    {"discard", "", RequiredRights::claim, "erases and samples the claimed medium"},
    {"format", "", RequiredRights::claim, "erases the claimed medium"},
    {"mount", "", RequiredRights::claim, "a folder that only the agent sees"},
    {"wait_idle", "", RequiredRights::claim, "writes back the mounted volume, reads counters"},
    {"check", "", RequiredRights::claim, "reads the claimed medium"},
    {"run", "claim", RequiredRights::claim, "writes and reads the claimed medium, or its own files on it"},
    {"run", "directory", RequiredRights::caller, "its own files in a new folder there"},
    {"restore", "", RequiredRights::claim, "writes the content before an interrupted check to the claimed medium"},
    {"unmount", "", RequiredRights::claim, "the agent's own mount"},
    {"release", "", RequiredRights::claim, "everything in the claim"},
    {"cancel", "", RequiredRights::none, "a request of the same connection"},
    {"start_over", "", RequiredRights::none, "the state of the previous connection"},
};

} // namespace

std::span<const MethodRight> method_rights() {
    return rights;
}

bool has_right(std::string_view method) {
    return std::ranges::any_of(rights, [&](const MethodRight& right) { return right.method == method; });
}

} // namespace mediarig::agent
