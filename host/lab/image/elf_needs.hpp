// SPDX-License-Identifier: GPL-3.0-or-later
/// Which loader and libraries a program asks for, read from the program itself: `ldd` would run it, and would answer
/// with the libraries of this machine.
/// Source of the format: System V ABI, "Program Header" and "Dynamic Section"; 64-bit little-endian only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig::lab {

struct ElfNeeds {
    std::string loader;                 ///< "/lib64/ld-linux-x86-64.so.2"; empty for a static program and for a library
    std::vector<std::string> libraries; ///< DT_NEEDED, in order; empty for a static program
};

/// Trusts no byte. Fails with bad_format, naming the part that does not fit.
[[nodiscard]] Result<ElfNeeds> elf_needs(std::string_view program);

} // namespace mediarig::lab
