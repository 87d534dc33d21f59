// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: requests that a system carries out by itself while the caller goes on, each submitted alone, as programs of
/// the nineties make them (libaio). The engine of sweeps is another one (engine.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "host/workload/medium_file.hpp"

namespace mediarig::workload {

class RequestQueue {
public:
    /// Waits for what is still under way.
    virtual ~RequestQueue() = default;

    struct Request {
        int fd{-1};
        bool writing{};
        std::span<std::byte> bytes; ///< stays as it is until the request is done
        std::uint64_t offset{};
        std::uint64_t tag{}; ///< comes back with what became of it
    };
    struct Done {
        std::uint64_t tag{};
        Moved moved;
    };
    /// 0 or errno. No more may be under way than the queue was made for.
    [[nodiscard]] virtual int submit(const Request& request) = 0;
    /// Waits until so many are done and takes all that are; 0 or errno.
    [[nodiscard]] virtual int wait(std::uint32_t least, std::vector<Done>& done) = 0;
};

} // namespace mediarig::workload
