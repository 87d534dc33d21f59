// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/image/file_users.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>

#include "host/media/linux/kernel/block_graph.hpp"
#include "host/media/linux/kernel/bounded_calls.hpp"
#include "host/media/linux/kernel/loop_map.hpp"
#include "host/media/linux/kernel/open_by.hpp"
#include "host/media/linux/kernel/udev_properties.hpp"
#include "host/media/linux/kernel/usage.hpp"
#include "host/media/text.hpp"

namespace mediarig::media {

Result<std::vector<Refusal>> kernel_uses_of(FileIdentity file, const std::string& name, const OwnDevices& own) {
    const auto loops = LoopMap::read();
    if (!loops) return fail(loops.error());
    const auto graph = BlockGraph::read(without_udev(), *loops);
    if (!graph) return fail(graph.error());
    const KernelTables tables = read_kernel_tables(processes_in_other_namespaces());
    return Usage(*graph, tables, *loops).refusals_of(file, name, own);
}

std::string mounted_from_some_file_on(dev_t device) {
    BoundedCalls calls;
    for (const MountTable& table : read_kernel_tables(processes_in_other_namespaces()).mounts) {
        for (const MountEntry& entry : table.entries) {
            if (entry.file_system != "erofs" || entry.number.major != 0) continue;
            struct stat status {};
            const bool there = calls.stat(entry.source, status) == 0;
            // Names of other namespaces are theirs.
            if (there ? S_ISREG(status.st_mode) && status.st_dev == device : table.whose.empty())
                return typeable(entry.mount_point) + table.whose;
        }
    }
    return {};
}

std::string describe_users(const std::vector<FileIdentity>& file, const std::string& name) {
    constexpr std::chrono::milliseconds patience{200};
    ProcessSearch search(patience);
    std::string line;
    const auto add = [&](const std::string& text) {
        if (!text.empty()) line += (line.empty() ? "" : "; ") + text;
    };
    for (const FileIdentity identity : file) {
        const auto uses = kernel_uses_of(identity, name, {});
        if (!uses) continue;
        for (const Refusal& use : *uses) {
            if (use.kind != RefusalKind::unknown_state) add(use.detail);
        }
    }
    if (const std::string who = open_by({.identities = file, .also_as = {}}, ::getpid(), search); !who.empty())
        add("it is open in " + who);
    // Mappings outlive the descriptor; they take longest to find, so they come last.
    if (line.empty()) {
        if (const std::string who = mapped_by({.identities = file, .also_as = {}}, search); !who.empty())
            add("it is mapped by " + who);
    }
    if (!line.empty()) return line;
    return search.is_over() ? "there are too many processes to look at each: see lsof"
                            : "no other process that can be seen from here: this one, a mount in another namespace, or "
                              "the kernel itself";
}

} // namespace mediarig::media
