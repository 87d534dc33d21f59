// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads the loader and the libraries of a program from its ELF headers. `ldd` would run the program and would report
/// the libraries of this machine. Source of the format: System V ABI, "Program Header" and "Dynamic Section"; 64-bit
/// little-endian only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig::lab {

struct ElfDependencies {
    std::string loader;                 ///< "/lib64/ld-linux-x86-64.so.2"; empty for a static program and for a library
    std::vector<std::string> libraries; ///< DT_NEEDED, in order; empty for a static program
};

/// Validates all input. Fails with bad_format; the detail names the invalid part.
[[nodiscard]] Result<ElfDependencies> elf_dependencies(std::string_view program);

} // namespace mediarig::lab
