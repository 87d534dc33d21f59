// SPDX-License-Identifier: GPL-3.0-or-later
/// Who may use what media share (the rig, a bus, a processor), so that no measurement disturbs another one.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mediarig::session {

struct Need {
    std::string resource; ///< "rig", "processor", "usb 0000:00:14.0"
    enum class How : std::uint8_t {
        alone,    ///< nobody else uses it meanwhile
        measured, ///< its rate counts: together with all others it stays within what the resource carries
        shared,   ///< others may share it
        one       ///< one of as many as there are
    } how{};
    double rate{}; ///< bytes a second that it will move, of `measured` and `shared`
    bool operator==(const Need&) const = default;
};

/// On one loop. Whoever asked first is served first; who asked later goes before only where that delays nobody.
class Admission {
    struct State;

public:
    /// `counts`: what is used with How::one, and how many there are; any other has one. `rates`: what resources carry
    /// beside a How::measured, in bytes a second; any other carries nothing beside it.
    Admission(boost::asio::any_io_executor executor, std::map<std::string, unsigned> counts,
              std::map<std::string, double> rates = {});

    /// What one has until it is destroyed; may outlive the Admission, as coroutines do that are never finished.
    class Permit {
    public:
        Permit() = default;
        Permit(std::shared_ptr<State> from, std::vector<Need> needs);
        Permit(Permit&&) noexcept = default;
        Permit& operator=(Permit&& other) noexcept;
        ~Permit();

    private:
        std::shared_ptr<State> from_;
        std::vector<Need> needs_;
    };

    /// Waits until all of them are to be had at once. Who holds a permit asks for the rig at most: whoever has the rig
    /// has it with nothing else and asks for nothing more, so that no circle comes about.
    [[nodiscard]] boost::asio::awaitable<Permit> enter(std::vector<Need> needs);

private:
    std::shared_ptr<State> state_;
};

} // namespace mediarig::session
