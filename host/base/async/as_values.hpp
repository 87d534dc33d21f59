// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace mediarig {

/// The completion token of every wait and transfer: with this token `co_await` returns the error code and the byte
/// count as values and does not throw.
inline constexpr auto as_values = boost::asio::as_tuple(boost::asio::use_awaitable);

} // namespace mediarig
