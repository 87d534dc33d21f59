// SPDX-License-Identifier: GPL-3.0-or-later

#include <cstdio>

#include "host/base/process/run_process.hpp"
#include "host/lab/image/apt_listing.hpp"
#include "host/lab/image/apt_texts.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::lab;

namespace {

constexpr const char* madison =
    R"( linux-image-amd64 |   7.2.13-1 | http://mirror.example/debian sid/main amd64 Packages
 linux-image-amd64 | 6.1.192-2 | http://mirror.example/debian-security bookworm-security/main amd64 Packages
 linux-image-amd64 | 6.1.176-1 | http://mirror.example/debian bookworm/main amd64 Packages
linux-signed-amd64 | 6.1.176+1 | http://mirror.example/debian bookworm/main Sources
apfs-dkms | 0.3.22-1 | http://mirror.example/debian sid/main amd64 Packages
N: something else
)";

} // namespace

TEST_CASE("the list of versions is parsed in order, without source packages and remarks") {
    const auto all = parse_madison(madison);
    REQUIRE(all.size() == 4);
    CHECK(all[1] == Candidate{"linux-image-amd64", "6.1.192-2", "bookworm-security"});
    CHECK(parse_madison("").empty());
    CHECK(parse_madison("a | b\n|||\n a | b | c\n").empty());
}

TEST_CASE("the newest version in the guest's suites is selected, or exactly the requested one") {
    const auto all = parse_madison(madison);
    CHECK(first_of(all, "linux-image-amd64", {"bookworm", "bookworm-security"})->version == "6.1.192-2");
    CHECK(first_of(all, "linux-image-amd64", {})->version == "7.2.13-1");
    CHECK(first_of(all, "linux-image-amd64", {}, "6.1.176-1")->suite == "bookworm");
    CHECK_FALSE(first_of(all, "linux-image-amd64", {"trixie"}));
    CHECK_FALSE(first_of(all, "linux-image-amd64", {}, "5.10"));
    CHECK_FALSE(first_of(all, "linux-image", {}));
}

TEST_CASE("the kernel's name is read from the dependency of the newest meta package") {
    CHECK(kernel_abi_in("Package: linux-image-amd64\nDepends: linux-image-6.1.0-56-amd64 (= 6.1.192-2)\nSize: 1\n") ==
          "6.1.0-56-amd64");
    CHECK(kernel_abi_in("Depends: x, linux-image-6.12.1-amd64, y\n") == "6.12.1-amd64");
    CHECK_FALSE(kernel_abi_in("Package: linux-image-amd64\nRecommends: linux-image-6.1.0-56-amd64\n"));
    CHECK_FALSE(kernel_abi_in("Depends: linux-image-\n"));
    CHECK_FALSE(kernel_abi_in(""));
}

TEST_CASE("the host's mirror is used for Debian and its security updates") {
    CHECK(mirrors_in("Vendor|stable|http://vendor.example/apt/\n"
                     "Debian|bookworm|http://near.example/debian/\n"
                     "Debian|bookworm-updates|http://far.example/debian/\n"
                     "Debian|bookworm-security|http://near.example/debian-security/\n") ==
          Mirrors{"http://near.example/debian", "http://near.example/debian-security"});
    // apt knows no origin before it has downloaded lists.
    CHECK(mirrors_in("$(ORIGIN)|$(CODENAME)|http://near.example/debian/\n") ==
          Mirrors{"http://near.example/debian", "http://near.example/debian-security"});
}

TEST_CASE("a host without Debian sources has no mirror, and a mirror of the user also gives its security archive") {
    CHECK(mirrors_in("Ubuntu|noble|http://archive.example/ubuntu/\n") == Mirrors{});
    CHECK(mirrors_in("") == Mirrors{});
    CHECK(mirrors_at("http://own.example/debian/") ==
          Mirrors{"http://own.example/debian", "http://own.example/debian-security"});
}

TEST_CASE("apt accepts the configuration, which keeps all files in one folder and runs no hooks") {
    if (!process::find_program("apt-config")) MEDIARIG_SKIP("no apt on this machine");
    const tests::Scratch folder;
    const std::string name = folder.path("with space");
    const std::string file = folder.write("with space/apt.conf", configuration_text(name));
    const auto said = process::run_process({.program = "apt-config", .arguments = {"-c", file, "dump"}});
    REQUIRE(reason(said) == "success");
    CHECK(said->err.empty());
    for (const std::string& line :
         {"Dir::State \"" + name + "\";", "Dir::State::lists \"" + name + "/lists\";",
          "Dir::State::status \"" + name + "/status\";", "Dir::Cache \"" + name + "/cache\";",
          "Dir::Etc::sourcelist \"" + name + "/sources.list\";", std::string("Dir::Etc::sourceparts \"-\";"),
          std::string("APT::Architecture \"amd64\";")}) {
        CAPTURE(line);
        CHECK_THAT("\n" + said->out, ContainsSubstring("\n" + line + "\n"));
    }
    // A cleared list stays as an empty entry; its members would follow two colons.
    CHECK(said->out.find("APT::Update::Post-Invoke::") == std::string::npos);
}

TEST_CASE("the sources name the guest's suite, its security updates and two suites for apfs") {
    CHECK(sources_text({"http://m/debian", "http://s/debian-security"}, "/k.gpg") ==
          "deb [signed-by=/k.gpg] http://m/debian bookworm main\n"
          "deb [signed-by=/k.gpg] http://s/debian-security bookworm-security main\n"
          "deb [signed-by=/k.gpg] http://m/debian trixie main\n"
          "deb [signed-by=/k.gpg] http://m/debian sid main\n");
}
