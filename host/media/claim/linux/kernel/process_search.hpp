// SPDX-License-Identifier: GPL-3.0-or-later
/// Searches the processes in /proc: their open files and mappings.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace mediarig::media {

/// A search of all processes. A caller that bases a decision on the result must check that the search was complete.
class ProcessSearch {
public:
    /// `most`: limit of processor time. Processor time does not depend on the load of the machine.
    explicit ProcessSearch(std::chrono::nanoseconds most);
    [[nodiscard]] bool is_over() const; ///< the limit is reached: no further process is inspected
    /// Reason why a process may have been missed; empty if all were inspected, except process 1 if it is inaccessible.
    [[nodiscard]] std::string missed() const;
    void record_unreadable(const std::string& path, int error);

private:
    std::chrono::nanoseconds until_;
    std::string missed_;
};

/// True if this process sees all processes of the machine, because it is not in the PID namespace of a container.
[[nodiscard]] bool shows_all_processes();

/// Calls `matches` with "/proc/812" for each process except `except`, and with "/proc/812/task/813" for each thread
/// that has its own descriptor table. Returns "process 812 (dd), process 900 (sh)", at most three; empty if no process
/// matches.
[[nodiscard]] std::string processes_that(const std::function<bool(const std::string& process)>& matches, pid_t except,
                                         ProcessSearch& search);

/// Calls `next` with each line of a file of a process until `next` returns true. Returns whether `next` returned true.
[[nodiscard]] bool any_line_of(const std::string& path, ProcessSearch& search,
                               const std::function<bool(std::string_view)>& next);

/// Calls `matches` with the number of each open descriptor and the path of its link until `matches` returns true.
/// Returns whether `matches` returned true.
[[nodiscard]] bool any_descriptor_of(
    const std::string& process, ProcessSearch& search,
    const std::function<bool(const std::string& descriptor, const std::string& link)>& matches);

struct SharedMapping {
    std::string link; ///< "/proc/812/map_files/7f12a000-7f12b000"
    bool writable{};  ///< current protection, which the process may change
};
/// Parses a line of /proc/PID/maps; empty if the mapping is private or has no file.
[[nodiscard]] std::optional<SharedMapping> shared_mapping(const std::string& process, std::string_view line);
/// True if the process may make a shared mapping writable: its file was open for writing (smaps: "mw").
[[nodiscard]] bool may_become_writable(const std::string& process, const SharedMapping& mapping, ProcessSearch& search);

/// Attributes of the file that a link of /proc to an open or mapped file refers to. Sends no query to the server of a
/// file system, because that server may never respond. Empty if the descriptor is closed or the mapping removed.
[[nodiscard]] std::optional<struct stat> target_status(const std::string& link);

/// Flags of a descriptor as for open(2), from fdinfo (proc(5)). Empty if the descriptor is closed.
[[nodiscard]] std::optional<unsigned long> flags_of(const std::string& process, const std::string& descriptor);

} // namespace mediarig::media
