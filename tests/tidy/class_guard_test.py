#!/usr/bin/env python3
"""Checks what class_guard.py counts, with small sources, and that it reports excesses and false
entries."""

import unittest

import class_guard as guard


def sizes(**sources):
    """The sizes of files whose names are `core_x_hpp` for core/x.hpp."""
    def path(name):
        folder, _, rest = name.partition("_")
        stem, _, suffix = rest.rpartition("_")
        return f"{folder}/{stem}.{suffix}"
    return guard.measure({path(name): text for name, text in sources.items()})


def of(found, kind):
    return {name: value for name, (value, _) in found.of[kind].items()}


def in_namespace(text):
    return f"namespace xbind::a {{\n{text}\n}}\n"


class Methods(unittest.TestCase):
    def test_every_form_of_a_method_counts_once(self):
        forms = ["explicit C(int x) : x_(x) {}", "~C();", "bool operator==(const C&) const;",
                 "explicit operator bool() const { return true; }", "int operator()(int) const;",
                 "template <typename T> requires Known<T> void constrained(T t);",
                 "template <typename T>\n  void trailing(T t) requires Known<T> {\n    t.f();\n  }",
                 "[[nodiscard]] auto arrow() const noexcept -> std::vector<int>;",
                 "virtual void pure() = 0;", "static int make();", "void left() const& { }",
                 "void overloaded(int);", "void overloaded(char);"]
        declared = "class C {\n " + "\n  ".join(forms) + "\n int x_;\n};\n"
        defined = "C::~C() {}\nvoid C::overloaded(int) {}\nvoid C::overloaded(char) {}\n" \
                  "template <typename T> requires Known<T>\nvoid C::constrained(T t) { t.f(); }\n"
        found = sizes(core_x_hpp=in_namespace(declared), core_x_cpp=in_namespace(defined))
        self.assertEqual(of(found, "methods"), {"a::C": len(forms)})

    def test_defaulted_and_deleted_functions_are_no_methods(self):
        found = sizes(core_x_hpp="struct S {\n S() = default;\n S(const S&) = delete;\n"
                                 " bool operator==(const S&) const = default;\n void f();\n};\n")
        self.assertEqual(of(found, "methods"), {"S": 1})

    def test_a_nested_class_has_methods_of_its_own_and_a_lambda_is_none(self):
        found = sizes(core_x_hpp="class A {\n void f();\n struct B { void g(); void h(); };\n"
                                 " std::function<void(int)> call_ = [](int x) { use(x); };\n};\n")
        self.assertEqual(of(found, "methods"), {"A": 1, "A::B": 2})

    def test_41_methods_are_an_excess_and_40_are_none(self):
        for count, excesses in ((40, []), (41, [("methods", "A", 41)])):
            text = "class A {\n" + "".join(f"  void f{k}();\n" for k in range(count)) + "};\n"
            found = [excess[:3] for excess in sizes(core_x_hpp=text).excesses()]
            self.assertEqual(found, excesses)


class Members(unittest.TestCase):
    def test_every_form_of_a_member_counts(self):
        forms = ["int a, b;", "std::vector<int> list_{1, 2};", "unsigned bit : 3 = 0;",
                 "void (*function)(int) = nullptr;", "std::function<void(int, char)> done_;",
                 "mutable std::mutex mutex_;", "std::map<int, std::pair<int, int>> map_;",
                 "[[no_unique_address]] Nothing nothing_;", "alignas(64) int aligned_;",
                 "alignas(alignof(T)) std::byte room_[sizeof(T)];", "int numbers_[4] = {};",
                 "const int& reference_;", "static inline int shared_counter = 0;",
                 "Duration wait_ = std::chrono::seconds{3};", "Box box_ = Box<int>{1};",
                 "Limits limits_{.lease = std::chrono::seconds{60}};", "Limits more_ = {1, 2};"]
        found = sizes(core_x_hpp="class C {\n  " + "\n  ".join(forms) + "\n};\n")
        self.assertEqual(of(found, "members"), {"C": len(forms) + 1})

    def test_constants_of_the_class_are_no_members(self):
        found = sizes(core_x_hpp="struct S {\n static constexpr int kMax = 3;\n"
                                 " static const int kMin;\n using T = int;\n int x;\n};\n")
        self.assertEqual(of(found, "members"), {"S": 1})

    def test_a_nested_struct_has_members_of_its_own_but_not_if_it_has_no_name(self):
        found = sizes(core_x_hpp="struct A {\n struct B { int i; int j; } b;\n"
                                 " union { int u; float v; };\n};\n")
        self.assertEqual(of(found, "members"), {"A": 3, "A::B": 2})

    def test_16_members_are_an_excess_and_15_are_none(self):
        for count, excesses in ((15, []), (16, [("members", "A", 16)])):
            text = "struct A {\n" + "".join(f"  int m{k} = {k};\n" for k in range(count)) + "};\n"
            found = [excess[:3] for excess in sizes(core_x_hpp=text).excesses()]
            self.assertEqual(found, excesses)


