// SPDX-License-Identifier: GPL-3.0-or-later
/// An accepted undo log refers only to bytes of its file and to places of its medium. Encoding its header and entries
/// again gives a log with the same content.
#include <algorithm>
#include <cstdlib>
#include <span>
#include <vector>

#include "host/workload/jobs/undo_log.hpp"

using namespace mediarig::workload;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span file(reinterpret_cast<const std::byte*>(data), size);
    const auto log = parse_undo_log(file);
    if (!log) return 0;
    UndoEncoder encoder(log->header);
    std::vector<std::byte> again = encoder.header();
    for (const UndoEntry& entry : log->entries) {
        const bool inside = entry.data.data() >= file.data() && entry.data.size() <= file.size() &&
                            entry.data.data() + entry.data.size() <= file.data() + file.size();
        if (!inside || entry.data.empty() || entry.data.size() % 512 != 0) std::abort();
        if (entry.offset > log->header.size.count || entry.data.size() > log->header.size.count - entry.offset)
            std::abort();
        encoder.add(again, entry.offset, entry.data);
        encoder.end_batch();
    }
    const auto decoded = parse_undo_log(again);
    if (!decoded || decoded->header != log->header || decoded->entries.size() != log->entries.size()) std::abort();
    for (std::size_t i = 0; i < log->entries.size(); ++i)
        if (decoded->entries[i].offset != log->entries[i].offset ||
            !std::ranges::equal(decoded->entries[i].data, log->entries[i].data))
            std::abort();
    return 0;
}
