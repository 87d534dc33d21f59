// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/files/text_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "host/app/files/paths.hpp"
#include "host/base/descriptor.hpp"
#include "host/base/json/json_text.hpp"
#include "host/base/replace_file.hpp"
#include "host/base/text.hpp"
#include "host/store/sqlite/database_file.hpp"

namespace mediarig::app {
namespace {

constexpr unsigned most_of_one_name = 100'000;

struct NewFile {
    std::filesystem::path path;
    Descriptor descriptor; ///< open for writing
};

/// Creates an empty file under an unused name; does not follow links.
Result<NewFile> make_new_file(const std::filesystem::path& folder, std::string_view stem, std::string_view ending) {
    for (unsigned count = 1; count <= most_of_one_name; ++count) {
        std::filesystem::path file =
            folder / (count == 1 ? fmt::format("{}{}", stem, ending) : fmt::format("{}-{}{}", stem, count, ending));
        Descriptor created(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
        if (created) return NewFile{std::move(file), std::move(created)};
        if (errno != EEXIST)
            return fail(Errc::bad_request, fmt::format("{} cannot be written: {}; choose another place", file.string(),
                                                       std::strerror(errno)));
    }
    return fail(Errc::bad_request, fmt::format("{} holds {} files called {}-N{}; remove those that are not needed",
                                               folder.string(), most_of_one_name, stem, ending));
}

/// Reads from the current offset of `opened` to the end.
Result<std::string> read_to_end(int opened, const std::filesystem::path& file) {
    std::string text;
    for (;;) {
        constexpr std::size_t step = 64 * 1024;
        const std::size_t read_so_far = text.size();
        text.resize(read_so_far + step);
        const ssize_t got = ::read(opened, text.data() + read_so_far, step);
        if (got < 0 && errno != EINTR)
            return fail(Errc::bad_request, fmt::format("{} cannot be read to its end: {}; check its disk",
                                                       file.string(), std::strerror(errno)));
        text.resize(read_so_far + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        if (got == 0) return text;
        if (text.size() > largest_text_file.count)
            return fail(Errc::bad_request,
                        fmt::format("{} holds more than {}, too much for a text file; check the name", file.string(),
                                    size_text(largest_text_file)));
    }
}

bool write_all(int out, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(out, text.data(), text.size());
        if (written < 0 && errno != EINTR) return false;
        text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
    }
    return true;
}

/// Kinds of JSON that users write or edit.
constexpr std::array<std::string_view, 5> edited_kinds{"mediarig_plan", "mediarig_profile", "mediarig_rig",
                                                       "mediarig_config", "mediarig_mqtt"};

enum class WrittenBy : std::uint8_t { another, mediarig, user };

/// JSON of mediarig has a member "mediarig_…", or "schema": "mediarig.…". A file of JSON lines is identified by its
/// first line.
WrittenBy writer_of_json(std::string_view text) {
    nlohmann::json whole = codec::read_json(text);
    if (whole.is_discarded()) whole = codec::read_json(text.substr(0, text.find('\n')));
    if (!whole.is_object()) return WrittenBy::another;
    for (const std::string_view kind : edited_kinds)
        if (whole.contains(kind)) return WrittenBy::user;
    const auto schema = whole.find("schema");
    bool ours =
        schema != whole.end() && schema->is_string() && schema->get_ref<const std::string&>().starts_with("mediarig.");
    for (const auto& [key, value] : whole.items()) ours = ours || key.starts_with("mediarig_");
    return ours ? WrittenBy::mediarig : WrittenBy::another;
}

/// The title of a PDF contains the title of mediarig's page: as plain bytes, or in UTF-16BE, plain or hexadecimal (ISO
/// 32000-1, 7.9.2.2).
bool names_mediarig_in_pdf(std::string_view pdf) {
    constexpr std::string_view name = "mediarig";
    std::string wide, hex;
    for (const char c : name) {
        wide += {'\0', c};
        hex += fmt::format("00{:02X}", static_cast<unsigned>(c));
    }
    return pdf.find(name) != pdf.npos || pdf.find(wide) != pdf.npos || pdf.find(hex) != pdf.npos;
}

/// Any JSON file, page or PDF begins like a file of mediarig, but mediarig's files also contain its name. Tables do not
/// contain the name; their first line is compared.
WrittenBy writer_of(const std::filesystem::path& file, char first) {
    if (first != '{' && first != '<' && first != '%') return WrittenBy::mediarig;
    const auto text = read_text(file);
    if (!text) return WrittenBy::another;
    if (first == '{') return writer_of_json(*text);
    const bool ours = first == '<' ? text->find("mediarig") != text->npos : names_mediarig_in_pdf(*text);
    return ours ? WrittenBy::mediarig : WrittenBy::another;
}

/// Checks a file that exists and begins like the text that replaces it.
Result<void> check_writer(const std::filesystem::path& file, char first, Existing existing) {
    if (existing == Existing::kept)
        return fail(Errc::bad_request,
                    fmt::format("{} exists already: name another file, or replace it with --force", file.string()));
    const WrittenBy writer = writer_of(file, first);
    if (writer == WrittenBy::mediarig || (writer == WrittenBy::user && existing == Existing::edited)) return {};
    return fail(
        Errc::bad_request,
        fmt::format("{} exists and {}: it was not changed; choose another name", file.string(),
                    writer == WrittenBy::user ? "is a plan, a profile or a configuration, which may have been edited"
                                              : "does not name mediarig as its writer"));
}

/// Protects a medium or any other file whose name was given by mistake: the existing file must be empty, or begin like
/// the text that replaces it.
Result<void> check_replaceable(const std::filesystem::path& file, std::string_view text, Existing existing) {
    constexpr std::size_t most = 256;
    if (existing == Existing::known) return {};
    const Descriptor old(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!old && errno == ENOENT) return {};
    std::array<char, most> begins{};
    const ssize_t got = old ? ::read(old.get(), begins.data(), std::clamp(text.size(), std::size_t{1}, most)) : -1;
    const auto length = static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    if (got == 0) return {};
    if (got > 0 && text.substr(0, most) == std::string_view(begins.data(), length))
        return check_writer(file, begins.front(), existing);
    return fail(Errc::bad_request,
                fmt::format("{} exists and is not a file that mediarig writes: it was not changed; choose another name",
                            file.string()));
}

} // namespace

std::string_view beginning_of(std::string_view text) {
    constexpr std::size_t of_structure = 4;
    const bool is_table = !text.starts_with('{') && !text.starts_with('<') && !text.starts_with('%');
    const std::size_t line = std::min(text.find('\n'), text.size() - 1) + 1; // length with the line end
    return text.substr(0, is_table ? line : of_structure);
}

Result<void> check_output(const std::filesystem::path& file, std::string_view begins, Existing existing) {
    if (file.empty()) return fail(Errc::bad_request, "the name of the file to write is empty; name a file");
    if (existing != Existing::known)
        if (auto other = check_not_own(file); !other) return other;
    std::error_code unknown;
    const std::filesystem::file_status there = std::filesystem::status(file, unknown);
    if (std::filesystem::is_directory(there))
        return fail(Errc::bad_request, fmt::format("{} is a directory; name a file", file.string()));
    if (std::filesystem::is_block_file(there))
        return fail(Errc::bad_request,
                    fmt::format("{} is a block device, which is not written to; name a file", file.string()));
    if (std::filesystem::exists(there))
        return std::filesystem::is_regular_file(there) ? check_replaceable(file, begins, existing) : Result<void>{};
    if (std::filesystem::is_symlink(std::filesystem::symlink_status(file, unknown)))
        return fail(Errc::bad_request, fmt::format("{} is a dangling link; name a file", file.string()));
    const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
    if (::access(folder.c_str(), W_OK) == 0) return {};
    return fail(Errc::bad_request,
                fmt::format("{} cannot be written: {}; choose another place", file.string(), std::strerror(errno)));
}

bool is_not_text(const std::filesystem::path& file) {
    struct stat there {};
    if (::stat(file.c_str(), &there) != 0) return false;
    if (S_ISBLK(there.st_mode)) return true;
    if (!S_ISREG(there.st_mode)) return false;
    const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    std::array<char, 4096> begins{};
    const ssize_t got = opened ? ::read(opened.get(), begins.data(), begins.size()) : 0;
    return got > 0 && std::find(begins.begin(), begins.begin() + got, '\0') != begins.begin() + got;
}

Result<std::string> read_text(const std::filesystem::path& file) {
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored))
        return fail(Errc::bad_request, fmt::format("{} is a directory; name a file", file.string()));
    // Non-blocking: opening a FIFO without a writer would block forever.
    const int opened = ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (opened < 0)
        return fail(Errc::bad_request,
                    fmt::format("{} cannot be read: {}; check the name", file.string(), std::strerror(errno)));
    ::fcntl(opened, F_SETFL, O_RDONLY);
    auto text = read_to_end(opened, file);
    ::close(opened);
    return text;
}

