// SPDX-License-Identifier: GPL-3.0-or-later
/// Makes a test of a medium restore its content: saves every place before the first write to it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "host/workload/io/undo_storage.hpp"
#include "host/workload/jobs/probe_sampler.hpp"
#include "host/workload/jobs/restore.hpp"
#include "host/workload/jobs/undo_log.hpp"

namespace mediarig::workload {

class RestoringMedium final : public ProbedMedium {
public:
    /// `medium`, `undo` and `permit` must outlive the result. `header.size` is replaced by the size of the medium.
    /// `permit` is checked before each write of refresh(); null: always allowed.
    [[nodiscard]] static Result<RestoringMedium> create(ProbedMedium& medium, UndoStorage& undo, UndoHeader header,
                                                        WritePermit* permit = nullptr);

    Bytes size() const override { return medium_->size(); }
    Bytes sector() const override { return medium_->sector(); }
    /// Saves the places that were not saved before. Fails with no_medium and with the errors of the storage.
    Result<void> prepare(std::span<const Extent> places) override;
    /// Each part is in the undo file while it is written.
    Result<void> refresh(Extent part) override;
    /// Fails with EIO, without a write, at a place that could not be read: its content could not be restored.
    int write(std::span<const std::byte> bytes, std::uint64_t offset) override;
    int read(std::span<std::byte> bytes, std::uint64_t offset) override { return medium_->read(bytes, offset); }
    int flush() override { return medium_->flush(); }
    bool gone(int error) override { return medium_->gone(error); }
    std::optional<Error> host_fault() const override;
    bool fails_too_slowly() const override { return medium_->fails_too_slowly(); }

    /// Restores everything that was saved, then removes the undo file; keeps the file if a place could not be restored.
    /// Fails like restore(), with the path of the file and the next step in the detail.
    [[nodiscard]] Result<RestoreReport> restore_all(const RestoreRequest& request);

private:
    RestoringMedium(ProbedMedium& medium, UndoStorage& undo, const UndoHeader& header, TransferBuffer buffer,
                    WritePermit* permit)
        : medium_(&medium), undo_(&undo), encoder_(header), buffer_(std::move(buffer)), permit_(permit) {}

    [[nodiscard]] Result<void> save(Extent place, std::vector<std::byte>& batch);
    [[nodiscard]] Result<void> save_part(Extent part, std::vector<std::byte>& batch);
    /// The parts of `place` that are not in `ranges`.
    using Ranges = std::map<std::uint64_t, std::uint64_t>; ///< begin -> end, disjoint
    [[nodiscard]] static std::vector<Extent> missing_in(const Ranges& ranges, Extent place);
    static void add(Ranges& ranges, Extent part);
    [[nodiscard]] static bool overlaps(const Ranges& ranges, Extent place);

    ProbedMedium* medium_;
    UndoStorage* undo_;
    UndoEncoder encoder_;
    TransferBuffer buffer_;
    WritePermit* permit_;
    Ranges saved_;
    Ranges unreadable_;              ///< never written
    std::vector<Extent> last_saved_; ///< by the last call of save(), in the order of its batch
    std::uint64_t undo_size_{};      ///< of the storage
    bool begun_{};                   ///< the header is in the storage
    std::optional<Error> failed_;    ///< the first failure to save a place; nothing is written after it
};

/// Adds the next step to the error of an interrupted restore.
[[nodiscard]] Error with_undo_file(Error error, const UndoStorage& undo);

} // namespace mediarig::workload
