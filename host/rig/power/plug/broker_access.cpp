// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/power/plug/broker_access.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "host/base/json/reader.hpp"
#include "host/base/json/source.hpp"
#include "host/rig/power/plug/plug_address.hpp"

namespace mediarig::rig {
namespace {

using strict_json::Members;
using strict_json::Node;

constexpr std::size_t longest_word = 200;
constexpr std::size_t most_brokers = 64;

struct Entry {
    std::string broker; ///< "HOST:PORT"
    BrokerAccess access;
};

Entry read_entry(const Node& node) {
    Entry entry;
    Members members(node);
    if (!members.readable()) return entry;
    const auto line = [](const Node& each) { return strict_json::read_line(each, longest_word); };
    bool local = false, in_the_open = false;
    const auto broker = members.need("broker", "give HOST or HOST:PORT as after the @ of a plug");
    if (broker) {
        const auto text = line(*broker);
        const auto place = text ? broker_place(*text) : std::nullopt;
        if (text && !place) broker->must_be("HOST or HOST:PORT");
        if (place) entry.broker = fmt::format("{}:{}", place->host, place->port);
        local = place && (place->host == "localhost" || place->host.starts_with("127.") || place->host == "::1");
    }
    take(members, "user", entry.access.user, line);
    const auto password = members.find("password");
    if (password) entry.access.password = line(*password).value_or("");
    if (password && entry.access.user.empty()) node.complain("has a password and no user; add \"user\"");
    if (const auto authority = members.find("authority"))
        entry.access.authority = strict_json::read_path(*authority).value_or("");
    take(members, "in_the_open", in_the_open, strict_json::read_flag);
    if (password && !local && !in_the_open && !members.find("authority"))
        node.complain("sends its password over the network unencrypted; add \"authority\", or \"in_the_open\": true");
    members.refuse_unknown();
    return entry;
}

struct Descriptor {
    int number;
    explicit Descriptor(int opened) : number(opened) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number >= 0) ::close(number);
    }
};

} // namespace

Result<BrokerAccess> parse_broker_access(std::string_view text, std::string_view host, std::uint16_t port) {
    strict_json::Faults faults;
    const std::string wanted = fmt::format("{}:{}", host, port);
    std::optional<BrokerAccess> found;
    if (const auto tree = strict_json::read_source(text, faults)) {
        Members members({&*tree, "", &faults});
        (void)members.find("$schema");
        if (const auto version = members.need("mediarig_mqtt", "use 1, the version of this kind of file"))
            (void)strict_json::read_count(*version, {1, 1});
        const auto brokers = members.need("brokers", "list them");
        const auto list = brokers ? strict_json::read_list(*brokers, most_brokers) : std::nullopt;
        for (const Node& node : list.value_or(std::vector<Node>{})) {
            Entry entry = read_entry(node);
            if (entry.broker != wanted) continue;
            if (found) node.complain(fmt::format("names {} a second time", wanted));
            found = std::move(entry.access);
        }
        members.refuse_unknown();
    }
    if (faults.count() > 0) return fail(Errc::bad_request, faults.take().front());
    return found.value_or(BrokerAccess{});
}

Result<BrokerAccess> broker_access(const std::filesystem::path& file, std::string_view host, std::uint16_t port) {
    if (file.empty()) return BrokerAccess{};
    const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (opened.number < 0 && (errno == ENOENT || errno == ENOTDIR)) return BrokerAccess{};
    const auto unreadable = [&](int error) {
        return fail(Errc::io_failed, fmt::format("{} cannot be read: {}", file.string(), std::strerror(error)));
    };
    struct stat about {};
    if (opened.number < 0 || ::fstat(opened.number, &about) != 0) return unreadable(errno);
    if ((about.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        return fail(Errc::no_permission, fmt::format("{} holds passwords, and others may read it: chmod 600 {}",
                                                     file.string(), file.string()));
    std::string text(strict_json::largest_text + 1, '\0');
    const ssize_t length = ::read(opened.number, text.data(), text.size());
    if (length < 0) return unreadable(errno);
    text.resize(static_cast<std::size_t>(length));
    auto access = parse_broker_access(text, host, port);
    if (!access) return fail(access.error().code, fmt::format("{}: {}", file.string(), access.error().detail));
    return access;
}

} // namespace mediarig::rig
