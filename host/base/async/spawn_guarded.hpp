// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs a coroutine in parallel with its caller and reports when the coroutine ends, also by an exception.
/// asio::detached would drop the exception, and waiters for the end would wait forever.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace mediarig {

/// `work`: an argument of co_spawn for an awaitable<void>. `at_end(std::optional<std::string> broken)` is called once
/// on the executor, with the text of the exception if there was one. It must not throw.
template <class Work, class AtEnd>
void spawn_guarded(const boost::asio::any_io_executor& executor, Work work, AtEnd at_end) {
    boost::asio::co_spawn(executor, std::move(work),
                          [at_end = std::move(at_end)](const std::exception_ptr& thrown) mutable {
                              std::optional<std::string> broken;
                              try {
                                  if (thrown) std::rethrow_exception(thrown);
                              } catch (const std::exception& known) {
                                  broken = known.what();
                              } catch (...) {
                                  broken = "an unknown exception";
                              }
                              at_end(std::move(broken));
                          });
}

} // namespace mediarig
