// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: what a job asks of the operating system. Asked when something is opened and when a cell begins; between two
/// transfers of a cell stands nothing of it.
#pragma once

#include <memory>
#include <string>

#include "host/descriptor.hpp"
#include "host/workload/backing_device.hpp"
#include "host/workload/engine.hpp"
#include "host/workload/job.hpp"
#include "host/workload/medium_file.hpp"
#include "host/workload/platform/clock.hpp"
#include "host/workload/request_queue.hpp"
#include "host/workload/work_folder.hpp"

namespace mediarig::workload {

class System {
public:
    virtual ~System() = default;

    /// The best clock of this machine; lives as long as the process. The first call may take some milliseconds.
    [[nodiscard]] virtual const TickClock& clock() const = 0;

    /// Opens what `fd` names once more, with flags of its own; `fd` stays as it is.
    [[nodiscard]] virtual Result<std::unique_ptr<MediumFile>> reopen(int fd, CachePolicy cache,
                                                                     SyncLevel sync) const = 0;
    /// The directory of a path, for Target::directory_fd. Links in the path are followed once, with the rights of the
    /// calling thread. Fails with bad_request, no_permission, io_failed.
    [[nodiscard]] virtual Result<Descriptor> open_directory(const std::string& path) const = 0;
    /// Makes a new folder in the directory of `target`, which must be open. First removes those that earlier jobs left
    /// behind because their process was killed. Fails with refused where others may write in it, no_permission,
    /// io_failed.
    [[nodiscard]] virtual Result<std::unique_ptr<WorkFolder>> make_work_folder(const Target& target) const = 0;
    /// What cannot be found out about it is answered with nothing; never null.
    [[nodiscard]] virtual std::unique_ptr<BackingDevice> backing_device(const Target& target) const = 0;

    /// Empties the cache of names and attributes, which is one for the whole machine. False where that is not allowed.
    [[nodiscard]] virtual bool forget_names() const = 0;

    /// For at most `depth` requests at a time. Fails with host_fault.
    [[nodiscard]] virtual Result<std::unique_ptr<RequestQueue>> make_request_queue(std::uint32_t depth) const = 0;

    /// Fails with bad_request where the system has no such engine, no_permission where it forbids it.
    [[nodiscard]] virtual Result<std::unique_ptr<IoEngine>> make_engine(Engine engine) const = 0;
};

} // namespace mediarig::workload
