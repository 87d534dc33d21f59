// SPDX-License-Identifier: GPL-3.0-or-later
/// The host file below a loop device.
#pragma once

#include "host/workload/io/system.hpp"
#include "host/workload/jobs/job.hpp"

namespace mediarig::workload {

class LinuxHostBelow final : public HostBelow {
public:
    [[nodiscard]] static LinuxHostBelow of(const JobTarget& target);

    [[nodiscard]] bool drop() const override;
    [[nodiscard]] std::optional<Error> full(Bytes length) const override;

private:
    LinuxHostBelow(Cache cache, const JobTarget& target)
        : HostBelow(cache, target.host_path), file_(target.host_file) {}

    int file_; ///< not owned; -1 if unknown
};

} // namespace mediarig::workload
