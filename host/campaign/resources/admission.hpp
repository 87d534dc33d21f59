// SPDX-License-Identifier: GPL-3.0-or-later
/// Access to the resources that media share (the rig, a bus, a processor), so that no measurement disturbs another one.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mediarig::campaign {

struct ResourceRequest {
    std::string resource; ///< "rig", "processor", "usb 0000:00:14.0"
    enum class How : std::uint8_t {
        alone,    ///< exclusive use
        measured, ///< rates are added: their sum stays within the capacity of the resource
        shared,   ///< others may use the resource at the same time
        one       ///< one unit of a limited number
    } how{};
    double rate{}; ///< bytes per second that the holder will move, for `measured` and `shared`
    bool operator==(const ResourceRequest&) const = default;
};

/// Single-threaded. FIFO with backfill: a later request runs first only if it delays no earlier one.
class Admission {
    struct State;

public:
    /// `counts`: number of units of each resource that is used with How::one; other resources have one unit. `rates`:
    /// capacity of resources for How::measured, in bytes per second; other resources have no known capacity.
    Admission(boost::asio::any_io_executor executor, std::map<std::string, unsigned> counts,
              std::map<std::string, double> rates = {});

    /// Holds resources until it is destroyed. A permit may outlive the Admission, as in coroutines that are never
    /// finished.
    class Permit {
    public:
        Permit() = default;
        Permit(std::shared_ptr<State> from, std::vector<ResourceRequest> resources);
        Permit(Permit&&) noexcept = default;
        Permit& operator=(Permit&& other) noexcept;
        ~Permit();

    private:
        std::shared_ptr<State> from_;
        std::vector<ResourceRequest> resources_;
    };

    /// Waits until all requested resources are available at once. There is no deadlock: the holder of a permit may
    /// additionally request only the rig, and the holder of the rig uses it alone and requests nothing more.
    [[nodiscard]] boost::asio::awaitable<Permit> enter(std::vector<ResourceRequest> resources);

private:
    std::shared_ptr<State> state_;
};

} // namespace mediarig::campaign
