// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/names.hpp"

#include <algorithm>
#include <utility>

#include "host/base/enum_names.hpp"

namespace mediarig::workload {
namespace {

constexpr std::array<Name<Access>, 4> accesses{{{Access::sequential_read, "seq_read"},
                                                {Access::sequential_write, "seq_write"},
                                                {Access::random_read, "random_read"},
                                                {Access::random_write, "random_write"}}};
constexpr std::array<Name<Access>, 4> access_titles{{{Access::sequential_read, "sequential read"},
                                                     {Access::sequential_write, "sequential write"},
                                                     {Access::random_read, "random read"},
                                                     {Access::random_write, "random write"}}};
constexpr std::array<Name<SyncLevel>, 4> sync_levels{{{SyncLevel::none, "none"},
                                                      {SyncLevel::at_end, "at_end"},
                                                      {SyncLevel::each_io, "each_io"},
                                                      {SyncLevel::each_io_attributes, "each_io_attributes"}}};
constexpr std::array<Name<PayloadKind>, 3> payload_kinds{
    {{PayloadKind::incompressible, "incompressible"}, {PayloadKind::given, "given"}, {PayloadKind::zeros, "zeros"}}};
constexpr std::array<Name<OnIoError>, 2> error_policies{{{OnIoError::stop, "stop"}, {OnIoError::go_on, "go_on"}}};
constexpr std::array<Name<MixMode>, 3> mix_modes{
    {{MixMode::sync, "sync"}, {MixMode::async, "async"}, {MixMode::mmap, "mmap"}}};
constexpr std::array<Name<FileWork>, 12> works{{{FileWork::write, "write"},
                                                {FileWork::read, "read"},
                                                {FileWork::rewrite, "rewrite"},
                                                {FileWork::seek, "seek"},
                                                {FileWork::create, "create"},
                                                {FileWork::stat, "stat"},
                                                {FileWork::replace, "replace"},
                                                {FileWork::walk, "walk"},
                                                {FileWork::remove, "remove"},
                                                {FileWork::copy, "copy"},
                                                {FileWork::rename, "rename"},
                                                {FileWork::pieces, "pieces"}}};
constexpr std::array<Name<FileOrder>, 4> file_orders{{{FileOrder::by_number, "by_number"},
                                                      {FileOrder::random_in_cycle, "random_in_cycle"},
                                                      {FileOrder::random, "random"},
                                                      {FileOrder::as_listed, "as_listed"}}};
constexpr std::array<Name<FileNames>, 3> file_name_kinds{{{FileNames::pieces, "pieces"},
                                                          {FileNames::number_first, "number_first"},
                                                          {FileNames::number_last, "number_last"}}};
constexpr std::array<Name<FileFlush>, 3> file_flushes{
    {{FileFlush::data, "data"}, {FileFlush::attributes, "attributes"}, {FileFlush::nothing, "nothing"}}};
constexpr std::array<Name<CellEnd>, 4> ends{{{CellEnd::volume, "volume"},
                                             {CellEnd::time, "time"},
                                             {CellEnd::error, "error"},
                                             {CellEnd::cancelled, "cancelled"}}};
constexpr std::array<Name<DamageKind>, 5> damage_kinds{{{DamageKind::unreadable, "unreadable"},
                                                        {DamageKind::flipped, "flipped"},
                                                        {DamageKind::misplaced, "misplaced"},
                                                        {DamageKind::stale, "stale"},
                                                        {DamageKind::foreign, "foreign"}}};
constexpr std::array<Name<CapacityVerdict>, 4> verdicts{{{CapacityVerdict::good, "good"},
                                                         {CapacityVerdict::fake, "fake"},
                                                         {CapacityVerdict::damaged, "damaged"},
                                                         {CapacityVerdict::inconclusive, "inconclusive"}}};
constexpr std::array<Name<FakeKind>, 4> fake_kinds{
    {{FakeKind::wrap, "wrap"}, {FakeKind::drop, "drop"}, {FakeKind::garbage, "garbage"}, {FakeKind::errors, "errors"}}};

} // namespace

std::string_view name_of(Access access) {
    return name_in(accesses, access);
}
std::string_view title_of(Access access) {
    return name_in(access_titles, access);
}
std::string block_title(Bytes block) {
    if (block.count % 1024 != 0) return std::to_string(block.count) + " B";
    // Published tables use KB up to 1024 KB and MB above.
    if (block > 1_MiB && block.count % (1024 * 1024) == 0) return std::to_string(block.count >> 20) + " MB";
    return std::to_string(block.count >> 10) + " KB";
}
std::string_view name_of(Engine engine) {
    return name_in(engines, engine);
}
std::string_view name_of(CachePolicy cache) {
    return name_in(cache_policies, cache);
}
std::string_view name_of(SyncLevel sync) {
    return name_in(sync_levels, sync);
}
std::string_view name_of(PayloadKind kind) {
    return name_in(payload_kinds, kind);
}
std::string_view name_of(FileWork work) {
    return name_in(works, work);
}
std::string_view name_of(MixMode mode) {
    return name_in(mix_modes, mode);
}
std::string_view name_of(FileOrder order) {
    return name_in(file_orders, order);
}
std::string_view name_of(FileNames names) {
    return name_in(file_name_kinds, names);
}
std::string_view name_of(FileFlush flush) {
    return name_in(file_flushes, flush);
}
std::string_view name_of(OnIoError on_error) {
    return name_in(error_policies, on_error);
}
std::string_view name_of(CellEnd end) {
    return name_in(ends, end);
}
std::string_view name_of(DamageKind kind) {
    return name_in(damage_kinds, kind);
}
std::string_view name_of(CapacityVerdict verdict) {
    return name_in(verdicts, verdict);
}
std::string_view name_of(FakeKind kind) {
    return name_in(fake_kinds, kind);
}

Result<Access> access_from(std::string_view name) {
    return value_in(accesses, name);
}
Result<Engine> engine_from(std::string_view name) {
    return value_in(engines, name);
}
Result<CachePolicy> cache_policy_from(std::string_view name) {
    return value_in(cache_policies, name);
}
Result<SyncLevel> sync_level_from(std::string_view name) {
    return value_in(sync_levels, name);
}
Result<PayloadKind> payload_kind_from(std::string_view name) {
    return value_in(payload_kinds, name);
}
Result<OnIoError> on_io_error_from(std::string_view name) {
    return value_in(error_policies, name);
}
Result<FileWork> file_work_from(std::string_view name) {
    return value_in(works, name);
}
Result<MixMode> mix_mode_from(std::string_view name) {
    return value_in(mix_modes, name);
}
Result<FileOrder> file_order_from(std::string_view name) {
    return value_in(file_orders, name);
}
Result<FileNames> file_names_from(std::string_view name) {
    return value_in(file_name_kinds, name);
}
Result<FileFlush> file_flush_from(std::string_view name) {
    return value_in(file_flushes, name);
}
Result<CellEnd> cell_end_from(std::string_view name) {
    return value_in(ends, name);
}
Result<DamageKind> damage_kind_from(std::string_view name) {
    return value_in(damage_kinds, name);
}
Result<CapacityVerdict> capacity_verdict_from(std::string_view name) {
    return value_in(verdicts, name);
}
Result<FakeKind> fake_kind_from(std::string_view name) {
    return value_in(fake_kinds, name);
}

namespace {

std::string in_words(std::string text) {
    std::ranges::replace(text, '_', ' ');
    return text;
}

const CellSpec* cell_called(std::string_view id, const SweepJob& sweep) {
    const auto found = std::ranges::find(sweep.cells, id, &CellSpec::id);
    return found == sweep.cells.end() ? nullptr : &*found;
}
const CellSpec* cell_called(std::string_view id, const MixJob& mix) {
    const auto found = std::ranges::find(mix.cells, id, [](const MixCell& each) { return each.cell.id; });
    return found == mix.cells.end() ? nullptr : &found->cell;
}
const CellSpec* cell_called(std::string_view id, const FilesJob& files) {
    const auto found = std::ranges::find(files.steps, id, [](const FileStep& each) { return each.cell.id; });
    return found == files.steps.end() ? nullptr : &found->cell;
}
// Their phases are not named after cells, or have the ids above.
const CellSpec* cell_called(std::string_view, const VerifyJob&) {
    return nullptr;
}
const CellSpec* cell_called(std::string_view, const ProbeJob&) {
    return nullptr;
}
const CellSpec* cell_called(std::string_view, const BlogJob&) {
    return nullptr;
}

} // namespace

std::string cell_title(const CellSpec& cell) {
    if (cell.id == verify_write_id) return "writing";
    if (cell.id == verify_read_id) return "reading back";
    if (cell.id == probe_id) return "probing";
    std::string_view rest = cell.id;
    const auto take = [&](std::string_view part) {
        if (!rest.starts_with(part)) return false;
        rest.remove_prefix(part.size());
        return true;
    };
    const std::string access = "." + std::string(name_of(cell.access)), size = "." + std::to_string(cell.block.count);
    const std::string_view direction = writes(cell.access) ? ".write" : ".read";
    const bool of_table = !cell.table.empty() && take(cell.table);
    const bool has_access = take(access), was_directed = take(direction), has_size = take(size);
    const bool has_direction = was_directed || take(direction);
    if (!of_table || !rest.empty()) return in_words(cell.id);
    if (has_access && has_size) return std::string(title_of(cell.access)) + " " + block_title(cell.block);
    std::string title = in_words(cell.table);
    if (has_access) title += " " + std::string(title_of(cell.access));
    if (has_size) title += " " + block_title(cell.block);
    if (!has_direction) return title;
    const bool writing = writes(cell.access);
    return has_size ? title + (writing ? ", writes" : ", reads") : (writing ? "writing " : "reading ") + title;
}

std::string phase_title(const JobSpec& job, std::string_view phase) {
    // "round 3, rw65"
    constexpr std::string_view separator = ", ";
    const std::size_t comma = phase.rfind(separator);
    const std::size_t begin = comma == phase.npos ? 0 : comma + separator.size();
    const std::string id(phase.substr(begin));
    const CellSpec* const cell = std::visit([&](const auto& kind) { return cell_called(id, kind); }, job.kind);
    return std::string(phase.substr(0, begin)) +
           (cell != nullptr ? cell_title(*cell) : cell_title({.id = id, .table = {}}));
}

} // namespace mediarig::workload
