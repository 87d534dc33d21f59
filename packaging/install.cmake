# SPDX-License-Identifier: GPL-3.0-or-later
# Files of `cmake --install` in three components, and the Debian packages made from them.
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(packaging ${PROJECT_SOURCE_DIR}/packaging)
# Each installation empties it: an installation as root leaves no files of root in the build tree.
set(scratch ${PROJECT_BINARY_DIR}/packaging)
file(MAKE_DIRECTORY ${scratch})

# install_compressed(FILE FOLDER NAME COMPONENT): as FOLDER/NAME.gz, without a time stamp.
function(install_compressed file folder name component)
    install(CODE "
        execute_process(COMMAND gzip -9nc \"${file}\" OUTPUT_FILE \"${scratch}/${name}.gz\" COMMAND_ERROR_IS_FATAL ANY)
        file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${folder}\" TYPE FILE FILES \"${scratch}/${name}.gz\")
        file(REMOVE \"${scratch}/${name}.gz\")"
        COMPONENT ${component})
endfunction()

# install_rule(NAME FOLDER COMPONENT): a file of packaging/ that names the agent in /usr/bin, with the path of the
# prefix.
function(install_rule name folder component)
    install(CODE "
        file(READ \"${packaging}/${name}\" rule)
        string(REPLACE /usr/bin/ \"\${CMAKE_INSTALL_PREFIX}/bin/\" rule \"\${rule}\")
        file(WRITE \"${scratch}/${name}\" \"\${rule}\")
        file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${folder}\" TYPE FILE FILES \"${scratch}/${name}\")
        file(REMOVE \"${scratch}/${name}\")"
        COMPONENT ${component})
endfunction()

# The controller.
install(TARGETS mediarig DESTINATION bin COMPONENT controller)
install_compressed(${PROJECT_BINARY_DIR}/manual/mediarig.1 share/man/man1 mediarig.1 controller)
install(FILES ${PROJECT_BINARY_DIR}/manual/mediarig.bash DESTINATION share/bash-completion/completions
        RENAME mediarig COMPONENT controller)
install(FILES ${packaging}/70-mediarig-rig.rules DESTINATION lib/udev/rules.d COMPONENT controller)
install(FILES ${packaging}/mediarig.lintian-overrides DESTINATION share/lintian/overrides
        RENAME mediarig COMPONENT controller)
# Files that help, messages and plans refer to: linked pages, schemas for editors, examples.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION share/doc/mediarig COMPONENT controller
        FILES_MATCHING PATTERN "*.md" PATTERN "*.json" PATTERN README.md EXCLUDE PATTERN decisions EXCLUDE
        PATTERN images EXCLUDE)

# README.md is installed into the folder of docs/, so its links lose "docs/"; docs/README.md becomes index.md. Links to
# files that are not installed become text.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
             ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/docs/README.md)
file(READ ${PROJECT_SOURCE_DIR}/README.md readme)
string(REGEX REPLACE "!\\[[^]]*\\]\\([^)]*\\)\n\n" "" readme "${readme}")
string(REGEX REPLACE "\\[([^]]*)\\]\\((docs/development/decisions|hw/|packaging)[^)]*\\)" "\\1" readme "${readme}")
string(REPLACE "](docs/README.md" "](index.md" readme "${readme}")
string(REPLACE "](docs/" "](" readme "${readme}")
string(REPLACE "[docs/" "[" readme "${readme}")
file(WRITE ${PROJECT_BINARY_DIR}/README.md "${readme}")
file(READ ${PROJECT_SOURCE_DIR}/docs/README.md index)
string(REGEX REPLACE "\\[([^]]*)\\]\\((development/decisions|\\.\\./hw/)[^)]*\\)" "\\1" index "${index}")
string(REPLACE "](../README.md" "](README.md" index "${index}")
file(WRITE ${PROJECT_BINARY_DIR}/index.md "${index}")
install(FILES ${PROJECT_BINARY_DIR}/README.md ${PROJECT_BINARY_DIR}/index.md DESTINATION share/doc/mediarig
        COMPONENT controller)

# The agent.
install(TARGETS mediarig-agent DESTINATION bin COMPONENT agent)
install_compressed(${packaging}/mediarig-agent.1 share/man/man1 mediarig-agent.1 agent)
install_rule(org.mediarig.agent.policy share/polkit-1/actions agent)
install_rule(sudoers.mediarig share/doc/mediarig-agent/examples agent)

# Programs for the lab and the simulated rig: the controller searches for them in libexec
# (host/base/process/own_part.hpp).
install(TARGETS mediarig-rig-sim DESTINATION libexec/mediarig COMPONENT lab)
install(TARGETS mediarig_card_plugin LIBRARY DESTINATION libexec/mediarig COMPONENT lab)
if(TARGET mediarig-agent-static)
    install(TARGETS mediarig-agent-static mediarig-lab-cards DESTINATION libexec/mediarig COMPONENT lab)
endif()
install(FILES docs/guide/lab.md DESTINATION share/doc/mediarig-lab COMPONENT lab)

# The window, if it is built.
set(components controller agent lab)
if(TARGET mediarig-window)
    list(APPEND components window)
    install(TARGETS mediarig-window DESTINATION bin COMPONENT window)
    install_compressed(${packaging}/mediarig-window.1 share/man/man1 mediarig-window.1 window)
    install(FILES ${packaging}/org.mediarig.window.desktop DESTINATION share/applications COMPONENT window)
    install(FILES ${packaging}/org.mediarig.window.svg DESTINATION share/icons/hicolor/scalable/apps COMPONENT window)
endif()

set(package_of_controller mediarig)
set(package_of_agent mediarig-agent)
set(package_of_lab mediarig-lab)
set(package_of_window mediarig-window)
foreach(component IN LISTS components)
    set(folder share/doc/${package_of_${component}})
    install(FILES ${packaging}/copyright DESTINATION ${folder} COMPONENT ${component})
    install_compressed(${packaging}/changelog ${folder} changelog ${component})
    string(TOUPPER ${component} upper)
    set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package_of_${component}})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_SOURCE_DIR}/build/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL ${components})
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "mediarig maintainers <maintainers@mediarig.org>")
if(DEFINED ENV{DEBFULLNAME} AND DEFINED ENV{DEBEMAIL})
    set(CPACK_DEBIAN_PACKAGE_MAINTAINER "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()

set(CPACK_DEBIAN_CONTROLLER_DESCRIPTION "tester for SD cards, USB sticks and external drives
mediarig identifies a removable medium, refuses every one that could be
somebody's data, formats it, measures it, reads back every byte that it
wrote, and keeps a record of what was done and seen. Its report says
whether a card holds what it claims, how fast it is, and how each number
was made.")
set(CPACK_DEBIAN_CONTROLLER_PACKAGE_DEPENDS "mediarig-agent (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_CONTROLLER_PACKAGE_SUGGESTS "mediarig-lab (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_AGENT_DESCRIPTION "tester for removable media - privileged part
The agent of mediarig stands next to the media and does what needs
privilege: it identifies, claims, formats, mounts and measures them. It
works with the rights of the user who calls it through sudo or pkexec.")
# Programs that format and examine media: if one is missing, the agent names its package.
set(CPACK_DEBIAN_AGENT_PACKAGE_RECOMMENDS
    "apfsprogs, dosfstools, exfat-fuse, exfatprogs, fdisk, fuse3, kmod, mount, smartmontools, sudo | pkexec")
set(CPACK_DEBIAN_LAB_DESCRIPTION "tester for removable media - virtual lab and simulated rig
Emulated media for mediarig: cards that can be slow, tired, broken at
chosen sectors or counterfeit, plugged into a small virtual machine with
the real drivers of Linux, and a simulated rig that swaps them.")
set(CPACK_DEBIAN_LAB_PACKAGE_DEPENDS
    "mediarig (= ${PROJECT_VERSION}), apt, debian-archive-keyring, kmod, nbdkit, qemu-system-x86, qemu-utils")
set(CPACK_DEBIAN_WINDOW_DESCRIPTION "tester for removable media - window
The window of mediarig: choose a medium, ask whether it is genuine and how
fast it is, watch the test, read the answer. It runs without privilege.")
set(CPACK_DEBIAN_WINDOW_PACKAGE_DEPENDS "mediarig (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_WINDOW_PACKAGE_RECOMMENDS "pkexec, qt6-translations-l10n, qt6-wayland, xdg-utils")
# Packages for building the APFS module of the guest.
set(CPACK_DEBIAN_LAB_PACKAGE_RECOMMENDS "bc, binutils, bison, flex, gcc, gcc-12, make, xz-utils")
include(CPack)
