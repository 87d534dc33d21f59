// SPDX-License-Identifier: GPL-3.0-or-later
/// JSON for tests. Common templates are compiled once, by json.cpp, and not in every test.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

extern template class nlohmann::basic_json<>;
extern template class nlohmann::detail::parser<nlohmann::json, nlohmann::detail::iterator_input_adapter<const char*>>;
extern template class nlohmann::detail::parser<nlohmann::json,
                                               nlohmann::detail::iterator_input_adapter<std::string::const_iterator>>;
extern template class std::vector<nlohmann::json>;
extern template class std::vector<std::string>;
