#!/usr/bin/env python3
"""Plants words, and checks what words.py and limits.py count."""

import unittest

import limits
import words


def count(word, text):
    return words.counts([word], [text])[word]


class Words(unittest.TestCase):
    def test_are_counted_in_text_and_in_names(self):
        for text in ("He is told so.", "told_", "is_told_again", "kNotTold", "IsToldAgain", "Told"):
            self.assertEqual(count("told", text), 1, text)
        for text in ("stolde", "atold", "ToldeX", "toldest"):
            self.assertEqual(count("told", text), 0, text)

    def test_phrases_and_ends_of_sentences(self):
        self.assertEqual(count("ask* for", "asks for, asked_for, ask\n// for, asking of"), 3)
        self.assertEqual(count(", too$", "this, too. that, too many, and, too"), 2)

    def test_a_ceiling_only_falls(self):
        text = "# x\n   3 told -> say who\n   1 lent -> outstanding\n"
        rows = words.parse(text)
        self.assertEqual(len(list(words.findings(rows, {"told": 3, "lent": 1}))), 0)
        self.assertIn("4 times, at most 3", *words.findings(rows, {"told": 4, "lent": 1}))
        self.assertIn("lower the ceiling of 3", *words.findings(rows, {"told": 2, "lent": 1}))
        self.assertEqual(words.lowered(text, {"told": 2, "lent": 5}),
                         text.replace("3 told", "2 told"))


class Limits(unittest.TestCase):
    def test_values(self):
        for text, value in (("constexpr std::size_t kA = 1'000;", 1000), ("int kA{7};", 7),
                            ("constexpr auto kA = 16u << 20;", 16 << 20),
                            ("auto kA = std::size_t{4} << 20;", 4 << 20),
                            ("kA = 0xff'ffff;", 0xffffff),
                            ("kB = 3; kA = 2 * kB;", 6), ("kA = (1 << 12) - 1;", 4095)):
            self.assertEqual(limits.value_of(text, "kA"), value, text)
        self.assertEqual(limits.value_of("kA = 2 * kB;", "kA", "kB = 3;"), 6)
        self.assertIsNone(limits.value_of("kA = size();", "kA"))

    def test_a_constant_without_a_row_is_named(self):
        files = {"a/b.hpp": "inline constexpr std::size_t kRowsMax = 3;  // kOldMax = 4"}
        self.assertEqual(limits.constants(files), {("a/b.hpp", "kRowsMax")})
        found = list(limits.findings("[A]\n", files, ""))
        self.assertIn("kRowsMax has no row", found[0])
        listed = "[A]\na/b.hpp kRowsMax | rows | refused\n"
        made = limits.document(limits.parse(listed)[0], files)
        self.assertIn("| 3 | rows | refused | `kRowsMax` in `a/b.hpp` |", made)
        grown = {"a/b.hpp": files["a/b.hpp"].replace("= 3", "= 4")}
        self.assertIn("differs from the constants", "".join(limits.findings(listed, grown, made)))


if __name__ == "__main__":
    unittest.main()
