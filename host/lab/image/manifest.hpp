// SPDX-License-Identifier: GPL-3.0-or-later
/// Contents of a guest image, for the record and for users.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/units.hpp"
#include "host/lab/image/selection.hpp"

namespace mediarig::lab {

/// Version of the build recipe. Increase it whenever the same packages give another image: init script, list of
/// modules, layout.
inline constexpr int image_recipe = 5;

struct AgentProgram {
    std::string version; ///< "0.1.0"
    std::string sha256;  ///< hash of the program as given, before stripping
    bool operator==(const AgentProgram&) const = default;
};

struct KernelModule {
    std::string name; ///< modules are listed in load order
    Bytes size;
    bool operator==(const KernelModule&) const = default;
};

struct ApfsSupport {
    bool present{};
    std::string module_version; ///< version of the package; may be empty
    bool self_check{};          ///< the guest tests the module at each boot, because its version is untested
    std::string absent_because; ///< reason in one line; empty if apfs is present
    bool operator==(const ApfsSupport&) const = default;
};

struct Manifest {
    std::string key;
    int recipe{image_recipe};
    Selection selection;
    ApfsSupport apfs;
    std::vector<KernelModule> modules;
    std::string compiler; ///< version that built the apfs module; may be empty
    AgentProgram agent;
    Bytes kernel_size;
    Bytes initrd_size;
    std::string built_at; ///< UTC, ISO 8601
    double build_seconds{};
    bool operator==(const Manifest&) const = default;
};

/// Returns the name of an image: readable versions, then 16 digits derived from the recipe, every version and the
/// agent's hash. Equal inputs give an equal key on every machine.
[[nodiscard]] std::string image_key(const Selection& selection, const AgentProgram& agent, bool with_apfs);
/// Returns the name of the parts that do not depend on the agent, in the same form.
[[nodiscard]] std::string parts_key(const Selection& selection, bool with_apfs);

[[nodiscard]] nlohmann::json to_json(const Manifest& manifest);
/// Returns nothing if the text does not have the form that to_json writes.
[[nodiscard]] std::optional<Manifest> parse_manifest(const std::string& text);

} // namespace mediarig::lab
