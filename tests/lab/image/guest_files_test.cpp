// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/guest_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "host/lab/image/work_folder.hpp"
#include "tests/catch.hpp"
#include "tests/lab/image/small_distribution.hpp"

using namespace mediarig;
using namespace mediarig::lab;
using tests::text_of;
namespace fs = std::filesystem;

namespace {

/// Unpacked packages: a local program with its C library, and a foreign loader.
class Packages {
public:
    Packages() : work_(*make_work_folder(fs::temp_directory_path())) {
        fs::create_directories(unpacked() / "bin");
        fs::create_directories(unpacked() / "lib64");
        fs::create_directories(unpacked() / libraries);
        fs::copy_file("/bin/true", unpacked() / "bin/true");
        fs::copy_file(fs::path("/") / libraries / "libc.so.6", unpacked() / libraries / "libc.so.6");
        fs::copy_file(fs::path("/") / libraries / loader, unpacked() / libraries / loader);
        std::ofstream(unpacked() / libraries / loader, std::ios::app) << own_end;
    }
    [[nodiscard]] fs::path unpacked() const { return work_.path() / "unpacked"; }
    [[nodiscard]] fs::path root() const { return work_.path() / "root"; }
    /// Makes lib64/ld-linux-x86-64.so.2 a link to that path.
    void link_loader(const fs::path& to) const { fs::create_symlink(to, unpacked() / "lib64" / loader); }
    [[nodiscard]] Result<void> install() const { return install_programs(unpacked(), {"true"}, root()); }

    static constexpr const char* libraries = "lib/x86_64-linux-gnu";
    static constexpr const char* loader = "ld-linux-x86-64.so.2";
    static constexpr const char* own_end = "the packages' own";

private:
    TemporaryFolder work_;
};

bool has_true_of_debian() {
    return fs::is_regular_file("/bin/true") && fs::exists(fs::path("/") / Packages::libraries / "libc.so.6");
}

} // namespace

TEST_CASE("the guest's loader comes from its packages, not from the host through a link") {
    if (!has_true_of_debian()) MEDIARIG_SKIP("needs a Debian for x86-64");
    for (const fs::path& link : {fs::path("/") / Packages::libraries / Packages::loader,
                                 fs::path("..") / Packages::libraries / Packages::loader}) {
        CAPTURE(link.string());
        const Packages packages;
        packages.link_loader(link);
        REQUIRE(reason(packages.install()) == "success");
        CHECK(text_of(packages.root() / "lib64" / Packages::loader).ends_with(Packages::own_end));
        CHECK(text_of(packages.root() / "bin/true") == text_of("/bin/true"));
        CHECK(fs::is_regular_file(packages.root() / Packages::libraries / "libc.so.6"));
    }
}

TEST_CASE("a package link that leads outside, nowhere or to itself is not a file of the guest") {
    if (!has_true_of_debian()) MEDIARIG_SKIP("needs a Debian for x86-64");
    for (const char* link : {"../../../../../../../bin/true", "/bin/none", "ld-linux-x86-64.so.2", "/lib", "/"}) {
        CAPTURE(link);
        const Packages packages;
        packages.link_loader(link);
        CHECK(reason(packages.install()) == "none of the guest's packages has /lib64/ld-linux-x86-64.so.2");
    }
}
