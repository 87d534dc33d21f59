// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/lab/image/small_distribution.hpp"

#include <lzma.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "host/base/process/run_process.hpp"
#include "host/lab/image/module_order.hpp"

namespace mediarig::tests {
namespace {

namespace fs = std::filesystem;

constexpr const char* abi = "6.1.0-99-amd64";
constexpr const char* kernel_version = "6.1.999-1";

std::string packed_kernel() {
    const std::string kernel =
        "\x7F"
        "ELF and so on";
    std::string packed(1000, '\0');
    std::size_t size = 0;
    lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, nullptr, reinterpret_cast<const std::uint8_t*>(kernel.data()),
                            kernel.size(), reinterpret_cast<std::uint8_t*>(packed.data()), &size, packed.size());
    return "MZ decompressor" + packed.substr(0, size) + "trailing bytes";
}

std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) names.push_back(entry.path().filename());
    return names;
}

constexpr const char* apt_get = R"sh(echo "apt-get $*" >>HERE/apt.log
case " $* " in
*" indextargets "*) echo 'Debian|bookworm|http://mirror.example/debian/'; exit 0;;
esac
if [ -e HERE/offline ]; then
    echo 'E: Failed to fetch http://mirror.example/debian: no route to host' >&2
    exit 100
fi
case " $* " in
*" download "*)
    for word do
        case $word in *=*) cp HERE/pool/"${word%%=*}_$(echo "${word#*=}" | sed 's/:/%3a/')"_*.deb . || exit 100;; esac
    done;;
esac
)sh";

constexpr const char* apt_cache = R"sh(echo "apt-cache $*" >>HERE/apt.log
case " $* " in
*" show "*) echo 'Package: linux-image-amd64'; echo 'Depends: linux-image-6.1.0-99-amd64 (= 6.1.999-1)';;
*" madison "*)
    while read -r name version suite; do
        case " $* " in *" $name "*) echo " $name | $version | http://mirror.example/debian $suite/main amd64 Packages";; esac
    done <HERE/offered;;
esac
)sh";

// modprobe -d ROOT -S ABI --show-depends NAME
constexpr const char* modprobe = R"sh(if [ -e HERE/hold ]; then
    touch HERE/at-modprobe
    while [ -e HERE/hold ]; do sleep 0.05; done
fi
for file in "$2/lib/modules/$4/kernel/$6.ko" "$2/lib/modules/$4/extra/$6.ko"; do
    [ ! -e "$file" ] || { echo "insmod $file "; exit 0; }
done
echo "modprobe: FATAL: Module $6 not found in directory $2/lib/modules/$4" >&2
exit 1
)sh";

constexpr const char* make = R"sh(for word do
    case $word in M=*) cp /bin/true "${word#M=}/apfs.ko";; esac
done
)sh";

} // namespace

SmallDistribution::SmallDistribution() {
    fs::create_directories(folder_ / "pool");
    write(folder_ / "keyrings/debian-archive-keyring.gpg", "keys");
    fs::copy_file(FAKE_GUEST_AGENT, agent());

    stand_in("apt-get", apt_get);
    stand_in("apt-cache", apt_cache);
    stand_in("modprobe", modprobe);
    stand_in("depmod", "exit 0\n");
    stand_in("make", make);
    stand_in("gcc-12", "echo 'gcc-12 (stand-in) 12.0'\n");
    stand_in("strip", "[ \"$1\" != -o ] || cp \"$4\" \"$2\"\n");

    const std::string program = text_of("/bin/true");
    std::vector<std::pair<std::string, std::string>> kernel{{std::string("boot/vmlinuz-") + abi, packed_kernel()}};
    for (const char* module : lab::wanted_modules())
        kernel.emplace_back(std::string("lib/modules/") + abi + "/kernel/" + module + ".ko", module);
    const std::string security = "bookworm-security";
    package("linux-image-6.1.0-99-amd64", kernel_version, security, kernel);
    package("linux-headers-6.1.0-99-amd64", kernel_version, security,
            {{"usr/src/linux-headers-6.1.0-99-amd64/Makefile",
              "include /usr/src/linux-headers-6.1.0-99-common/Makefile\n"}});
    package("linux-headers-6.1.0-99-common", kernel_version, security,
            {{"usr/src/linux-headers-6.1.0-99-common/Makefile", ""}});
    package("linux-kbuild-6.1", kernel_version, security, {{"usr/lib/linux-kbuild-6.1/x", ""}});
    package("busybox-static", "1:1.35", "bookworm", {{"bin/busybox", program}});
    package("exfatprogs", "1.2", "bookworm", {{"usr/sbin/mkfs.exfat", program}, {"usr/sbin/fsck.exfat", program}});
    package("dosfstools", "4.2", "bookworm", {{"sbin/mkfs.fat", program}, {"sbin/fsck.fat", program}});
    package("fdisk", "2.38", "bookworm", {{"sbin/sfdisk", program}});
    package("smartmontools", "7.3", "bookworm", {{"usr/sbin/smartctl", program}});
    for (const char* library : {"libblkid1", "libfdisk1", "libreadline8", "libsmartcols1", "libtinfo6", "libuuid1",
                                "libstdc++6", "libgcc-s1", "libselinux1", "libpcre2-8-0"})
        package(library, "1", "bookworm", {{std::string("usr/share/doc/") + library + "/copyright", "GPL"}});
    package("apfsprogs", "0.2.0-1", "trixie", {{"sbin/mkapfs", program}, {"sbin/apfsck", program}});
    package("apfs-dkms", "0.3.22-1", "sid", {{"usr/src/linux-apfs-rw-0.3.22/genver.sh", "touch version.h\n"}});
    package("libc6", "2.36", "bookworm",
            {{"lib/x86_64-linux-gnu/libc.so.6", text_of("/lib/x86_64-linux-gnu/libc.so.6")},
             {"lib64/ld-linux-x86-64.so.2", text_of("/lib64/ld-linux-x86-64.so.2")}});
    package("libc-bin", "2.36", "bookworm", {{"usr/lib/locale/C.utf8/LC_CTYPE", "letters"}});
    offer("linux-image-amd64", kernel_version, security);
}