class Lines(unittest.TestCase):
    def test_lambdas_attributes_checks_and_bindings_do_not_end_a_function_early(self):
        body = "  auto [p, q] = pair();\n  XB_CHECK(p == 1, p, q);\n" \
               "  auto use = [&](int z) -> int {\n    return z;\n  };\n" \
               "  if (auto x = use(1); x > 0) {\n    [[maybe_unused]] int y = x;\n  }\n"
        text = in_namespace("[[nodiscard]] int f(int x) noexcept {\n" + body + "}")
        self.assertEqual(of(sizes(core_x_cpp=text), "lines"), {"core/x.cpp:a::f": 10})

    def test_a_template_with_a_requirement_is_measured(self):
        text = "template <Known T>\nauto f(T t) -> decltype(t.g())\n  requires true\n{\n}\n"
        self.assertEqual(of(sizes(core_x_hpp=text), "lines"), {"core/x.hpp:f": 4})

    def test_the_longer_of_two_overloads_counts(self):
        found = sizes(core_x_cpp="void f(int) {\n}\nvoid f(char) {\n\n}\nvoid f(long) {\n}\n")
        self.assertEqual(of(found, "lines"), {"core/x.cpp:f": 3})

    def test_71_lines_are_an_excess_and_70_are_none(self):
        for count, excesses in ((70, []), (71, [("lines", "core/x.cpp:A::f", 71)])):
            text = "void A::f() {\n" + "  g();\n" * (count - 2) + "}\n"
            found = [excess[:3] for excess in sizes(core_x_cpp=text).excesses()]
            self.assertEqual(found, excesses)


class Functions(unittest.TestCase):
    def test_methods_friends_free_functions_and_namespace_lambdas_are_a_modules_functions(self):
        header = "class A {\n void f();\n void g() {}\n" \
                 " friend bool operator<(const A&, const A&) { return false; }\n};\nvoid h(A&);\n"
        first = "void A::f() { auto inside = [] { return 1; }; }\n" \
                "const auto kCall = [](int x) { return x; };\n"
        second = "void h(A&) {}\nnamespace { void hidden() {} }\n" \
                 "constexpr Row kRows[]{{\"a\", [](int y) { return y; }}};\n"
        found = sizes(core_x_hpp=header, core_x_cpp=first, core_x_more_cpp=second)
        self.assertEqual(of(found, "functions"), {"core/x": 7})

    def test_a_method_counts_where_its_class_is_declared(self):
        found = sizes(core_x_hpp="class A {\n void f();\n};\n", core_other_cpp="void A::f() {}\n")
        self.assertEqual(of(found, "functions"), {"core/x": 1})

    def test_a_source_with_a_header_of_its_own_is_another_module(self):
        found = sizes(core_x_hpp="inline void f() {}\n", core_x_y_hpp="inline void g() {}\n",
                      core_x_y_z_cpp="void h() {}\n")
        self.assertEqual(of(found, "functions"), {"core/x": 1, "core/x_y": 2})

    def test_61_functions_over_three_files_are_an_excess(self):
        def functions(prefix, count):
            return "".join(f"void {prefix}{k}() {{}}\n" for k in range(count))
        found = sizes(core_x_hpp=functions("inline_", 1), core_x_cpp=functions("f", 30),
                      core_x_part_cpp=functions("g", 30))
        self.assertEqual([excess[:3] for excess in found.excesses()],
                         [("functions", "core/x", 61)])


class List(unittest.TestCase):
    def setUp(self):
        text = "class A {\n" + "".join(f"  void f{k}();\n" for k in range(50)) + "};\n"
        self.sizes = sizes(core_x_hpp=text)

    def wrong(self, text):
        return list(guard.contradictions(self.sizes, guard.parse_list(text)))

    def test_an_excess_without_an_entry_is_named(self):
        self.assertEqual(self.wrong("# nothing\n"), [
            "core/x.hpp:1: A has 50 methods, more than its 40; divide it, or list it with a reason "
            "in tests/tidy/large_classes.txt"])

    def test_an_entry_allows_its_value_and_no_more(self):
        self.assertEqual(self.wrong("methods A 50 a good long reason\n"), [])
        [sentence] = self.wrong("methods A 49 a good long reason\n")
        self.assertIn("50 methods, more than its 49", sentence)

    def test_a_ceiling_follows_what_has_shrunk(self):
        self.assertEqual(self.wrong("methods A 55 a good long reason\n"), [])
        [sentence] = self.wrong("methods A 56 a good long reason\n")
        self.assertIn("lower its ceiling of 56", sentence)

    def test_an_entry_that_is_not_needed_is_named(self):
        allowed = "methods A 50 a good long reason\n"
        for entry in ("members A 20 a good long reason", "methods Gone 50 a good long reason"):
            [sentence] = self.wrong(allowed + entry)
            self.assertIn("tests/tidy/large_classes.txt:2:", sentence)
            self.assertIn("take the line away", sentence)

    def test_an_entry_needs_a_reason_a_known_kind_and_a_place_of_its_own(self):
        for text in ("methods A 50", "methods A 50 too short", "octets A 50 a good long reason",
                     "methods A many a good long reason",
                     "methods A 50 a good long reason\nmethods A 50 a good long reason"):
            with self.assertRaises(guard.GuardError):
                guard.parse_list(text)


if __name__ == "__main__":
    unittest.main()
