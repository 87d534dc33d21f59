// SPDX-License-Identifier: GPL-3.0-or-later
/// Looking through the processes in /proc: their open files and mappings.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace mediarig::media {

/// A look through all processes, and whether it was complete: who decides by it has to ask.
class ProcessSearch {
public:
    /// `most`: processor time that may be spent, however loaded the machine is.
    explicit ProcessSearch(std::chrono::nanoseconds most);
    [[nodiscard]] bool is_over() const; ///< no time left: no further process is looked at
    /// Why a process may have been missed; empty where each was looked at, but for process 1 where that is closed.
    [[nodiscard]] std::string missed() const;
    void could_not_look(const std::string& path, int error);

private:
    std::chrono::nanoseconds until_;
    std::string missed_;
};

/// Whether this process sees all others of the machine: it is in no process namespace of a container.
[[nodiscard]] bool sees_all_processes();

/// Calls `matches` with "/proc/812" of each process but `except`, and with "/proc/812/task/813" of each thread that has
/// a descriptor table of its own. "process 812 (dd), process 900 (sh)", at most three; empty where none matches.
[[nodiscard]] std::string which_processes(const std::function<bool(const std::string& process)>& matches, pid_t except,
                                          ProcessSearch& search);

/// Calls `next` with each line of a file of a process until it returns true; whether it did.
[[nodiscard]] bool any_line_of(const std::string& path, ProcessSearch& search,
                               const std::function<bool(std::string_view)>& next);

/// Calls `matches` with the number of each open descriptor and the path of its link until it returns true; whether it
/// did.
[[nodiscard]] bool any_descriptor_of(
    const std::string& process, ProcessSearch& search,
    const std::function<bool(const std::string& descriptor, const std::string& link)>& matches);

struct SharedMapping {
    std::string link; ///< "/proc/812/map_files/7f12a000-7f12b000"
    bool writable{};  ///< by the protection of now, which the process may change
};
/// Of a line of /proc/PID/maps; nothing where the mapping is private or of no file.
[[nodiscard]] std::optional<SharedMapping> shared_mapping(const std::string& process, std::string_view line);
/// Whether the process may make a shared mapping writable: its file was open for writing (smaps: "mw").
[[nodiscard]] bool may_become_writable(const std::string& process, const SharedMapping& mapping, ProcessSearch& search);

/// What a link of /proc to an open or mapped file leads to, without asking the server of a file system: such a question
/// may never be answered. Nothing where it is closed by now.
[[nodiscard]] std::optional<struct stat> status_behind(const std::string& link);

/// As for open(2): proc(5), fdinfo, in octal. Nothing where it is closed by now.
[[nodiscard]] std::optional<unsigned long> flags_of(const std::string& process, const std::string& descriptor);

} // namespace mediarig::media