void SmallDistribution::stand_in(const std::string& program, const std::string& script) const {
    std::string text = "#!/bin/sh\n" + script;
    for (std::size_t at = 0; (at = text.find("HERE", at)) != std::string::npos;)
        text.replace(at, 4, folder_.path().string());
    write(folder_ / "stand-ins" / program, text);
    fs::permissions(folder_ / "stand-ins" / program, fs::perms::owner_all);
}

void SmallDistribution::package(const std::string& name, const std::string& version, const std::string& suite,
                                const std::vector<std::pair<std::string, std::string>>& files) const {
    const fs::path content = folder_ / "content" / name;
    for (const auto& [path, text] : files) {
        write(content / path, text);
        fs::permissions(content / path, fs::perms(0755));
    }
    write(content / "DEBIAN/control", "Package: " + name + "\nVersion: " + version +
                                          "\nArchitecture: amd64\nMaintainer: Nobody <nobody@example.org>\n"
                                          "Description: for a test\n");
    std::string in_name = version;
    if (const std::size_t colon = in_name.find(':'); colon != std::string::npos) in_name.replace(colon, 1, "%3a");
    const auto built =
        process::run_process({.program = "dpkg-deb",
                              .arguments = {"--build", "-Znone", "--root-owner-group", content.string(),
                                            (folder_ / "pool" / (name + "_" + in_name + "_amd64.deb")).string()}});
    if (!built || !built->succeeded()) throw std::runtime_error("dpkg-deb cannot build " + name);
    offer(name, version, suite);
}

lab::ImageOptions SmallDistribution::options() const {
    return {.cache = cache(),
            .agent = agent(),
            .search_path = (folder_ / "stand-ins").string() + ":" + process::system_search_path,
            .keyrings = folder_ / "keyrings",
            .free_space_needed = {1}};
}

void SmallDistribution::go_offline() const {
    write(folder_ / "offline", "");
}
void SmallDistribution::go_online() const {
    fs::remove(folder_ / "offline");
}
void SmallDistribution::hold_at_modprobe() const {
    write(folder_ / "hold", "");
}
void SmallDistribution::release() const {
    fs::remove(folder_ / "hold");
}
bool SmallDistribution::reached_modprobe() const {
    return fs::exists(folder_ / "at-modprobe");
}

void SmallDistribution::offer(const std::string& package, const std::string& version, const std::string& suite) const {
    std::ofstream(folder_ / "offered", std::ios::app) << package << ' ' << version << ' ' << suite << '\n';
}

void SmallDistribution::withdraw(const std::string& package) const {
    std::ifstream offered(folder_ / "offered");
    std::string kept;
    for (std::string line; std::getline(offered, line);)
        if (!line.starts_with(package + " ")) kept += line + "\n";
    write(folder_ / "offered", kept);
}

std::string SmallDistribution::tools_without(const std::vector<std::string>& lacking) const {
    const fs::path tools = folder_ / "tools";
    fs::remove_all(tools);
    fs::create_directories(tools);
    const auto link = [&](const fs::path& program) {
        const bool wanted = std::find(lacking.begin(), lacking.end(), program.filename()) == lacking.end();
        if (wanted && !fs::exists(tools / program.filename())) fs::create_symlink(program, tools / program.filename());
    };
    for (const auto& entry : fs::directory_iterator(folder_ / "stand-ins")) link(entry.path());
    for (const char* program :
         {"env", "sh", "dpkg-deb", "tar", "rm", "cp", "cat", "sed", "touch", "sha256sum", "sleep"})
        link(*process::find_program(program));
    return tools.string();
}

std::size_t SmallDistribution::calls_of_apt() const {
    const std::string log = text_of(folder_ / "apt.log");
    return static_cast<std::size_t>(std::count(log.begin(), log.end(), '\n'));
}

std::vector<std::string> SmallDistribution::images() const {
    return names_in(cache() / "images");
}

std::vector<std::string> SmallDistribution::left_work() const {
    auto names = names_in(cache());
    std::erase_if(names, [](const std::string& name) { return !name.starts_with(".building-"); });
    return names;
}

bool Told::says(const std::string& part) const {
    return std::any_of(lines.begin(), lines.end(),
                       [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

} // namespace mediarig::tests
