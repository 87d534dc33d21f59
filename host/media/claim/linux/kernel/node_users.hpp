// SPDX-License-Identifier: GPL-3.0-or-later
/// Processes that can change the bytes of a block device through any node of its stack.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/media/claim/linux/kernel/process_search.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

struct NodesOverBytes {
    std::vector<DeviceNumber> numbers;
    bool of_file{}; ///< the bytes are in a file, below loop devices
};
/// Every device that shows bytes of this one: the device, its partitions, the devices on them, the loop devices on the
/// same bytes, and the devices below it. Compares device numbers: a node that mknod(1) made elsewhere is the same
/// device. Fails with io_failed.
[[nodiscard]] Result<NodesOverBytes> nodes_over_bytes_of(DeviceNumber device);

/// "/dev/sdb2 is open for writing in process 812 (dd)", or mapped writable, or locked; at most three; empty if no
/// process writes. Processes that only read do not count. Not detected: a descriptor in transit through a socket, or
/// registered with io_uring and closed; a use by the kernel without an exclusive open, such as an export by nvmet.
[[nodiscard]] std::string writers_of(const std::vector<DeviceNumber>& nodes, pid_t except, ProcessSearch& search);

/// Checks that no other process writes to any of these nodes. Waits up to half a second for a writer that is about to
/// end. If some process cannot be inspected, a disk is refused too, unless `use` permits it. Fails with refused (the
/// error names node and process) and io_failed.
[[nodiscard]] Result<void> check_no_writer(DeviceNumber device, Use use);

} // namespace mediarig::media
