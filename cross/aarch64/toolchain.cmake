# SPDX-License-Identifier: GPL-3.0-or-later
# 64-bit Arm Linux, with Debian's cross compiler. Programs are static, so that they run under qemu-user without a
# library path.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
find_program(MEDIARIG_QEMU NAMES qemu-aarch64-static qemu-aarch64)
if(MEDIARIG_QEMU)
    set(CMAKE_CROSSCOMPILING_EMULATOR ${MEDIARIG_QEMU})
endif()

# Compiled libraries of that architecture, unpacked by packages.sh; header-only libraries are those of this machine.
get_filename_component(MEDIARIG_TARGET_PACKAGES ${CMAKE_CURRENT_LIST_DIR}/../../build/aarch64-packages ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH ${MEDIARIG_TARGET_PACKAGES})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${MEDIARIG_TARGET_PACKAGES})
set(ENV{PKG_CONFIG_LIBDIR}
    ${MEDIARIG_TARGET_PACKAGES}/usr/lib/aarch64-linux-gnu/pkgconfig:${MEDIARIG_TARGET_PACKAGES}/usr/share/pkgconfig)
# All sources are compiled by one compiler: notes about an interface that changed with GCC 10 do not apply.
set(CMAKE_CXX_FLAGS_INIT -Wno-psabi)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -L${MEDIARIG_TARGET_PACKAGES}/usr/lib/aarch64-linux-gnu")
