// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/payload/pattern.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace mediarig::workload::detail {

#if defined(__x86_64__)
namespace {

// Processes eight cells at once: an AESENC takes 4 cycles and one or two start in each cycle, so fewer lanes would
// leave the unit idle.
constexpr std::size_t lanes = 8;
constexpr std::size_t stride = lanes * Pattern::cell_size;
static_assert(Pattern::sector_size % stride == 0);

#define MEDIARIG_AES_TARGET __attribute__((target("aes,sse4.1")))

struct Registers {
    __m128i whitening, first, second, step;
    __m128i counter[lanes];
};

MEDIARIG_AES_TARGET inline __m128i load(const Pattern::Block& block) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(block.data()));
}

MEDIARIG_AES_TARGET inline Registers start(const Pattern::Keys& keys, std::uint64_t offset) {
    Registers r;
    r.whitening = load(keys.whitening);
    r.first = load(keys.first);
    r.second = load(keys.second);
    const auto high = static_cast<std::uint64_t>(keys.tag) << 32 | keys.generation;
    const std::uint64_t index = offset / Pattern::cell_size;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::uint64_t low = (index + lane) * keys.spread;
        r.counter[lane] = _mm_set_epi64x(static_cast<long long>(high), static_cast<long long>(low));
    }
    const std::uint64_t step = lanes * keys.spread;
    r.step = _mm_set_epi64x(0, static_cast<long long>(step));
    return r;
}

/// Computes the cells of the next `stride` bytes and advances the counters.
MEDIARIG_AES_TARGET inline void next(Registers& r, __m128i (&cells)[lanes]) {
#pragma GCC unroll 8
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        cells[lane] = _mm_aesenc_si128(_mm_xor_si128(r.counter[lane], r.whitening), r.first);
        r.counter[lane] = _mm_add_epi64(r.counter[lane], r.step);
    }
#pragma GCC unroll 8
    for (std::size_t lane = 0; lane < lanes; ++lane) cells[lane] = _mm_aesenc_si128(cells[lane], r.second);
}

MEDIARIG_AES_TARGET void fill(const Pattern::Keys& keys, std::span<std::byte> buffer, std::uint64_t offset) {
    Registers r = start(keys, offset);
    __m128i cells[lanes];
    auto* out = reinterpret_cast<__m128i*>(buffer.data());
    for (std::size_t left = buffer.size() / stride; left > 0; --left, out += lanes) {
        next(r, cells);
#pragma GCC unroll 8
        for (std::size_t lane = 0; lane < lanes; ++lane) _mm_storeu_si128(out + lane, cells[lane]);
    }
}

MEDIARIG_AES_TARGET bool matches(const Pattern::Keys& keys, std::span<const std::byte> buffer, std::uint64_t offset) {
    Registers r = start(keys, offset);
    __m128i cells[lanes];
    __m128i wrong = _mm_setzero_si128();
    const auto* in = reinterpret_cast<const __m128i*>(buffer.data());
    for (std::size_t left = buffer.size() / stride; left > 0; --left, in += lanes) {
        next(r, cells);
#pragma GCC unroll 8
        for (std::size_t lane = 0; lane < lanes; ++lane)
            wrong = _mm_or_si128(wrong, _mm_xor_si128(cells[lane], _mm_loadu_si128(in + lane)));
    }
    return _mm_testz_si128(wrong, wrong) != 0;
}

MEDIARIG_AES_TARGET Pattern::Block decode(const Pattern::Keys& keys,
                                          std::span<const std::byte, Pattern::cell_size> cell) {
    __m128i state = _mm_loadu_si128(reinterpret_cast<const __m128i*>(cell.data()));
    for (const Pattern::Block* key : {&keys.second, &keys.first})
        // AESIMC is InvMixColumns; AESDECLAST without a key is InvShiftRows and InvSubBytes.
        state = _mm_aesdeclast_si128(_mm_aesimc_si128(_mm_xor_si128(state, load(*key))), _mm_setzero_si128());
    state = _mm_xor_si128(state, load(keys.whitening));
    Pattern::Block block;
    _mm_storeu_si128(reinterpret_cast<__m128i*>(block.data()), state);
    return block;
}

#undef MEDIARIG_AES_TARGET

} // namespace

const PatternCode aes_code{fill, matches, decode};
bool aes_instructions_present() {
    return __builtin_cpu_supports("aes") && __builtin_cpu_supports("sse4.1");
}

#else

const PatternCode aes_code{nullptr, nullptr, nullptr};
bool aes_instructions_present() {
    return false;
}

#endif

} // namespace mediarig::workload::detail
