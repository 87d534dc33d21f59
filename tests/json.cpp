// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/json.hpp"

template class nlohmann::basic_json<>;
template class nlohmann::detail::parser<nlohmann::json, nlohmann::detail::iterator_input_adapter<const char*>>;
template class nlohmann::detail::parser<nlohmann::json,
                                        nlohmann::detail::iterator_input_adapter<std::string::const_iterator>>;
template class std::vector<nlohmann::json>;
template class std::vector<std::string>;
