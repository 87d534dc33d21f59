// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/uml_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <thread>

#include "common/fnv1a.hpp"
#include "host/lab/image/apfs_module.hpp"
#include "host/lab/image/build_tool.hpp"
#include "host/lab/image/packages.hpp"
#include "host/lab/image/uml_config.hpp"
#include "host/lab/image/work_folder.hpp"

namespace mediarig::lab {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// Version of this recipe: increase it whenever the same sources give another kernel.
constexpr int uml_recipe = 1;
/// The unpacked part of the sources, the objects and the program.
constexpr Bytes space_for_build{1'800'000'000};
constexpr const char* kernel_compiler = "gcc";

/// Folders with sources that this kernel does not need. Their Kconfig files and makefiles are needed.
constexpr std::array unneeded_sources{
    "sound",         "drivers/gpu",    "drivers/net/*", "drivers/media",   "drivers/staging", "drivers/infiniband",
    "drivers/iio",   "drivers/scsi",   "drivers/clk",   "drivers/pinctrl", "drivers/usb",     "drivers/hwmon",
    "arch/alpha",    "arch/arc",       "arch/arm",      "arch/arm64",      "arch/csky",       "arch/hexagon",
    "arch/ia64",     "arch/loongarch", "arch/m68k",     "arch/microblaze", "arch/mips",       "arch/nios2",
    "arch/openrisc", "arch/parisc",    "arch/powerpc",  "arch/riscv",      "arch/s390",       "arch/sh",
    "arch/sparc",    "arch/xtensa"};
/// Files that no kernel needs, and the descriptions of boards of other processors.
constexpr std::array unneeded_files{"*/Documentation/*.rst",   "*/Documentation/*.yaml",  "*/Documentation/*.txt",
                                    "*/Documentation/*.svg",   "*/tools/testing/*",       "*/tools/perf/*",
                                    "*/arch/*/boot/dts/*.dts", "*/arch/*/boot/dts/*.dtsi"};

/// In the order of the build.
struct BuildPart {
    const char* target;
    const char* text;
};
constexpr std::array build_parts{
    BuildPart{"prepare", "preparing"}, BuildPart{"kernel/", "core"},       BuildPart{"mm/", "memory"},
    BuildPart{"fs/", "file systems"},  BuildPart{"block/", "block layer"}, BuildPart{"lib/", "library"},
    BuildPart{"net/", "sockets"},      BuildPart{"drivers/", "drivers"},   BuildPart{"linux", "the rest, and linking"}};

Result<void> check_kernel_tools(const ImageOptions& options) {
    constexpr std::array<std::pair<const char*, const char*>, 9> needed{{{"flex", "flex"},
                                                                         {"bison", "bison"},
                                                                         {"bc", "bc"},
                                                                         {kernel_compiler, "gcc"},
                                                                         {"make", "make"},
                                                                         {"ld", "binutils"},
                                                                         {"strip", "binutils"},
                                                                         {"tar", "tar"},
                                                                         {"xz", "xz-utils"}}};
    for (const auto& [program, package] : needed)
        if (!has_tool(options, program))
            return fail(Errc::no_driver, fmt::format("building the kernel for virtual time needs {}: install the "
                                                     "package {}, or build only the other machine (--qemu)",
                                                     program, package));
    return {};
}

/// Adds the alternative to an error of the build.
Error with_alternative(Error error) {
    if (error.code != Errc::cancelled)
        error.detail += "; the lab's other machine needs no such build (mediarig lab build --qemu)";
    return error;
}

struct Sources {
    const Package* kernel{};
    const Package* apfs{}; ///< null for a kernel without apfs
};

Result<Sources> sources_in(const Selection& selection) {
    const Sources sources{find(selection, PackageUse::kernel_source), find(selection, PackageUse::apfs_module)};
    if (sources.kernel != nullptr) return sources;
    return fail(Errc::no_driver,
                "the selected packages contain no kernel source: build with --update, which needs the network");
}

std::string key_of(const Sources& sources) {
    const std::string apfs = sources.apfs == nullptr ? "no-apfs" : "apfs-" + sources.apfs->version;
    const auto hash = fnv1a<std::uint64_t>(fmt::format("{}\n{}", uml_recipe, uml_config()));
    return fmt::format("{}_{}_{:016x}", sources.kernel->version, apfs, hash);
}

std::optional<UmlKernel> kernel_at(const fs::path& folder) {
    const auto compiler = read_file(folder / "compiler");
    std::error_code missing;
    if (!compiler || !fs::is_regular_file(folder / "linux", missing)) return std::nullopt;
    return UmlKernel{folder / "linux", folder.filename().string(), *compiler};
}

/// Changes one text file; fails with bad_format if `change` returns an empty text.
template <class Change>
Result<void> edit(const fs::path& file, Change change) {
    auto text = read_file(file);
    if (!text) return fail(text.error());
    const std::string changed = change(std::move(*text));
    if (changed.empty())
        return fail(Errc::bad_format, fmt::format("the source file {} does not have the expected form", file.string()));
    return write_file(file, changed);
}

class KernelBuild {
public:
    KernelBuild(const ImageOptions& options, const Sources& sources, const Progress& progress, fs::path work)
        : options_(options), sources_(sources), progress_(progress), work_(std::move(work)) {}

    Result<void> run(const fs::path& place) {
        if (auto done = unpack_kernel(); !done) return done;
        if (auto done = add_apfs(); !done) return done;
        if (auto done = edit(tree_ / "arch/um/os-Linux/skas/process.c", with_kill_at_exit); !done) return done;
        if (auto done = edit(tree_ / "arch/um/drivers/line.c", with_timed_lines); !done) return done;
        if (auto done = edit(tree_ / "arch/um/drivers/ssl.c", without_throttle); !done) return done;
        if (auto done = configure(); !done) return done;
        if (auto done = compile(); !done) return done;
        return finish(place);
    }

private:
    Result<void> call(const std::string& program, std::vector<std::string> arguments, const fs::path& folder,
                      std::chrono::seconds limit = 600s) {
        const auto done = run_tool(
            options_, {.program = program, .arguments = std::move(arguments), .folder = folder, .time_limit = limit});
        if (!done) return fail(done.error());
        return {};
    }

    Result<void> unpack_kernel() {
        progress_(fmt::format("unpacking the sources of kernel {}", sources_.kernel->version));
        if (auto done = unpack(options_, *sources_.kernel, work_ / "package"); !done) return done;
        std::error_code ignored;
        fs::path archive;
        for (const auto& entry : fs::directory_iterator(work_ / "package/usr/src", ignored))
            if (entry.path().filename().string().starts_with("linux-source-") && entry.is_regular_file())
                archive = entry.path();
        if (archive.empty()) return fail(Errc::bad_format, "the package of the kernel source contains no archive");
        tree_ = work_ / "tree";
        if (auto made = make_folder(tree_); !made) return made;
        std::vector<std::string> arguments{"-xf", archive.string(), "--strip-components=1"};
        for (const char* pattern : unneeded_files) arguments.push_back(std::string("--exclude=") + pattern);
        for (const char* folder : unneeded_sources) arguments.push_back(fmt::format("--exclude=*/{}/*.[chS]", folder));
        if (auto done = call("tar", std::move(arguments), tree_, 1800s); !done) return done;
        fs::remove(archive, ignored);
        return {};
    }

    Result<void> add_apfs() {
        if (sources_.apfs == nullptr) return {};
        if (auto done = unpack(options_, *sources_.apfs, work_ / "apfs"); !done) return done;
        const auto source = apfs_source(work_ / "apfs");
        if (!source) return fail(source.error());
        std::error_code failed;
        fs::copy(*source, tree_ / "fs/apfs", fs::copy_options::recursive, failed);
        if (failed) return fail(Errc::io_failed, "cannot copy the sources of apfs: " + failed.message());
        if (auto done = call("sh", {"genver.sh"}, tree_ / "fs/apfs"); !done) return done;
        const auto built_in = [](std::string text) {
            const std::size_t at = text.find("obj-m = apfs.o");
            return at == std::string::npos ? std::string() : text.replace(at, 5, "obj-y");
        };
        if (auto done = edit(tree_ / "fs/apfs/Makefile", built_in); !done) return done;
        return edit(tree_ / "fs/Makefile", [](std::string text) { return text + "obj-y += apfs/\n"; });
    }

    Result<void> make(std::vector<std::string> arguments, std::chrono::seconds limit) {
        arguments.insert(arguments.begin(), {"-s", "ARCH=um"});
        return call("make", std::move(arguments), tree_, limit);
    }

    Result<void> configure() {
        progress_("configuring the kernel for virtual time");
        if (auto done = write_file(work_ / "config", uml_config()); !done) return done;
        const std::string ours = "KCONFIG_ALLCONFIG=" + (work_ / "config").string();
        if (auto done = make({ours, "allnoconfig"}, 600s); !done) return done;
        const auto config = read_file(tree_ / ".config");
        if (!config) return fail(config.error());
        const auto lost = lost_options(*config);
        if (lost.empty()) return {};
        return fail(Errc::bad_format,
                    fmt::format("kernel {} does not accept {}", sources_.kernel->version, lost.front()));
    }

    Result<void> compile() {
        const std::string parallel = fmt::format("-j{}", std::max(1U, std::thread::hardware_concurrency()));
        for (std::size_t i = 0; i < build_parts.size(); ++i) {
            progress_(fmt::format("building the kernel for virtual time, part {} of {}: {}", i + 1, build_parts.size(),
                                  build_parts.at(i).text));
            if (auto done = make({parallel, build_parts.at(i).target}, 3600s); !done) return done;
        }
        return {};
    }

    Result<void> finish(const fs::path& place) {
        const auto version = run_tool(options_, {.program = kernel_compiler, .arguments = {"--version"}});
        if (!version) return fail(version.error());
        const fs::path result = work_ / "result";
        if (auto made = make_folder(result); !made) return made;
        if (auto done = call("strip", {"-o", (result / "linux").string(), "linux"}, tree_); !done) return done;
        if (auto done = write_file(result / "compiler", version->substr(0, version->find('\n'))); !done) return done;
        return publish(result, place);
    }

    const ImageOptions& options_;
    Sources sources_;
    const Progress& progress_;
    fs::path work_, tree_;
};

fs::path place_of_kernel(const ImageOptions& options, const Sources& sources) {
    return options.cache / "uml" / key_of(sources);
}

} // namespace

std::optional<UmlKernel> standing_uml_kernel(const ImageOptions& options, const Selection& selection) {
    const auto sources = sources_in(selection);
    return sources ? kernel_at(place_of_kernel(options, *sources)) : std::nullopt;
}

Result<UmlKernel> uml_kernel(const ImageOptions& options, const Selection& selection, const Progress& progress) {
    const auto sources = sources_in(selection);
    if (!sources) return fail(with_alternative(sources.error()));
    const fs::path place = place_of_kernel(options, *sources);
    if (auto standing = kernel_at(place)) return std::move(*standing);
    if (auto tools = check_kernel_tools(options); !tools) return fail(tools.error());
    ImageOptions roomy = options;
    roomy.free_space_needed = std::max(roomy.free_space_needed, space_for_build);
    if (auto space = check_free_space(roomy); !space) return fail(with_alternative(space.error()));
    if (auto fetched = fetch_kernel_source(options, selection, progress); !fetched)
        return fail(with_alternative(fetched.error()));
    auto work = make_work_folder(options.cache);
    if (!work) return fail(work.error());
    if (auto built = KernelBuild(options, *sources, progress, work->path()).run(place); !built)
        return fail(with_alternative(built.error()));
    keep_newest(place.parent_path(), 2);
    auto kernel = kernel_at(place);
    if (!kernel) return fail(Errc::io_failed, fmt::format("{} is incomplete after it was written", place.string()));
    return std::move(*kernel);
}

} // namespace mediarig::lab
