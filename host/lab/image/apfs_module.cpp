// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/apfs_module.hpp"

#include <fmt/format.h>

#include "host/lab/image/build_tool.hpp"
#include "host/lab/image/packages.hpp"
#include "host/lab/image/work_folder.hpp"

namespace mediarig::lab {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// Compiler with which Debian 12 builds its kernels; the headers require this name.
constexpr const char* compiler_program = "gcc-12";

Result<void> check_tools(const ImageOptions& options) {
    const std::pair<const char*, const char*> needed[] = {
        {compiler_program, "gcc-12"}, {"make", "make"}, {"strip", "binutils"}};
    for (const auto& [program, package] : needed)
        if (!has_tool(options, program))
            return fail(Errc::no_driver,
                        fmt::format("building the apfs module needs {}, which this machine lacks: install "
                                    "the package {} and build again",
                                    program, package));
    return {};
}

/// The package's Makefile includes a file under /usr/src, where nothing is installed.
Result<void> point_to_own_headers(const fs::path& headers, const fs::path& unpacked) {
    auto text = read_file(headers / "Makefile");
    if (!text) return fail(text.error());
    constexpr std::string_view installed = "include /usr/src/";
    if (!text->starts_with(installed))
        return fail(Errc::bad_format, "the Makefile of the kernel headers is not the expected single line");
    text->replace(0, installed.size(), "include " + (unpacked / "usr/src").string() + "/");
    return write_file(headers / "Makefile", *text);
}

Result<void> compile(const ImageOptions& options, const fs::path& headers, const fs::path& source) {
    const ToolCall calls[] = {
        // dkms runs this script before the build: it writes version.h.
        {.program = "sh", .arguments = {"genver.sh"}, .folder = source, .package = "dash"},
        {.program = "make",
         .arguments = {"-j2", "-C", headers.string(), "M=" + source.string(), "modules"},
         .folder = source,
         .package = "make",
         .time_limit = 1200s},
        {.program = "strip", .arguments = {"--strip-debug", "apfs.ko"}, .folder = source, .package = "binutils"},
    };
    for (const ToolCall& call : calls)
        if (auto done = run_tool(options, call); !done) return fail(done.error());
    return {};
}

Result<void> build(const ImageOptions& options, const Selection& selection, const fs::path& work,
                   const fs::path& place) {
    const fs::path kernel = work / "kernel", source = work / "source";
    for (const Package& package : selection.packages) {
        if (package.use != PackageUse::headers && package.use != PackageUse::apfs_module) continue;
        if (auto done = unpack(options, package, package.use == PackageUse::headers ? kernel : source); !done)
            return done;
    }
    const fs::path headers = kernel / "usr/src" / ("linux-headers-" + selection.kernel_abi);
    if (auto done = point_to_own_headers(headers, kernel); !done) return done;
    const auto folder = apfs_source(source);
    if (!folder) return fail(folder.error());
    if (auto done = compile(options, headers, *folder); !done) return done;

    const auto version =
        run_tool(options, {.program = compiler_program, .arguments = {"--version"}, .package = "gcc-12"});
    if (!version) return fail(version.error());
    const fs::path result = work / "result";
    if (auto made = make_folder(result); !made) return made;
    if (auto done = write_file(result / "compiler", version->substr(0, version->find('\n'))); !done) return done;
    std::error_code failed;
    fs::copy_file(*folder / "apfs.ko", result / "apfs.ko", failed);
    if (failed) return fail(Errc::io_failed, "the build produced no apfs.ko: " + failed.message());
    return publish(result, place);
}

} // namespace

Result<fs::path> apfs_source(const fs::path& unpacked) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(unpacked / "usr/src", ignored))
        if (entry.path().filename().string().starts_with("linux-apfs-rw-")) return entry.path();
    return fail(Errc::bad_format, "the package apfs-dkms contains no usr/src/linux-apfs-rw-*");
}

Result<ApfsModule> apfs_module(const ImageOptions& options, const Selection& selection, const Progress& progress) {
    const Package* package = find(selection, PackageUse::apfs_module);
    const Package* kernel = find(selection, PackageUse::kernel);
    if (package == nullptr || kernel == nullptr || !offers_apfs(selection))
        return fail(Errc::no_driver,
                    "the packages for apfs could not be fetched; build with the newest versions to try again");
    const fs::path place = options.cache / "modules" /
                           fmt::format("{}_{}_apfs-{}", selection.kernel_abi, kernel->version, package->version);
    std::error_code ignored;
    if (!fs::is_regular_file(place / "apfs.ko", ignored)) {
        if (auto tools = check_tools(options); !tools) return fail(tools.error());
        progress(fmt::format("building the apfs module {} for kernel {}", package->version, selection.kernel_abi));
        auto work = make_work_folder(options.cache);
        if (!work) return fail(work.error());
        if (auto built = build(options, selection, work->path(), place); !built) return fail(built.error());
    }
    auto compiler = read_file(place / "compiler");
    if (!compiler) return fail(compiler.error());
    return ApfsModule{place / "apfs.ko", std::move(*compiler)};
}

} // namespace mediarig::lab
