// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/board/posix/files.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <string_view>
#include <utility>

namespace mediarig::board {

namespace {

std::string file_failure(const std::string& path) {
    return path + ": " + std::strerror(errno);
}

/// True if a board of any version began this file, or if it is all zero. Files of other programs are neither.
bool holds_memory(int descriptor) {
    firmware::Retained memory{};
    if (::pread(descriptor, &memory, sizeof memory, 0) != static_cast<ssize_t>(sizeof memory)) return false;
    const firmware::Retained blank{};
    return memory.start.intact() || std::memcmp(&memory, &blank, sizeof memory) == 0;
}

constexpr std::array<std::string_view, 7> places{"nowhere", "pocket", "port", "bin", "cup", "lost", "nest"};

} // namespace

tl::expected<RetainedFile, std::string> RetainedFile::open(const std::string& path) {
    RetainedFile file;
    int descriptor = -1;
    int flags = MAP_SHARED;
    if (path.empty()) {
        flags = MAP_PRIVATE | MAP_ANONYMOUS;
    } else {
        descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
        struct stat status {};
        if (descriptor < 0 || ::fstat(descriptor, &status) != 0) return tl::unexpected(file_failure(path));
        file.survived_ = static_cast<std::size_t>(status.st_size) == sizeof(firmware::Retained);
        std::string wrong;
        if (!S_ISREG(status.st_mode) || (status.st_size != 0 && !(file.survived_ && holds_memory(descriptor))))
            wrong = path + " is not the memory of a simulated rig and is not overwritten: name another file";
        else if (!file.survived_ && ::ftruncate(descriptor, static_cast<off_t>(sizeof(firmware::Retained))) != 0)
            wrong = file_failure(path);
        if (!wrong.empty()) {
            ::close(descriptor);
            return tl::unexpected(std::move(wrong));
        }
    }
    void* memory = ::mmap(nullptr, sizeof(firmware::Retained), PROT_READ | PROT_WRITE, flags, descriptor, 0);
    if (descriptor >= 0) ::close(descriptor);
    if (memory == MAP_FAILED) return tl::unexpected(file_failure(path));
    file.memory_ = static_cast<firmware::Retained*>(memory);
    return file;
}

RetainedFile::RetainedFile(RetainedFile&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)), survived_(other.survived_) {}

RetainedFile::~RetainedFile() {
    if (memory_ != nullptr) ::munmap(memory_, sizeof *memory_);
}

tl::expected<std::string, std::string> read_script_file(const std::string& path) {
    constexpr std::size_t longest = 1U << 20U;
    errno = 0;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"), &std::fclose);
    const auto cannot_be_read = [&] {
        return tl::unexpected(path + " cannot be read: " + std::strerror(errno) + "; check the name");
    };
    if (!file) return cannot_be_read();
    std::string text(longest + 1, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file.get()));
    if (std::ferror(file.get()) != 0) return cannot_be_read();
    if (text.size() > longest)
        return tl::unexpected(path + " is longer than 1 MiB and is not a script: check the name");
    return text;
}

tl::expected<bool, std::string> read_cards(const std::string& path, plant::Cards& cards) {
    std::ifstream in(path);
    if (!in) {
        if (errno == ENOENT) return false;
        return tl::unexpected(file_failure(path));
    }
    plant::Cards read;
    std::string line;
    for (unsigned number = 1; std::getline(in, line); ++number) {
        std::istringstream words(line);
        unsigned card{}, index{};
        std::string where;
        bool known = false;
        if (words >> card >> where >> index && card < plant::Cards::count() && index < plant::Cards::count())
            for (std::size_t place = 0; place < places.size(); ++place)
                if (places[place] == where) {
                    auto& found = read[static_cast<std::uint8_t>(card)];
                    found.where = static_cast<plant::Card::CardPlace>(place);
                    found.index = static_cast<std::uint8_t>(index);
                    known = found.where != plant::Card::CardPlace::port || index < firmware::port_count;
                }
        if (!known)
            return tl::unexpected(path + ": line " + std::to_string(number) +
                                  " is not a line such as \"3 port 1\"; remove the file to begin with a full magazine");
    }
    cards = read;
    return true;
}

tl::expected<void, std::string> write_cards(const std::string& path, const plant::Cards& cards) {
    std::ostringstream out;
    for (std::uint8_t card = 0; card < plant::Cards::count(); ++card)
        if (cards[card].where != plant::Card::CardPlace::nowhere)
            out << unsigned{card} << ' ' << places[static_cast<std::size_t>(cards[card].where)] << ' '
                << unsigned{cards[card].index} << '\n';
    const std::string text = out.str(), fresh = path + "." + std::to_string(::getpid());
    // O_EXCL: a file or link that already has this name belongs to another program.
    const int descriptor = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (descriptor < 0) return tl::unexpected(file_failure(fresh));
    const bool written = ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    if (::close(descriptor) == 0 && written && std::rename(fresh.c_str(), path.c_str()) == 0) return {};
    std::string wrong = file_failure(path);
    ::unlink(fresh.c_str());
    return tl::unexpected(std::move(wrong));
}

} // namespace mediarig::board
