// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/enum_names.hpp"

#include <cstdint>

#include "tests/catch.hpp"

namespace mediarig::sample {

using mediarig::name_of;

BOOST_DEFINE_FIXED_ENUM_CLASS(Fruit, std::uint8_t, apple, red_currant, pear)
[[nodiscard]] constexpr auto other_names(Fruit** /*type*/) {
    return std::array{Name<Fruit>{Fruit::red_currant, "red currant"}};
}

struct Basket {
    enum class Size : std::uint8_t { small = 3, large = 7 };
    BOOST_DESCRIBE_NESTED_ENUM(Size, small, large)
};

} // namespace mediarig::sample

using namespace mediarig;
using sample::Basket;
using sample::Fruit;

static_assert(sample::name_of(Fruit::apple) == "apple");

TEST_CASE("the name list of an enumeration contains enumerators or other_names() in the order of the values") {
    CHECK(choices<Fruit>() == std::vector<std::string>{"apple", "red currant", "pear"});
    CHECK(name_of(Fruit::red_currant) == "red currant");
    CHECK(name_of(Basket::Size::large) == "large");
    CHECK(name_of(static_cast<Fruit>(3)) == "unlisted");
}

TEST_CASE("from_name() accepts only the exact name of a value and lists the choices otherwise") {
    CHECK(from_name<Fruit>("red currant") == Fruit::red_currant);
    CHECK(from_name<Basket::Size>("small") == Basket::Size::small);
    CHECK_FALSE(from_name<Fruit>("red_currant"));
    CHECK(from_name<Fruit>("Apple").error() ==
          Error{Errc::bad_format, R"("Apple" is not one of apple, red currant, pear)"});
    CHECK(reason(from_name<Fruit>(std::string(41, 'x'))) ==
          '"' + std::string(40, 'x') + R"(" is not one of apple, red currant, pear)");
}

TEST_CASE("from_word() accepts a name in upper or lower case") {
    CHECK(from_word<Fruit>("Red Currant", "fruit") == Fruit::red_currant);
    CHECK(from_word<Fruit>("kiwi", "fruit").error() ==
          Error{Errc::bad_request, "unknown fruit 'kiwi': use one of apple, red currant, pear"});
}
