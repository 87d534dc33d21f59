// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/module_files.hpp"

#include "host/lab/image/build_tool.hpp"
#include "host/lab/image/module_order.hpp"

namespace mediarig::lab {
namespace fs = std::filesystem;

Result<std::vector<std::string>> modules_in_order(const ImageOptions& options, const fs::path& kernel,
                                                  const std::string& abi, const std::vector<std::string>& names) {
    std::error_code failed;
    // Newer versions of depmod and modprobe search usr/lib.
    if (!fs::exists(kernel / "usr/lib", failed)) {
        if (auto made = make_folder(kernel / "usr"); !made) return fail(made.error());
        fs::create_directory_symlink("../lib", kernel / "usr/lib", failed);
    }
    if (auto done =
            run_tool(options, {.program = "depmod", .arguments = {"-b", kernel.string(), abi}, .package = "kmod"});
        !done)
        return fail(done.error());
    std::vector<std::string> order;
    for (const std::string& name : names) {
        const auto said = run_tool(options, {.program = "modprobe",
                                             .arguments = {"-d", kernel.string(), "-S", abi, "--show-depends", name},
                                             .package = "kmod"});
        if (!said) return fail(said.error());
        append_dependencies(order, *said);
    }
    return order;
}

} // namespace mediarig::lab
