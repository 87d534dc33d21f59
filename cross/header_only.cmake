# SPDX-License-Identifier: GPL-3.0-or-later
# Libraries that need only headers are equal for every system. A cross build uses those of the build machine, in a
# folder that contains no other headers of it. fmt and spdlog are compiled from their headers.
set(headers ${PROJECT_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${headers})
foreach(library boost fmt spdlog nlohmann CLI tl catch2)
    find_path(MEDIARIG_HEADERS_OF_${library} ${library} PATHS /usr/include /usr/local/include
              NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH REQUIRED)
    file(CREATE_LINK ${MEDIARIG_HEADERS_OF_${library}}/${library} ${headers}/${library} SYMBOLIC)
endforeach()

file(STRINGS ${headers}/boost/version.hpp version REGEX "^#define BOOST_VERSION [0-9]+")
string(REGEX REPLACE "[^0-9]*([0-9]+).*" "\\1" version "${version}")
if(version LESS 108100)
    message(FATAL_ERROR "Boost 1.81 is needed: the headers in ${MEDIARIG_HEADERS_OF_boost} are older")
endif()

set(targets Boost::headers nlohmann_json::nlohmann_json CLI11::CLI11 tl::expected)
if(EXISTS ${headers}/catch2/catch.hpp) # version 3 is a library, which this machine has only for its own processor
    list(APPEND targets Catch2::Catch2)
endif()
foreach(target ${targets})
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${target} INTERFACE ${headers})
endforeach()
add_library(mediarig_formatting STATIC ${PROJECT_SOURCE_DIR}/host/agent/linux/formatting.cpp)
target_include_directories(mediarig_formatting SYSTEM PUBLIC ${headers})
target_compile_definitions(mediarig_formatting PUBLIC SPDLOG_COMPILED_LIB SPDLOG_FMT_EXTERNAL)
target_link_libraries(mediarig_formatting PUBLIC Threads::Threads)
add_library(fmt::fmt ALIAS mediarig_formatting)
add_library(spdlog::spdlog ALIAS mediarig_formatting)
