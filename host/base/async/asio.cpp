// SPDX-License-Identifier: GPL-3.0-or-later
// Boost.Asio is compiled once, in this file: every other file with coroutines compiles in less than half the time.
#include <boost/asio/impl/src.hpp>
