// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/lab/scenarios/backing.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string_view>

namespace mediarig::lab {

Snapshot Snapshot::of(const std::string& file) {
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) throw std::runtime_error("cannot open " + file);
    Snapshot made;
    const std::string zeros(block, '\0');
    std::string bytes(block, '\0');
    off_t at = 0;
    while ((at = ::lseek(descriptor, at, SEEK_DATA)) >= 0) {
        const off_t end = ::lseek(descriptor, at, SEEK_HOLE);
        for (at -= at % static_cast<off_t>(block); at < end; at += static_cast<off_t>(block)) {
            const ssize_t got = ::pread(descriptor, bytes.data(), block, at);
            if (got < 0) throw std::runtime_error("cannot read " + file);
            const std::string_view read(bytes.data(), static_cast<std::size_t>(got));
            if (read != std::string_view(zeros).substr(0, read.size()))
                made.blocks_[static_cast<std::uint64_t>(at) / block] = std::hash<std::string_view>{}(read);
        }
    }
    ::close(descriptor);
    return made;
}

std::vector<std::uint64_t> Snapshot::differing(const Snapshot& other) const {
    std::vector<std::uint64_t> found;
    const auto compare = [&](const Snapshot& a, const Snapshot& b) {
        for (const auto& [number, sum] : a.blocks_)
            if (const auto there = b.blocks_.find(number); there == b.blocks_.end() || there->second != sum)
                found.push_back(number);
    };
    compare(*this, other);
    compare(other, *this);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

std::string Snapshot::changed_since(const Snapshot& before) const {
    const auto blocks = differing(before);
    std::string text;
    std::size_t ranges = 0;
    for (std::size_t i = 0; i < blocks.size();) {
        std::size_t end = i + 1;
        while (end < blocks.size() && blocks[end] == blocks[end - 1] + 1) ++end;
        if (++ranges <= 8)
            text += fmt::format("{}{}+{}", text.empty() ? "" : ", ", blocks[i] * block, (end - i) * block);
        i = end;
    }
    return ranges > 8 ? fmt::format("{} and {} more", text, ranges - 8) : text;
}

bool Snapshot::changed_only_in(const Snapshot& before, Bytes start, Bytes length) const {
    const auto blocks = differing(before);
    return std::all_of(blocks.begin(), blocks.end(), [&](std::uint64_t number) {
        return number * block >= start.count && (number + 1) * block <= (start + length).count;
    });
}

void make_backing(const std::string& file, Bytes size, std::uint64_t seed) {
    std::ofstream(file, std::ios::trunc).flush();
    std::filesystem::resize_file(file, size.count);
    if (seed == 0) return;
    std::mt19937_64 random(seed);
    constexpr std::uint64_t piece = 256 << 10;
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    for (const std::uint64_t at : {std::uint64_t{0}, size.count / 2, size.count - piece}) {
        std::array<std::uint64_t, piece / 8> words{};
        std::generate(words.begin(), words.end(), std::ref(random));
        stream.seekp(static_cast<std::streamoff>(at));
        stream.write(reinterpret_cast<const char*>(words.data()), piece);
    }
    if (!stream.flush()) throw std::runtime_error("cannot write " + file);
}

} // namespace mediarig::lab
