// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/claim/scenarios/snapshot.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace mediarig::claim_scenarios {
namespace {

const std::string zeros(block_size, '\0');

void add_differences(std::vector<Range>& ranges, std::uint64_t start, const std::string& then, const std::string& now) {
    constexpr std::uint64_t step = 512;
    for (std::uint64_t at = 0; at < block_size; at += step) {
        if (std::memcmp(then.data() + at, now.data() + at, step) == 0) continue;
        if (!ranges.empty() && ranges.back().end == start + at)
            ranges.back().end += step;
        else
            ranges.push_back({start + at, start + at + step});
    }
}

} // namespace

Blocks read_blocks(int fd) {
    const Descriptor file(::open(("/proc/self/fd/" + std::to_string(fd)).c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) throw std::runtime_error("a file of the scenario cannot be read: " + text_for(errno));
    Blocks blocks;
    std::string chunk(256 * block_size, '\0');
    const off_t size = ::lseek(file.get(), 0, SEEK_END);
    for (off_t at = 0; at < size;) {
        at = ::lseek(file.get(), at, SEEK_DATA);
        if (at < 0) break;
        off_t end = ::lseek(file.get(), at, SEEK_HOLE);
        if (end < 0) end = size;
        at -= at % static_cast<off_t>(block_size);
        while (at < end) {
            const auto want = std::min<std::size_t>(chunk.size(), static_cast<std::size_t>(end - at));
            const ssize_t got = ::pread(file.get(), chunk.data(), want, at);
            if (got <= 0) break;
            for (ssize_t in = 0; in < got; in += static_cast<ssize_t>(block_size)) {
                const auto length = std::min(static_cast<std::size_t>(got - in), static_cast<std::size_t>(block_size));
                if (std::memcmp(chunk.data() + in, zeros.data(), length) == 0) continue;
                std::string block(chunk.data() + in, length);
                block.resize(block_size, '\0');
                blocks[static_cast<std::uint64_t>(at + in) / block_size] = std::move(block);
            }
            at += static_cast<off_t>((static_cast<std::uint64_t>(got) + block_size - 1) / block_size * block_size);
        }
    }
    return blocks;
}

std::vector<Range> difference(const Blocks& then, const Blocks& now) {
    std::vector<Range> ranges;
    auto a = then.begin();
    auto b = now.begin();
    while (a != then.end() || b != now.end()) {
        const bool only_then = b == now.end() || (a != then.end() && a->first < b->first);
        const bool only_now = !only_then && (a == then.end() || b->first < a->first);
        const std::uint64_t index = only_now ? b->first : a->first;
        add_differences(ranges, index * block_size, only_now ? zeros : a->second, only_then ? zeros : b->second);
        if (!only_now) ++a;
        if (!only_then) ++b;
    }
    return ranges;
}

void write_blocks(int fd, std::uint64_t offset, const Blocks& blocks) {
    for (const auto& [index, block] : blocks) {
        const auto at = static_cast<off_t>(offset + index * block_size);
        if (::pwrite(fd, block.data(), block.size(), at) != static_cast<ssize_t>(block.size()))
            throw std::runtime_error("a file of the scenario cannot be written: " + text_for(errno));
    }
}

void cut(Blocks& blocks, std::uint64_t size) {
    blocks.erase(blocks.lower_bound((size + block_size - 1) / block_size), blocks.end());
    const auto last = blocks.find(size / block_size);
    if (last != blocks.end()) std::memset(last->second.data() + size % block_size, 0, block_size - size % block_size);
}

} // namespace mediarig::claim_scenarios
