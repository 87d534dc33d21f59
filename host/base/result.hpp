// SPDX-License-Identifier: GPL-3.0-or-later
/// The one error policy of the host: foreseeable failures are values.
/// A bad card is a finding and goes into the record; only "the test could not be made" is an Error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace mediarig {

/// What the caller can do about it; the cause is prose, in `detail`.
enum class Errc : std::uint8_t {
    bad_request,   ///< the user's or the caller's words are wrong: correct them           (exit 2)
    refused,       ///< forbidden for safety: nothing was written                          (exit 4)
    no_medium,     ///< the medium is absent, or went away                                 (exit 3)
    no_driver,     ///< this machine lacks a driver or a tool; the detail names what helps (exit 3)
    host_fault,    ///< a driver died, the disk below an image is full: nothing about the medium (exit 3)
    no_permission, ///< the agent may not do this; the detail says how it could            (exit 3)
    io_failed,     ///< an operation on a medium, file or pipe failed                      (exit 3)
    bad_format,    ///< bytes do not parse: a message, a medium, a file                    (exit 3)
    timed_out,     ///<                                                                    (exit 3)
    cancelled,     ///< somebody asked to stop                                             (exit 3)
    agent_lost,    ///< the agent process or its link ended                                (exit 3)
    store_failed,  ///< the store cannot be opened, read or written                        (exit 3)
    rig_fault,     ///< the rig needs a person                                             (exit 3)
};

/// One line for people: what, why, what next. No line breaks.
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

/// The stable name used on the wire and in records ("bad_request", …).
[[nodiscard]] std::string_view name_of(Errc code);
/// The inverse of name_of; fails with bad_format on an unknown name.
[[nodiscard]] Result<Errc> errc_from(std::string_view name);
/// The documented exit status of an error: 2, 3 or 4.
[[nodiscard]] int exit_status(Errc code);

} // namespace mediarig
