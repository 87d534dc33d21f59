// SPDX-License-Identifier: GPL-3.0-or-later
// Boost.Asio is compiled here, once: every other file that uses coroutines builds in less than half the time.
#include <boost/asio/impl/src.hpp>
