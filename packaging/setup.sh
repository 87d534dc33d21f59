# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by ./run: the packages of each command, their installation, and tools that are fetched into build/ instead of being installed.

# Each word is a package, or alternatives: the first one that the distribution has is installed.
build_packages="g++ cmake help2man python3 ninja-build pkg-config ccache mold git libboost1.81-dev|libboost-dev libfmt-dev libspdlog-dev
    catch2 nlohmann-json3-dev libcli11-dev libexpected-dev libsoci-dev libsqlite3-dev liburing-dev libudev-dev libblkid-dev uuid-dev zlib1g-dev liblzma-dev libmd-dev libutf8proc-dev libseccomp-dev libmosquitto-dev nbdkit-plugin-dev
    libumockdev-dev"
use_packages="smartmontools exfatprogs dosfstools fdisk exfat-fuse fuse3 apfsprogs util-linux mount kmod nbdkit libnbd-bin"
# The lab fetches the packages of its guest itself and does not install them.
lab_packages="qemu-system-x86 qemu-utils nbdkit kmod gcc gcc-12 make binutils flex bison bc xz-utils debian-archive-keyring"
# Only the window and its tests need these.
window_packages="qt6-base-dev qt6-tools-dev qt6-l10n-tools"
window_test_packages="xvfb xauth x11-utils fonts-dejavu-core"
# Compiler and emulator for the agent on 64-bit Arm. cross_libraries fetches its libraries.
cross_packages="g++-aarch64-linux-gnu qemu-user-static|qemu-user"
# Compiler and emulator for the rig's firmware image.
rig_packages="gcc-arm-none-eabi libstdc++-arm-none-eabi-newlib libnewlib-dev nodejs"
# Simulator of the rig's circuits.
hw_packages="ngspice"
# Programs that check and draw the printed parts.
mechanics_packages="openscad admesh xvfb xauth python3-venv fonts-dejavu-core"
test_packages="udev python3-jsonschema fio f3 ioping sysbench bonnie++ strace valgrind chromium poppler-utils sleuthkit e2fsprogs cryptsetup-bin umockdev
    openssl ntfs-3g uhubctl man-db groff-base sqlite3 lsof erofs-utils btrfs-progs xfsprogs procps cpio python3-libnbd libfshfs-utils libfsapfs-utils gdisk faketime p7zip-full|7zip testdisk acpica-tools sudo libxml2-utils"
package_packages="dpkg-dev file gzip"
lint_packages="clang-format clang-tidy"
fuzz_packages="clang libclang-rt-14-dev|libclang-rt-dev dosfstools exfatprogs gdisk"

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}
installed() { dpkg-query -W -f '${db:Status-Abbrev}\n' "$1" 2>/dev/null | grep -q '^ii'; }
# apt also knows the names of packages that others only mention; those have no candidate.
available() { [[ $(LC_ALL=C apt-cache policy "$1" 2>/dev/null) == *'Candidate: '[!'(']* ]]; }

# install WORD…: quick, and without output if nothing is missing.
install() {
    local word choice missing=() updated=no found
    for word in "$@"; do
        found=no
        for choice in ${word//|/ }; do
            if installed "$choice"; then found=yes; break; fi
        done
        [ "$found" = yes ] || missing+=("$word")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    command -v apt-get >/dev/null || die "these packages are missing and there is no apt-get: ${missing[*]}"
    say "installing: ${missing[*]}"
    local chosen=()
    for word in "${missing[@]}"; do
        for choice in ${word//|/ }; do
            # A new machine may have no package lists.
            if [ "$updated" = no ] && ! available "$choice"; then
                as_root apt-get update -qq
                updated=yes
            fi
            if available "$choice"; then chosen+=("$choice"); continue 2; fi
        done
        die "no package for '$word' in this distribution's lists"
    done
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${chosen[@]}" >/dev/null ||
        { as_root apt-get update -qq
          as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${chosen[@]}" >/dev/null; }
}

# The emulator of the rig's board, fetched once per version of its lock file.
emulator() {
    local folder=firmware/harness
    command -v npm >/dev/null || install npm
    [ "$folder/node_modules/.package-lock.json" -nt "$folder/package-lock.json" ] && return 0
    say "fetching the emulator of the rig's board"
    (cd "$folder" && npm ci --no-audit --no-fund --silent) ||
        say "npm cannot fetch the emulator: its tests will be skipped"
}

# The Python packages that check the printed parts, in a virtual environment.
mechanics() {
    local folder=build/mechanics wanted=hw/mechanics/requirements.txt
    cmp -s "$wanted" "$folder/requirements.txt" && return 0
    say "fetching the checks of the printed parts"
    mkdir -p "$folder"
    if python3 -m venv "$folder/venv" && "$folder/venv/bin/pip" install --quiet --disable-pip-version-check -r "$wanted"; then
        cp "$wanted" "$folder/requirements.txt"
    else
        say "pip cannot fetch them: their tests will be skipped"
    fi
}

# The MQTT broker of the tests. It is not installed, because its package would start it as a service.
broker() {
    local folder=build/broker
    [ -x "$folder/usr/sbin/mosquitto" ] || installed mosquitto && return 0
    say "fetching the MQTT broker of the tests"
    mkdir -p "$folder"
    if (cd "$folder" && apt-get download -qq mosquitto) && dpkg-deb -x "$folder"/mosquitto_*.deb "$folder"; then
        # Install only its libraries, not its other dependencies.
        install $(dpkg-deb -f "$folder"/mosquitto_*.deb Depends | tr ',' '\n' | sed -n 's/^ *\(lib[^ ]*\).*/\1/p')
    else
        say "apt cannot fetch mosquitto: the tests of plugs at a broker will be skipped"
    fi
}

# The libraries for 64-bit Arm, fetched once per version of their list.
cross_libraries() {
    [ -f build/aarch64-packages/complete ] || say "fetching the libraries of the agent for aarch64"
    mkdir -p build
    cross/aarch64/packages.sh build/aarch64-packages >build/aarch64-packages.log 2>&1 ||
        say "the libraries for aarch64 cannot be fetched (build/aarch64-packages.log): the agent is not tested for it"
}

# An independent reader of KiCad netlists, in a virtual environment. Without it ./run hw omits one comparison.
netlist_reader() {
    local folder=build/hw-venv
    [ -x "$folder/bin/python3" ] && "$folder/bin/python3" -c 'import kinparse' 2>/dev/null && return 0
    install python3-venv
    say "fetching a reader of netlists"
    python3 -m venv "$folder" && "$folder/bin/python3" -m pip install --quiet "kinparse==1.2.4" >/dev/null
}
