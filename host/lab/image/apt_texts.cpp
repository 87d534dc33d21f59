// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/apt_texts.hpp"

#include <fmt/format.h>

namespace mediarig::lab {

std::string sources_text(const Mirrors& mirrors, const std::string& keyring) {
    std::string text;
    const auto add = [&](const std::string& mirror, const char* suite) {
        text += fmt::format("deb [signed-by={}] {} {} main\n", keyring, mirror, suite);
    };
    add(mirrors.main, guest_suite);
    add(mirrors.security, guest_security_suite);
    add(mirrors.main, apfs_tools_suite);
    add(mirrors.main, apfs_module_suite);
    return text;
}

std::string configuration_text(const std::string& folder) {
    return fmt::format(R"(Dir::Etc::sourcelist "{0}/sources.list";
Dir::Etc::sourceparts "-";
Dir::Etc::preferences "{0}/preferences";
Dir::Etc::preferencesparts "-";
Dir::State "{0}";
Dir::State::status "{0}/status";
Dir::State::lists "{0}/lists";
Dir::Cache "{0}/cache";
APT::Architecture "amd64";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
Acquire::Retries "2";
Acquire::http::Timeout "30";
#clear APT::Architectures;
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
)",
                       folder);
}

} // namespace mediarig::lab