Result<void> write_text(const std::filesystem::path& file, std::string_view text, Existing existing) {
    return write_text(file, beginning_of(text), existing, [&](const WritePart& write) { return write(text); });
}

Result<void> write_text(const std::filesystem::path& file, std::string_view begins, Existing existing,
                        const std::function<Result<void>(const WritePart& write)>& produce) {
    if (auto possible = check_output(file, begins, existing); !possible) return possible;
    std::error_code unknown;
    const std::filesystem::file_status there = std::filesystem::status(file, unknown);
    // Write directly to a terminal, a pipe or /dev/null; replace a regular file as a whole.
    const bool is_new = !std::filesystem::exists(there);
    const bool stream = !is_new && !std::filesystem::is_regular_file(there);
    // Resolve links: replacing a link such as /dev/stdout would destroy it.
    std::filesystem::path place = file;
    if (std::filesystem::is_symlink(std::filesystem::symlink_status(file, unknown)) && !stream) {
        place = std::filesystem::canonical(file, unknown);
        if (unknown) return fail(Errc::bad_request, fmt::format("{} is a dangling link; name a file", file.string()));
    }
    NewFile out{.path = file, .descriptor = Descriptor()};
    if (stream) {
        // Non-blocking: opening a FIFO without a reader would block forever.
        out.descriptor = Descriptor(::open(file.c_str(), O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
        if (!out.descriptor && errno == ENXIO)
            return fail(Errc::bad_request,
                        fmt::format("{} is a pipe that no program reads; start the reader first", file.string()));
        if (out.descriptor) (void)::fcntl(out.descriptor.get(), F_SETFL, O_WRONLY);
        if (!out.descriptor)
            return fail(Errc::bad_request, fmt::format("{} cannot be written: {}; choose another place", file.string(),
                                                       std::strerror(errno)));
    } else {
        auto made = make_new_file(place.parent_path(), place.filename().string(), ".part");
        if (!made) return fail(made.error());
        out = std::move(*made);
        // The new file keeps the permissions of the replaced file.
        struct stat old {};
        constexpr mode_t rights = 07777;
        if (::stat(file.c_str(), &old) == 0) (void)::fchmod(out.descriptor.get(), old.st_mode & rights);
    }
    const auto failed = [&] {
        return fail(Errc::io_failed, fmt::format("{} cannot be written: {}; free some space or choose another place",
                                                 file.string(), std::strerror(errno)));
    };
    Result<void> written = produce([&](std::string_view part) -> Result<void> {
        return write_all(out.descriptor.get(), part) ? Result<void>{} : failed();
    });
    if (written && is_new) {
        const int failure = rename_to_new(out.path, place);
        errno = failure;
        if (failure == EEXIST)
            written = fail(
                Errc::bad_request,
                fmt::format("{} was created by another program: it was not changed; name another file", file.string()));
        else if (failure != 0)
            written = failed();
    } else if (written && !stream && ::rename(out.path.c_str(), place.c_str()) != 0) {
        written = failed();
    }
    if (!written && !stream) ::unlink(out.path.c_str());
    return written;
}

Result<std::filesystem::path> write_new_text(const std::filesystem::path& folder, std::string_view stem,
                                             std::string_view ending, std::string_view text) {
    auto file = make_new_file(folder, stem, ending);
    if (!file) return fail(file.error());
    if (write_all(file->descriptor.get(), text)) return std::move(file->path);
    const std::string cause = std::strerror(errno);
    ::unlink(file->path.c_str());
    return fail(Errc::io_failed, fmt::format("{} cannot be written: {}; free some space or choose another place",
                                             file->path.string(), cause));
}

namespace {

namespace fs = std::filesystem;

constexpr std::string_view folder_of_sockets = ".sockets";
constexpr std::array<std::string_view, 4> endings_beside_store = {".lock", "-wal", "-shm", "-journal"};

fs::path without(const fs::path& file, std::string_view ending) {
    const std::string name = file.string();
    return name.ends_with(ending) ? fs::path(name.substr(0, name.size() - ending.size())) : fs::path();
}

/// The store that uses this name for its own files; empty if no store does.
fs::path owner_of(const fs::path& file) {
    for (const std::string_view ending : endings_beside_store)
        if (fs::path owner = without(file, ending); store::is_database(owner)) return owner;
    const fs::path folder = file.parent_path();
    if (fs::path owner = without(folder, folder_of_sockets); store::is_database(owner)) return owner;
    if (folder.filename() != device_log_folder(folder).filename()) return {};
    std::error_code unknown;
    for (const fs::directory_entry& each : fs::directory_iterator(folder.parent_path(), unknown))
        if (store::is_database(each.path())) return each.path();
    return {};
}

} // namespace

Result<void> check_not_own(const fs::path& file) {
    std::error_code unknown;
    const fs::path place = fs::weakly_canonical(fs::absolute(file, unknown), unknown);
    if (unknown) return {};
    if (const fs::path store = owner_of(place); !store.empty())
        return fail(Errc::bad_request,
                    fmt::format("{} belongs to the store {}: name another file", file.string(), store.string()));
    const fs::path names = fs::weakly_canonical(nickname_file(), unknown);
    if (!names.empty() && (place == names || place == names.string() + ".lock"))
        return fail(Errc::bad_request,
                    fmt::format("{} is the file of nicknames or its lock file: name another file", file.string()));
    return {};
}

bool names_profile_file(const std::string& word) {
    return word.find_first_of("/.") != std::string::npos;
}

Result<media::Profile> read_profile(const std::string& file) {
    const auto text = read_text(file);
    if (!text) return fail(text.error());
    auto profile = media::profile_from_json(*text);
    if (!profile) return fail(Errc::bad_request, file + ": " + profile.error().detail);
    return profile;
}

} // namespace mediarig::app
