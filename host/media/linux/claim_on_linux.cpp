// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim.hpp"
#include "host/media/linux/linux_media.hpp"

namespace mediarig::media {

Result<ErasableMedium> claim_erasable(Discovery& discovery, const std::string& target, const std::string& confirmation,
                                      ClaimTerms terms) {
    const auto nodes = make_linux_nodes();
    return claim_erasable(discovery, *nodes, target, confirmation, std::move(terms));
}

} // namespace mediarig::media
