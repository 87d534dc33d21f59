// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/elf_dependencies.hpp"

#include <elf.h>

#include <cstring>
#include <optional>
#include <type_traits>

namespace mediarig::lab {
namespace {

template <class T>
std::optional<T> at(std::string_view bytes, std::uint64_t offset) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

std::optional<std::string> text_at(std::string_view bytes, std::uint64_t offset) {
    if (offset >= bytes.size()) return std::nullopt;
    const std::size_t end = bytes.find('\0', offset);
    if (end == std::string_view::npos) return std::nullopt;
    return std::string(bytes.substr(offset, end - offset));
}

std::optional<std::vector<Elf64_Phdr>> program_headers(std::string_view program, const Elf64_Ehdr& header) {
    std::vector<Elf64_Phdr> found;
    if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phoff > program.size()) return std::nullopt;
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        const auto entry = at<Elf64_Phdr>(program, header.e_phoff + i * sizeof(Elf64_Phdr));
        if (!entry) return std::nullopt;
        found.push_back(*entry);
    }
    return found;
}

/// Returns the file offset of an address in memory.
std::optional<std::uint64_t> offset_of(std::uint64_t address, const std::vector<Elf64_Phdr>& segments) {
    for (const Elf64_Phdr& segment : segments)
        if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
            return segment.p_offset + (address - segment.p_vaddr);
    return std::nullopt;
}

struct Dynamic {
    std::optional<std::uint64_t> strings; ///< address of the string table
    std::vector<std::uint64_t> needed;    ///< offsets in the string table
};

std::optional<Dynamic> dynamic_section(std::string_view program, const Elf64_Phdr& segment) {
    Dynamic dynamic;
    for (std::uint64_t i = 0; i < segment.p_filesz / sizeof(Elf64_Dyn); ++i) {
        const auto entry = at<Elf64_Dyn>(program, segment.p_offset + i * sizeof(Elf64_Dyn));
        if (!entry) return std::nullopt;
        if (entry->d_tag == DT_NULL) break;
        if (entry->d_tag == DT_STRTAB) dynamic.strings = entry->d_un.d_ptr;
        if (entry->d_tag == DT_NEEDED) dynamic.needed.push_back(entry->d_un.d_val);
    }
    return dynamic;
}

auto bad(const char* part) {
    return fail(Errc::bad_format, std::string("ELF: ") + part);
}

} // namespace

Result<ElfDependencies> elf_dependencies(std::string_view program) {
    const auto header = at<Elf64_Ehdr>(program, 0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return bad("magic number");
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_machine != EM_X86_64)
        return bad("not a 64-bit x86 program");
    const auto segments = program_headers(program, *header);
    if (!segments) return bad("program headers");

    ElfDependencies dependencies;
    for (const Elf64_Phdr& segment : *segments) {
        if (segment.p_type == PT_INTERP) {
            auto loader = text_at(program, segment.p_offset);
            if (!loader) return bad("PT_INTERP");
            dependencies.loader = std::move(*loader);
        }
        if (segment.p_type != PT_DYNAMIC) continue;
        const auto dynamic = dynamic_section(program, segment);
        if (!dynamic) return bad("PT_DYNAMIC");
        if (dynamic->needed.empty()) continue;
        const auto strings = dynamic->strings ? offset_of(*dynamic->strings, *segments) : std::nullopt;
        if (!strings) return bad("DT_STRTAB");
        for (const std::uint64_t name : dynamic->needed) {
            auto library = name < program.size() ? text_at(program, *strings + name) : std::nullopt;
            if (!library) return bad("DT_NEEDED");
            dependencies.libraries.push_back(std::move(*library));
        }
    }
    return dependencies;
}

} // namespace mediarig::lab
