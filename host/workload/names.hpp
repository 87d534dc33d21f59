// SPDX-License-Identifier: GPL-3.0-or-later
/// The stable names of the workload values in JSON, on the command line and in records. Pure.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "host/base/enum_names.hpp"
#include "host/base/result.hpp"
#include "host/workload/outcome.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::workload {

/// Choices in a plan and on the command line.
inline constexpr std::array<Name<Engine>, 2> engines{{{Engine::psync, "psync"}, {Engine::uring, "uring"}}};
inline constexpr std::array<Name<CachePolicy>, 3> cache_policies{
    {{CachePolicy::direct, "direct"}, {CachePolicy::dropped, "dropped"}, {CachePolicy::cached, "cached"}}};

[[nodiscard]] std::string_view name_of(Access access);  ///< "seq_read", "seq_write", "random_read", "random_write"
[[nodiscard]] std::string_view title_of(Access access); ///< "sequential read", "sequential write", "random read", …
/// E.g. "4 KB", "2 MB" (2^20, as in the names of published tables), "512 B".
[[nodiscard]] std::string block_title(Bytes block);
[[nodiscard]] std::string_view name_of(Engine engine);           ///< "psync", "uring"
[[nodiscard]] std::string_view name_of(CachePolicy cache);       ///< "direct", "dropped", "cached"
[[nodiscard]] std::string_view name_of(SyncLevel sync);          ///< "none", "at_end", "each_io", "each_io_attributes"
[[nodiscard]] std::string_view name_of(PayloadKind kind);        ///< "incompressible", "given", "zeros"
[[nodiscard]] std::string_view name_of(MixMode mode);            ///< the names of the enumerators
[[nodiscard]] std::string_view name_of(FileWork work);           ///< the names of the enumerators
[[nodiscard]] std::string_view name_of(FileOrder order);         ///< the names of the enumerators
[[nodiscard]] std::string_view name_of(FileNames names);         ///< the names of the enumerators
[[nodiscard]] std::string_view name_of(FileFlush flush);         ///< the names of the enumerators
[[nodiscard]] std::string_view name_of(OnIoError on_error);      ///< "stop", "go_on"
[[nodiscard]] std::string_view name_of(CellEnd end);             ///< "volume", "time", "error", "cancelled"
[[nodiscard]] std::string_view name_of(CapacityVerdict verdict); ///< "good", "fake", "damaged", "inconclusive"
[[nodiscard]] std::string_view name_of(FakeKind kind);           ///< "wrap", "drop", "garbage", "errors"
[[nodiscard]] std::string_view name_of(DamageKind kind); ///< "unreadable", "flipped", "misplaced", "stale", "foreign"

/// The inverses; they fail with bad_format and a detail that lists the valid names.
[[nodiscard]] Result<Access> access_from(std::string_view name);
[[nodiscard]] Result<Engine> engine_from(std::string_view name);
[[nodiscard]] Result<CachePolicy> cache_policy_from(std::string_view name);
[[nodiscard]] Result<SyncLevel> sync_level_from(std::string_view name);
[[nodiscard]] Result<PayloadKind> payload_kind_from(std::string_view name);
[[nodiscard]] Result<OnIoError> on_io_error_from(std::string_view name);
[[nodiscard]] Result<MixMode> mix_mode_from(std::string_view name);
[[nodiscard]] Result<FileWork> file_work_from(std::string_view name);
[[nodiscard]] Result<FileOrder> file_order_from(std::string_view name);
[[nodiscard]] Result<FileNames> file_names_from(std::string_view name);
[[nodiscard]] Result<FileFlush> file_flush_from(std::string_view name);
[[nodiscard]] Result<CellEnd> cell_end_from(std::string_view name);
[[nodiscard]] Result<DamageKind> damage_kind_from(std::string_view name);
[[nodiscard]] Result<CapacityVerdict> capacity_verdict_from(std::string_view name);
[[nodiscard]] Result<FakeKind> fake_kind_from(std::string_view name);

/// Title of a cell for the user, e.g. "random write 4 KB" for "standard.random_write.4096", "reading back" for
/// verify_read_id, "create pieces" for "create_pieces". An id that is not composed of the cell's table, access and
/// block is returned unchanged. Pure.
[[nodiscard]] std::string cell_title(const CellSpec& cell);
/// Title of a phase of JobObserver::on_phase: of the job's cell with that name, e.g. "round 3, rw65 4 KB", or e.g.
/// "layout".
[[nodiscard]] std::string phase_title(const JobSpec& job, std::string_view phase);

} // namespace mediarig::workload
