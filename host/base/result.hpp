// SPDX-License-Identifier: GPL-3.0-or-later
/// The error policy of the host: foreseeable failures are values. A bad card is a finding and becomes part of the
/// record; only "the test could not be made" is an Error.
#pragma once

#include <boost/describe/enum.hpp>
#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace mediarig {

/// The caller's possible reaction; `detail` describes the cause in prose.
BOOST_DEFINE_FIXED_ENUM_CLASS(
    Errc, std::uint8_t,
    bad_request,   ///< the request of the user or caller is invalid: correct it           (exit 2)
    refused,       ///< forbidden for safety: nothing was written                          (exit 4)
    no_medium,     ///< the medium is missing or was removed                               (exit 3)
    no_driver,     ///< this machine lacks a driver or a tool; the detail names a remedy   (exit 3)
    host_fault,    ///< a driver died, the disk below an image is full: not a fault of the medium (exit 3)
    no_permission, ///< the agent lacks the right; the detail names a way to get the right        (exit 3)
    io_failed,     ///< an operation on a medium, file or pipe failed                      (exit 3)
    bad_format,    ///< bytes do not parse: a message, a medium, a file                    (exit 3)
    timed_out,     ///<                                                                    (exit 3)
    cancelled,     ///< cancelled on request                                               (exit 3)
    agent_lost,    ///< the agent process or the connection to it ended                                (exit 3)
    store_failed,  ///< the store cannot be opened, read or written                        (exit 3)
    rig_fault      ///< the rig needs a person                                             (exit 3)
)

/// One line for the user: problem, reason, next step. No line breaks.
struct Error {
    Errc code{};
    std::string detail;
    bool operator==(const Error&) const = default;
};

template <class T>
using Result = tl::expected<T, Error>;

[[nodiscard]] inline auto fail(Errc code, std::string detail) {
    return tl::unexpected(Error{code, std::move(detail)});
}
[[nodiscard]] inline auto fail(Error cause) {
    return tl::unexpected(std::move(cause));
}

/// The documented exit status of an error: 2, 3 or 4.
[[nodiscard]] int exit_status(Errc code);

} // namespace mediarig
