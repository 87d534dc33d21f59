// SPDX-License-Identifier: GPL-3.0-or-later
/// The undo log of a restoring test: the content of every place before the test writes to it. Pure.
///
/// The log is one file that only grows. All numbers are little-endian, and every part begins at a multiple of 512
/// bytes.
///     header   magic 16 | size of the medium u64 | seed u64 | started u64 | generation u32 | length of the name u32 |
///              name of the medium | zeros | CRC-32 of the bytes before it u32 at 508
///     entry    magic 8 | number u64 | durable u64 | offset u64 | length u32 | CRC-32 of the data u32 |
///              CRC-32 of the log's header u32 | CRC-32 of the bytes before it u32 | zeros to 512 | data
/// Entries are appended in batches. A batch is durable before the medium is written, so an incomplete batch at the end
/// of a file belongs to places that were not written. `durable` is the number of entries before the batch. It
/// distinguishes an incomplete batch from a damaged file, which contains later batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/units.hpp"
#include "host/base/result.hpp"

namespace mediarig::workload {

struct UndoHeader {
    std::string medium; ///< identifies the medium; at most UndoEncoder::longest_name bytes
    Bytes size;         ///< of the medium
    std::uint64_t seed{1};
    std::uint32_t generation{1}; ///< of the first round of the test
    std::uint64_t started{};     ///< seconds since 1970
    bool operator==(const UndoHeader&) const = default;
};

struct UndoEntry {
    std::uint64_t offset{};
    std::span<const std::byte> data; ///< in the file
};

struct UndoLog {
    UndoHeader header;
    std::vector<UndoEntry> entries; ///< in the order of saving
};

class UndoEncoder {
public:
    static constexpr std::size_t longest_name = 400;
    /// Bytes of an entry before its data.
    static constexpr std::size_t head_size = 512;
    /// Size limit of one entry in bytes.
    static constexpr std::size_t largest_data = std::size_t{1} << 20;

    /// A longer name is cut.
    explicit UndoEncoder(UndoHeader header);

    [[nodiscard]] std::vector<std::byte> header() const;
    /// Appends an entry of the present batch to `batch`. `data`: whole 512-byte sectors, at most largest_data.
    void add(std::vector<std::byte>& batch, std::uint64_t offset, std::span<const std::byte> data);
    /// Call it after the batch has become durable.
    void end_batch() { durable_ = entries_; }

private:
    UndoHeader header_;
    std::uint32_t header_crc_{};
    std::uint64_t entries_{}, durable_{};
};

/// Fails with bad_format; the detail names the damaged part. The result refers to `file`.
[[nodiscard]] Result<UndoLog> parse_undo_log(std::span<const std::byte> file);

} // namespace mediarig::workload
