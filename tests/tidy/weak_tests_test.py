#!/usr/bin/env python3
"""Plants each kind of test that cannot fail, and checks that weak_tests.py reports it."""

import unittest

import weak_tests as weak


def lines(found):
    return [line for line, *_ in found]


class SelfComparisons(unittest.TestCase):
    def test_in_cpp(self):
        for text in ('EXPECT_EQ(etag_of("a"), etag_of("a"));', "ASSERT_LE(x.size(), x.size());",
                     "EXPECT_TRUE(f(1) == f(1));", "EXPECT_EQ(f(a, b),\n          f(a, b));"):
            self.assertEqual(lines(weak.cpp_self_comparisons(text)), [1], text)
        for text in ('EXPECT_EQ(etag_of("a"), "x");', "// EXPECT_EQ(a, a);",
                     "EXPECT_EQ(f(a, b), f(b, a));", "EXPECT_TRUE(a == b);",
                     'EXPECT_EQ(f("(a, "), f("a"));'):
            self.assertEqual(lines(weak.cpp_self_comparisons(text)), [], text)

    def test_in_python(self):
        for text in ("self.assertEqual(f(1), f(1))", "assert a.b == a.b",
                     "wait_until(lambda: f() == f(), 'x')", "self.assertLess(a[0], a[0])"):
            self.assertEqual(lines(weak.py_self_comparisons(text)), [1], text)
        self.assertEqual(lines(weak.py_self_comparisons("self.assertEqual(f(1), f(2))")), [])


class OnlyAboveZero(unittest.TestCase):
    CPP = "TEST(A, B) {\n  run();\n%s}\n"
    PY = "def test_x(self):\n    run()\n%s"

    def test_in_cpp(self):
        for line in ("EXPECT_GT(x.y, 0U);", "ASSERT_GE(x.y, 1);", "EXPECT_GT(x.y, 0.0) << why;"):
            self.assertEqual(lines(weak.cpp_only_above_zero(self.CPP % f"  {line}\n")), [3], line)
        for more in ("EXPECT_LT(x.y, 9);", "EXPECT_EQ(x.y + z, 9);"):
            text = self.CPP % f"  EXPECT_GT(x.y, 0U);\n  {more}\n"
            self.assertEqual(lines(weak.cpp_only_above_zero(text)), [], more)

    def test_in_python(self):
        for line in ("self.assertGreater(x['y'], 0)", "self.assertGreaterEqual(x['y'], 1)"):
            self.assertEqual(lines(weak.py_only_above_zero(self.PY % f"    {line}\n")), [3], line)
        text = self.PY % "    self.assertGreater(x, 0)\n    self.assertLess(x, 9)\n"
        self.assertEqual(lines(weak.py_only_above_zero(text)), [])

    def test_a_reason_covers_the_lines_up_to_an_empty_one(self):
        text = self.CPP % ("  // Any number: chance decides.\n  EXPECT_GT(x, 0);\n\n"
                           "  EXPECT_GT(y, 0);\n")
        self.assertEqual(lines(weak.cpp_only_above_zero(text)), [6])
        text = self.PY % "    # Any number: chance decides.\n    self.assertGreater(x, 0)\n"
        self.assertEqual(lines(weak.py_only_above_zero(text)), [])
        text = self.PY % "    # Any number:\n    self.assertGreater(x, 0)\n"
        self.assertEqual(lines(weak.py_only_above_zero(text)), [4], "without a reason")


class Skips(unittest.TestCase):
    def test_their_reasons(self):
        for text in ("GTEST_SKIP();", 'GTEST_SKIP() << "no IPv6 here";', "GTEST_SKIP() << path;"):
            self.assertEqual(lines(weak.cpp_skips(text)), [1], text)
        self.assertEqual(lines(weak.cpp_skips('GTEST_SKIP() << "NOT TESTED: no IPv6";')), [])
        for text, reason in (('@unittest.skipUnless(A, "too slow")\ndef f(): pass', "too slow"),
                             ('raise unittest.SkipTest(f"no {x}")', "no "),
                             ('self.skipTest("NOT TESTED: x")', "NOT TESTED: x"),
                             ("@unittest.skipIf(WHY, WHY)\ndef f(): pass", None)):
            self.assertEqual([why for _, why in weak.py_skips(text)], [reason], text)

    def test_a_program_skips_by_what_it_imports(self):
        files = {"t/a_test.py": "import helper\n", "t/helper.py": "from deep import x\n",
                 "t/deep.py": "raise unittest.SkipTest('NOT TESTED: x')",
                 "t/b_test.py": "import os\n"}
        self.assertTrue(weak.can_skip("t/a_test.py", lambda path: files.get(str(path))))
        self.assertFalse(weak.can_skip("t/b_test.py", lambda path: files.get(str(path))))

    def test_its_exit_code(self):
        self.assertTrue(weak.ends_uncounted('if __name__ == "__main__":\n    unittest.main()\n'))
        self.assertFalse(weak.ends_uncounted('if __name__ == "__main__":\n    main()\n'))

    def test_an_early_return_is_one_in_silence(self):
        text = "TEST(A, B) {\n  run();\n  if (!counts) return;\n  EXPECT_EQ(a, 1);\n}\n"
        self.assertEqual(list(weak.cpp_silent_returns(text)), [3])
        self.assertEqual(list(weak.cpp_silent_returns(text.replace("!counts", "HasFailure()"))), [])
        self.assertEqual(list(weak.cpp_silent_returns(text.replace("TEST(A, B)", "void f()"))), [])

    def test_so_is_a_check_only_where_a_program_is_there(self):
        text = "def f():\n    if tool := shutil.which('promtool'):\n        check(tool)\n"
        self.assertEqual(list(weak.py_silent_conditions(text)), [2])
        text = "TOOL = shutil.which('promtool')\ndef f():\n    if TOOL:\n        check()\n"
        self.assertEqual(list(weak.py_silent_conditions(text)), [3])
        text += "def g(self):\n    if not TOOL:\n        self.skipTest('NOT TESTED: x')\n"
        self.assertEqual(list(weak.py_silent_conditions(text)), [])


class Selections(unittest.TestCase):
    def test_are_read(self):
        text = "ctest --test-dir build -R unit/cmgr -V\n`ctest -L sim` runs\n" \
               "ctest -R '^a|b' # c\n" \
               "ctest setup latency\n"
        self.assertEqual(list(weak.selections(text)),
                         [(1, "R", "unit/cmgr"), (2, "L", "sim"), (3, "R", "^a|b")])
        text = "build/bin/driver_kit --gtest_filter='mpls.*'  # x\n" \
               "COMMAND sim_test --gtest_filter=A*:B*)\n" \
               'run("xbindctl_test", "--gtest_filter=C.*")\n'
        self.assertEqual([found[1:] for found in weak.filters(text)],
                         [("driver_kit", "mpls.*"), ("sim_test", "A*:B*"),
                          ("xbindctl_test", "C.*")])

    def test_of_nothing(self):
        self.assertFalse(weak.selects("mpls.*:gone.*", ["atm.a", "atm.b"]))
        self.assertTrue(weak.selects("gone.*:*.b", ["atm.a", "atm.b"]))


if __name__ == "__main__":
    unittest.main()
