// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes the saved content of an undo log back to its medium. It needs no operating system, only a medium.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "host/base/enum_names.hpp"
#include "host/base/result.hpp"
#include "host/workload/io/write_permit.hpp"
#include "host/workload/jobs/probe_sampler.hpp"
#include "host/workload/jobs/undo_log.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::workload {

struct RestoreRequest {
    /// `all`: writes every place, whatever it contains. `unchanged`: first reads every place, and refuses data that
    /// neither this test wrote nor its log contains, because another medium or a later change is the cause. A medium
    /// without data of this test must have its saved content at every place: it may be another, blank medium.
    RestoreMode mode{RestoreMode::unchanged};
    /// End of the memory of a fake, if it is known: data from there on cannot be restored, because nothing kept it.
    std::optional<Bytes> memory_end{};
    WritePermit* permit{};             ///< checked before each write; null: always allowed
    const std::atomic<bool>* cancel{}; ///< obeyed between two places and two failures; the next restore continues
};

/// Restores in the reverse order of saving, with a flush after each place. On a medium whose addresses wrap, the oldest
/// saved content of a physical place is the original content, and this order writes it last. Then reads all places
/// back; places with other content are written once more. A place whose saved content is data of the test was an alias
/// of an earlier one and is not compared.
///
/// Fails with refused (another size; changed data in mode `unchanged`; the permit), no_medium, host_fault, cancelled,
/// io_failed (the medium refuses to flush its cache).
/// Places that do not accept their content are counted in the report. Repeat the call after a failure: the result is
/// the same as without the failure.
[[nodiscard]] Result<RestoreReport> restore(ProbedMedium& medium, const UndoLog& log, const RestoreRequest& request);

/// Content of a medium, compared with a log.
struct UndoMatch {
    bool test_data{};         ///< a place contains data of the test: it is the medium of the log
    bool saved_content{true}; ///< every place has its saved content
};
/// Skips places that cannot be read; they do not have their saved content. Fails with no_medium and cancelled.
[[nodiscard]] Result<UndoMatch> match_of(ReadableMedium& medium, const UndoLog& log, const std::atomic<bool>* cancel);

} // namespace mediarig::workload
