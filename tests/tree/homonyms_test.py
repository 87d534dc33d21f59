# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests homonyms.py: which declarations are types, and which differences from the list of known homonyms are faults."""
import pathlib
import tempfile
import unittest

from homonyms import faults, homonyms, types_in


def names(text):
    return [f"{namespace}::{name}" for namespace, name, _ in types_in(text)]


class TypesTest(unittest.TestCase):
    def test_each_kind_of_type(self):
        self.assertEqual(names("namespace a::b { struct S { int x{}; }; class C final : public S { C() {} }; enum class E : int { e };\n"
                               "using A = std::vector<int>; template <class T> union U { T t; }; struct [[nodiscard]] N {}; }"),
                         ["a::b::S", "a::b::C", "a::b::E", "a::b::A", "a::b::U", "a::b::N"])

    def test_described_enumerations(self):
        self.assertEqual(names("namespace a { BOOST_DEFINE_FIXED_ENUM_CLASS(E, int,\n e, ///< (f)\n g\n)\nBOOST_DEFINE_ENUM_CLASS(\n F, h) }"),
                         ["a::E", "a::F"])

    def test_nested_namespaces(self):
        self.assertEqual(names("namespace a { namespace b { struct S {}; } struct T {}; }"), ["a::b::S", "a::T"])

    def test_the_line_of_a_type(self):
        self.assertEqual(next(types_in("/* one\ntwo */\nnamespace a {\n\nstruct\nS {\n};\n}")), ("a", "S", 6))

    def test_a_type_inside_of_a_class_or_a_function_is_not_counted(self):
        self.assertEqual(names("namespace a { struct S { enum class State { on }; using X = int; };\n"
                               "inline void f() { struct L {}; using Y = int; } }"), ["a::S"])

    def test_declarations_specialisations_and_functions_are_not_counted(self):
        self.assertEqual(names("namespace a { struct S; class C; template <> struct Fields<S> { int x; };\n"
                               "struct S f() { return {}; } using b::T; using R = b::R; }"), [])

    def test_comments_literals_and_directives_are_ignored(self):
        self.assertEqual(names('namespace a { // struct C {\nconst auto x = "struct D {"; const char q = \'{\';\n'
                               "#define M struct E {\nconst auto n = 1'000'000; struct S {}; }"), ["a::S"])


class HomonymsTest(unittest.TestCase):
    def test_a_name_in_two_headers_is_a_homonym(self):
        with tempfile.TemporaryDirectory() as root:
            for name, text in {"host/a.hpp": "namespace a { struct S {}; struct T {}; }", "common/b.hpp": "namespace b { enum S { x }; }",
                               "host/c.cpp": "namespace c { struct T {}; }"}.items():
                path = pathlib.Path(root) / name
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")
            found = homonyms(pathlib.Path(root))
        self.assertEqual({name: [str(file) for _, file, _ in places] for name, places in found.items()},
                         {"S": ["common/b.hpp", "host/a.hpp"]})

    def test_an_unknown_homonym_is_a_fault(self):
        lines = faults({"S": [("a", "host/a.hpp", 1), ("b", "host/b.hpp", 2)]}, {})
        self.assertIn("S: 2 definitions", lines[0])
        self.assertEqual(lines[1:], ["  host/a.hpp:1: a::S", "  host/b.hpp:2: b::S"])

    def test_a_known_homonym_is_no_fault(self):
        self.assertEqual(faults({"S": [("a", "host/a.hpp", 1)] * 2}, {"S": "reason"}), [])

    def test_a_known_name_with_one_meaning_is_a_fault(self):
        self.assertEqual(faults({}, {"S": "reason"}), ["S: has one meaning; remove it from KNOWN"])


if __name__ == "__main__":
    unittest.main()
