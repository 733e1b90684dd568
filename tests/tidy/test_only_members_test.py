#!/usr/bin/env python3
"""Plants functions that no program calls, and checks that test_only_members.py reports them."""

import unittest

from test_only_members import offences

HEADER = """namespace xbind {
class Queue {
 public:
  int size() const { return size_; }
  int left() const { return left_; }  // left() of what
  void clear();

 private:
  int size_, left_;
};
}  // namespace xbind
"""


def found(sources):
    return [(line, name, tested) for _, line, name, tested in
            offences({"core/queue.hpp": HEADER, **sources})]


class TestOnlyMembers(unittest.TestCase):
    def test_what_a_program_calls_is_well(self):
        text = "void f(Queue& q) { q.clear(); q.size() + q.left(); }"
        self.assertEqual(found({"core/a.cpp": text}), [])

    def test_what_tests_alone_call_is_found(self):
        text = "// q.left()\nvoid f(Queue& q) { q.clear(); q.size(); }"
        self.assertEqual(found({"core/a.cpp": text, "tests/unit/a.cpp": "EXPECT_EQ(q.left(), 0);"}),
                         [(5, "left", True)])

    def test_what_nobody_calls_is_found(self):
        self.assertEqual(found({"core/a.cpp": "int f(Queue& q) { return q.size() + q.left(); }"}),
                         [(6, "clear", False)])


if __name__ == "__main__":
    unittest.main()
