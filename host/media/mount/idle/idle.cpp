// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/mount/idle/idle.hpp"

#include <fmt/format.h>

#include "host/base/text.hpp"

namespace mediarig::media {

std::string text_of(const IdleReport& report) {
    if (!report.counted) return "the device has no transfer counters";
    return fmt::format("{} after {:.1f} s, {} written and {} read in that time",
                       report.silent ? "silent" : "not silent", std::chrono::duration<double>(report.waited).count(),
                       size_text(report.written), size_text(report.read));
}

Result<IdleReport> wait_idle(const std::function<std::optional<TransferTotals>()>& counters,
                             const std::function<void(std::chrono::nanoseconds)>& sleep, const IdleTerms& terms) {
    IdleReport report;
    const auto first = counters();
    if (!first) return report;
    report.counted = true;
    TransferTotals last = *first;
    std::chrono::nanoseconds unchanged{};
    while (unchanged < terms.silence && report.waited < terms.longest) {
        if (terms.cancel != nullptr && terms.cancel->load()) return fail(Errc::cancelled, "the wait was stopped");
        sleep(terms.between_looks);
        report.waited += terms.between_looks;
        const TransferTotals now = counters().value_or(last);
        unchanged = now == last ? unchanged + terms.between_looks : std::chrono::nanoseconds{};
        last = now;
    }
    report.silent = unchanged >= terms.silence;
    report.read = last.read - first->read;
    report.written = last.written - first->written;
    return report;
}

} // namespace mediarig::media
