// SPDX-License-Identifier: GPL-3.0-or-later
/// Which processes can change the bytes of a block device, by whatever node of its stack.
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
    bool of_file{}; ///< the bytes are those of a file, below loop devices
};
/// Every device that shows bytes of this one: itself, its partitions, what stands on them, the loop devices over the
/// same bytes and those below it. By number: a node that mknod(1) made elsewhere is the same device. Fails with
/// io_failed.
[[nodiscard]] Result<NodesOverBytes> nodes_over_bytes_of(DeviceNumber device);

/// "/dev/sdb2 is open for writing in process 812 (dd)": also mapped writable, or locked; at most three; empty where
/// none is. A process that only reads is none. Not seen: a descriptor on its way through a socket, or registered with
/// io_uring and closed; a use by the kernel without an exclusive open, such as an export by nvmet.
[[nodiscard]] std::string writers_of(const std::vector<DeviceNumber>& nodes, pid_t except, ProcessSearch& search);

/// That no other process writes to any of these. Waits up to half a second for one that is about to end. Where some
/// process cannot be looked at, the bytes of a disk are refused as well, unless `use` permits that. Fails with refused,
/// naming node and process, and io_failed.
[[nodiscard]] Result<void> check_no_writer(DeviceNumber device, Use use);

} // namespace mediarig::media
