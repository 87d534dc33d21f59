// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/disks_in_use.hpp"

#include <utility>

#include "host/media/linux/linux_media.hpp"

namespace mediarig::cli {

Result<std::function<std::optional<std::string>(const std::string& disk)>> disks_in_use() {
    auto listed = media::make_linux_discovery()->list();
    if (!listed) return fail(std::move(listed.error()));
    return [media = std::move(*listed)](const std::string& disk) -> std::optional<std::string> {
        using enum media::RefusalKind;
        for (const media::Medium& medium : media) {
            if (medium.node != "/dev/" + disk) continue;
            for (const media::Refusal& refusal : medium.refusals)
                for (const auto kind : {system_disk, mounted, swap, held, in_use, unknown_state})
                    if (refusal.kind == kind) return refusal.detail;
            return std::nullopt;
        }
        return "it is not among the block devices that were found";
    };
}

} // namespace mediarig::cli
