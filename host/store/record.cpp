// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/record.hpp"

namespace mediarig::store {

measure::Findings findings_of(const PassView& view) {
    measure::Findings all = view.findings;
    for (const workload::CellResult& cell : view.cells)
        for (const measure::Finding& finding : cell.findings) {
            all.push_back(finding);
            all.back().cell = cell.cell.id;
        }
    for (measure::Finding& finding : all) finding.pass = view.pass.id;
    return all;
}

} // namespace mediarig::store
