// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "host/metrics/metrics.hpp"
#include "host/plan/names.hpp"
#include "host/plan/sections.hpp"

namespace mediarig::plan {
namespace {

measure::Limit read_limit(const Node& node) {
    Members members(node);
    measure::Limit limit;
    const auto line = [](const Node& text) { return read_line(text, longest_line); };
    take(members, "suite", limit.suite, line);
    if (const auto metric = members.need("metric", "say what is limited, for example \"seq_write.1024KB.mb_per_s\""))
        if (auto name = line(*metric)) {
            limit.metric = *name;
            if (!metrics::metric_from(limit.metric))
                metric->complain(
                    fmt::format("unknown metric \"{}\"; docs/guide/plan.md lists them", excerpt(limit.metric)));
        }
    take(members, "format", limit.format, line);
    take(members, "min", limit.min, read_number);
    take(members, "max", limit.max, read_number);
    take(members, "guard_percent", limit.guard_percent, [](const Node& n) -> std::optional<double> {
        if (const auto percent = n.value->is_number() ? n.value->get<double>() : -1; percent >= 0 && percent <= 100)
            return percent;
        n.must_be("a number from 0 to 100");
        return std::nullopt;
    });
    const bool bounded = members.find("min") || members.find("max");
    members.refuse_unknown();
    if (members.readable() && !bounded) node.complain("limits nothing; add \"min\", \"max\" or both");
    if (limit.min && limit.max && *limit.min > *limit.max)
        node.complain(fmt::format("can never hold: \"min\" {} is larger than \"max\" {}", *limit.min, *limit.max));
    return limit;
}

} // namespace

std::vector<measure::Limit> read_limits(const Node& node) {
    std::vector<measure::Limit> limits;
    if (const auto list = read_list(node, most_limits))
        for (const Node& entry : *list) limits.push_back(read_limit(entry));
    return limits;
}

std::optional<Order> read_order(const Node& node) {
    constexpr std::array kinds{OrderKind::listed, OrderKind::reversed, OrderKind::random_pairs,
                               OrderKind::counterbalanced};
    Order order;
    if (node.value->is_string()) {
        const auto kind = read_choice(node, "order", kinds);
        if (kind) order.kind = *kind;
        return order;
    }
    if (!node.value->is_object()) {
        node.must_be("the name of an order, or an object with \"kind\" and \"seed\"");
        return std::nullopt;
    }
    Members members(node);
    if (const auto kind = members.need("kind", "say \"listed\", \"reversed\", \"random_pairs\" or \"counterbalanced\""))
        if (const auto known = read_choice(*kind, "order", kinds)) order.kind = *known;
    take(members, "seed", order.seed, [](const Node& n) { return read_count(n, {0, ~std::uint64_t{0}}); });
    members.refuse_unknown();
    return order;
}

} // namespace mediarig::plan
