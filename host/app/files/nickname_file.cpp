// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/files/nickname_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "host/app/files/paths.hpp"
#include "host/app/files/text_file.hpp"
#include "host/base/descriptor.hpp"
#include "host/base/json/json_text.hpp"
#include "host/media/claim/linux/kernel/bounded_calls.hpp"

namespace mediarig::app {
namespace {

/// Locks the file of nicknames from reading to writing, so that concurrent changes are not lost. The lock is a separate
/// file, because the file of nicknames is replaced as a whole; the kernel releases the lock when the process ends.
Result<Descriptor> lock_names() {
    const std::filesystem::path file = nickname_file();
    if (auto made = make_folder_of(file); !made) return fail(made.error());
    const std::string lock = file.string() + ".lock";
    Descriptor opened(::open(lock.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644));
    struct flock whole {};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    int failed = opened ? 0 : errno;
    while (failed == 0 && ::fcntl(opened.get(), F_OFD_SETLKW, &whole) != 0)
        if (errno != EINTR) failed = errno;
    if (failed != 0)
        return fail(Errc::io_failed, fmt::format("{} cannot be locked: {}; make it and its directory writable", lock,
                                                 std::strerror(failed)));
    return opened;
}

Result<void> write(const Nicknames& names) {
    return write_text(nickname_file(), codec::json_text(to_json(names)) + '\n', Existing::known);
}

} // namespace

Result<Nicknames> read_nicknames() {
    const std::filesystem::path file = nickname_file();
    std::error_code unknown;
    if (!std::filesystem::exists(file, unknown)) return Nicknames();
    const auto text = read_text(file);
    if (!text) return fail(text.error());
    auto names = parse_nicknames(*text);
    if (!names)
        names.error().detail = fmt::format("{}: {}; correct it, or remove it", file.string(), names.error().detail);
    return names;
}

Nicknames nicknames_to_show() {
    return read_nicknames().value_or(Nicknames());
}

Result<Nickname> give_nickname(const AgentChoice& choice, const std::string& medium, const std::string& name) {
    std::string whose = medium;
    std::error_code unknown;
    if (medium.find('/') != std::string::npos || std::filesystem::exists(medium, unknown)) {
        const std::filesystem::path here = std::filesystem::absolute(medium, unknown);
        const std::string path = unknown ? medium : here.string();
        const auto found = ask_agent(
            choice, [&](agent::AgentClient& agent, const agent::HelloReport&) { return agent.identify(path); });
        if (!found) return fail(found.error());
        whose = media::confirmation_of(*found);
    }
    const auto lock = lock_names();
    if (!lock) return fail(lock.error());
    auto names = read_nicknames();
    if (!names) return fail(names.error());
    if (auto given = names->give(whose, name); !given) return fail(given.error());
    if (auto kept = write(*names); !kept) return fail(kept.error());
    return Nickname{whose, name};
}

Result<Nickname> forget_nickname(const std::string& word) {
    const auto lock = lock_names();
    if (!lock) return fail(lock.error());
    auto names = read_nicknames();
    if (!names) return fail(names.error());
    auto gone = names->forget(word);
    if (!gone) return gone;
    if (auto kept = write(*names); !kept) return fail(kept.error());
    return gone;
}

Result<std::string> target_called(const AgentChoice& choice, const std::string& word) {
    std::error_code unknown;
    if (choice.how != "lab")
        if (auto responds = media::check_path_responds(word); !responds) return fail(responds.error());
    if (word.find('/') != std::string::npos || std::filesystem::exists(word, unknown)) return word;
    const auto names = read_nicknames();
    if (!names) return fail(names.error());
    const std::string medium = names->medium_called(word);
    if (medium.empty() || medium.starts_with('/')) return medium.empty() ? word : medium;
    const auto here =
        ask_agent(choice, [](agent::AgentClient& agent, const agent::HelloReport&) { return agent.devices(); });
    if (!here) return fail(here.error());
    std::vector<std::string> nodes;
    for (const media::Medium& each : *here)
        if (media::confirmation_of(each) == medium) nodes.push_back(each.node);
    if (nodes.size() == 1) return nodes.front();
    return fail(Errc::bad_request,
                nodes.empty()
                    ? fmt::format("'{}' is the medium with serial {}, which is not here: plug it in", word, medium)
                    : fmt::format("'{}' is serial {}, which {} and {} both have: name the device by its path", word,
                                  medium, nodes[0], nodes[1]));
}

} // namespace mediarig::app
