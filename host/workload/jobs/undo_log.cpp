// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/undo_log.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "common/crc32.hpp"
#include "host/base/little_endian.hpp"

namespace mediarig::workload {
namespace {

using Raw = std::span<const std::byte>;

constexpr std::size_t alignment = 512;
constexpr std::string_view header_magic = "mediarig undo 1\n", entry_magic = "mrundo 1";

namespace header_at {
constexpr std::size_t size = 16, seed = 24, started = 32, generation = 40, name_length = 44, name = 48,
                      crc = alignment - 4;
}
namespace entry_at {
constexpr std::size_t number = 8, durable = 16, offset = 24, length = 32, data_crc = 36, log = 40, crc = 44;
}
static_assert(UndoEncoder::head_size == alignment);
static_assert(header_at::name + UndoEncoder::longest_name <= header_at::crc);

std::uint32_t crc_of(Raw bytes) {
    return crc32({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

/// The head of an entry, apart from its data.
struct EntryHead {
    std::uint64_t number{}, durable{}, offset{};
    std::uint32_t length{}, data_crc{};
};

/// Empty if `bytes`, at least 512 of them, do not begin with the head of an entry of this log.
std::optional<EntryHead> head_in(Raw bytes, std::uint32_t log) {
    if (!begins_with(bytes, entry_magic) || get_le<std::uint32_t>(bytes, entry_at::log) != log ||
        get_le<std::uint32_t>(bytes, entry_at::crc) != crc_of(bytes.first(entry_at::crc)))
        return std::nullopt;
    return EntryHead{.number = get_le<std::uint64_t>(bytes, entry_at::number),
                     .durable = get_le<std::uint64_t>(bytes, entry_at::durable),
                     .offset = get_le<std::uint64_t>(bytes, entry_at::offset),
                     .length = get_le<std::uint32_t>(bytes, entry_at::length),
                     .data_crc = get_le<std::uint32_t>(bytes, entry_at::data_crc)};
}

/// Returns the entry with this number at the start of `rest`; empty if it is not complete.
std::optional<UndoEntry> entry_in(Raw rest, std::uint32_t log, std::uint64_t number, Bytes medium) {
    if (rest.size() < alignment) return std::nullopt;
    const auto head = head_in(rest, log);
    if (!head || head->number != number || head->durable > number) return std::nullopt;
    if (head->length == 0 || head->length % alignment != 0 || head->length > UndoEncoder::largest_data ||
        head->length > rest.size() - alignment)
        return std::nullopt;
    if (head->offset % alignment != 0 || head->length > medium.count || head->offset > medium.count - head->length)
        return std::nullopt;
    const Raw data = rest.subspan(alignment, head->length);
    if (head->data_crc != crc_of(data)) return std::nullopt;
    return UndoEntry{head->offset, data};
}

/// True if `rest` contains an entry of a batch that was made after the entry `number` had become durable.
bool has_later_batch(Raw rest, std::uint32_t log, std::uint64_t number) {
    for (; rest.size() >= alignment; rest = rest.subspan(alignment))
        if (const auto head = head_in(rest, log); head && head->durable > number) return true;
    return false;
}

} // namespace

UndoEncoder::UndoEncoder(UndoHeader header) : header_(std::move(header)) {
    if (header_.medium.size() > longest_name) header_.medium.resize(longest_name);
    header_crc_ = get_le<std::uint32_t>(this->header(), header_at::crc);
}

std::vector<std::byte> UndoEncoder::header() const {
    std::vector<std::byte> bytes(alignment);
    put_text(bytes, 0, header_magic);
    put_le(bytes, header_at::size, header_.size.count);
    put_le(bytes, header_at::seed, header_.seed);
    put_le(bytes, header_at::started, header_.started);
    put_le(bytes, header_at::generation, header_.generation);
    put_le(bytes, header_at::name_length, static_cast<std::uint32_t>(header_.medium.size()));
    put_text(bytes, header_at::name, header_.medium);
    put_le(bytes, header_at::crc, crc_of(Raw(bytes).first(header_at::crc)));
    return bytes;
}

void UndoEncoder::add(std::vector<std::byte>& batch, std::uint64_t offset, std::span<const std::byte> data) {
    std::array<std::byte, alignment> head{};
    put_text(head, 0, entry_magic);
    put_le(head, entry_at::number, entries_++);
    put_le(head, entry_at::durable, durable_);
    put_le(head, entry_at::offset, offset);
    put_le(head, entry_at::length, static_cast<std::uint32_t>(data.size()));
    put_le(head, entry_at::data_crc, crc_of(data));
    put_le(head, entry_at::log, header_crc_);
    put_le(head, entry_at::crc, crc_of(Raw(head).first(entry_at::crc)));
    batch.insert(batch.end(), head.begin(), head.end());
    batch.insert(batch.end(), data.begin(), data.end());
}

Result<UndoLog> parse_undo_log(std::span<const std::byte> file) {
    if (file.size() < alignment || !begins_with(file, header_magic))
        return fail(Errc::bad_format, "the file does not begin with the header of an undo file");
    const std::uint32_t log = get_le<std::uint32_t>(file, header_at::crc);
    const std::uint32_t name_length = get_le<std::uint32_t>(file, header_at::name_length);
    if (log != crc_of(file.first(header_at::crc)) || name_length > UndoEncoder::longest_name)
        return fail(Errc::bad_format, "the header of the undo file is damaged");
    UndoLog result{.header = {.size = {get_le<std::uint64_t>(file, header_at::size)},
                              .seed = get_le<std::uint64_t>(file, header_at::seed),
                              .generation = get_le<std::uint32_t>(file, header_at::generation),
                              .started = get_le<std::uint64_t>(file, header_at::started)},
                   .entries = {}};
    for (const std::byte letter : file.subspan(header_at::name, name_length))
        result.header.medium += static_cast<char>(letter);

    Raw rest = file.subspan(alignment);
    while (const auto entry = entry_in(rest, log, result.entries.size(), result.header.size)) {
        result.entries.push_back(*entry);
        rest = rest.subspan(alignment + entry->data.size());
    }
    if (has_later_batch(rest, log, result.entries.size()))
        return fail(Errc::bad_format, "entry " + std::to_string(result.entries.size()) + " of the undo file, at byte " +
                                          std::to_string(file.size() - rest.size()) + ", is damaged");
    return result;
}

} // namespace mediarig::workload
