#!/usr/bin/env python3
"""Checks that include_graph.py finds planted circles, missing dependencies and false rows."""

import unittest

import include_graph

TREE = {
    "core/ids.hpp": '#include <cstdint>\n',
    "core/session/session.hpp": '#include "core/ids.hpp"\n',
    "cmgr/main.cpp": '// one\n#include "types.hh"\n#include "cmgr/parts/cache.hpp"\n',
    "cmgr/parts/cache.hpp": '#include "core/session/session.hpp"\n',
    "tests/unit/cmgr/cache_test.cpp": '#include "cmgr/parts/cache.hpp"\n#include "../tools.hpp"\n',
    "tests/unit/tools.hpp": "",
    "docs/examples/call.cpp": '#include "core/ids.hpp"\n',
    "idl/types.idl": '#include "not_code.idl"\n',
}

DOCUMENT = """# Architecture
| room | what it is | depends on |
| --- | --- | --- |
| `cmgr` | The manager. | `core`, `idl` |
| `core` | What all use. | none |

The end.
"""


def graph(**more):
    """TREE with other files; `core_ids_hpp` stands for core/ids.hpp."""
    files = dict(TREE)
    for name, text in more.items():
        *folders, stem, suffix = name.split("_")
        files["/".join([*folders, f"{stem}.{suffix}"])] = text
    return include_graph.Graph(files)


def rooms(document, **more):
    return list(include_graph.room_findings(graph(**more), "a.md", document))


class Includes(unittest.TestCase):
    def test_a_file_beside_a_file_from_the_root_and_a_stub_are_resolved(self):
        for name, written, target in (
                ("tests/unit/cmgr/cache_test.cpp", "../tools.hpp", "tests/unit/tools.hpp"),
                ("cmgr/parts/cache.hpp", "core/ids.hpp", "core/ids.hpp"),
                ("cmgr/main.cpp", "types.hh", "idl/types.idl"),
                ("cmgr/main.cpp", "other.hh", None), ("cmgr/main.cpp", "ids.hpp", None)):
            self.assertEqual(include_graph.resolve(name, written, TREE), target, written)

    def test_an_include_that_names_no_file_is_found(self):
        self.assertEqual(list(graph().unresolved()), [])
        found = list(graph(core_version_cpp='#include "revision.hpp"\n#include "gone.hpp"\n')
                     .unresolved())
        self.assertEqual(len(found), 1)
        self.assertTrue(found[0].startswith('core/version.cpp:2: includes "gone.hpp"'), found)


class Circles(unittest.TestCase):
    def test_a_tree_without_a_circle_has_no_finding(self):
        self.assertEqual(list(include_graph.circle_findings(graph())), [])

    def test_files_of_one_folder_are_no_circle(self):
        self.assertEqual(list(include_graph.circle_findings(
            graph(core_a_hpp='#include "core/b.hpp"\n', core_b_hpp='#include "core/a.hpp"\n'))), [])

    def test_a_planted_circle_is_named_with_an_include_for_each_arrow(self):
        planted = graph(core_ids_hpp='#include "cmgr/parts/cache.hpp"')
        self.assertEqual(
            list(include_graph.circle_findings(planted)),
            ["cmgr/parts -> core/session -> core -> cmgr/parts: these folders include each other "
             'in a circle: cmgr/parts/cache.hpp:1 includes "core/session/session.hpp"; '
             'core/session/session.hpp:1 includes "core/ids.hpp"; '
             'core/ids.hpp:1 includes "cmgr/parts/cache.hpp"'])

    def test_a_folder_and_the_folder_within_it_are_a_circle(self):
        found = list(include_graph.circle_findings(
            graph(core_x_cpp='\n#include "core/session/session.hpp"\n')))
        self.assertEqual(len(found), 1)
        self.assertIn("core -> core/session -> core: ", found[0])
        self.assertIn("core/x.cpp:2 ", found[0])

    def test_a_circle_among_tests_counts(self):
        found = list(include_graph.circle_findings(graph(
            tests_unit_tools_hpp='#include "cmgr/made.hpp"\n',
            tests_unit_cmgr_made_hpp='#include "tests/unit/tools.hpp"\n')))
        self.assertEqual(len(found), 1)
        self.assertIn("tests/unit -> tests/unit/cmgr -> tests/unit: ", found[0])

    def test_the_circle_of_a_folder_that_only_leads_to_one_is_left_to_its_members(self):
        self.assertEqual(include_graph.circles({"a": {"b": ""}, "b": {"c": ""}, "c": {"b": ""}}),
                         [["b", "c"]])

    def test_an_arrow_that_closes_two_circles_is_named_once_by_the_shorter_one(self):
        self.assertEqual(include_graph.circles(
            {"a": {"b": ""}, "b": {"c": "", "d": ""}, "c": {"a": ""}, "d": {"b": "", "a": ""}}),
            [["b", "d"], ["a", "b", "c"]])

    def test_two_circles_are_two_findings(self):
        self.assertEqual(include_graph.circles(
            {"a": {"b": ""}, "b": {"a": ""}, "c": {"d": ""}, "d": {"c": ""}}),
            [["a", "b"], ["c", "d"]])


class Rooms(unittest.TestCase):
    def test_tests_and_documents_are_no_rooms_and_stubs_are_idl(self):
        self.assertEqual(graph().rooms(), ["cmgr", "core"])
        self.assertEqual(graph().room_dependencies()["cmgr"], {
            "core": 'cmgr/parts/cache.hpp:1 includes "core/session/session.hpp"',
            "idl": 'cmgr/main.cpp:2 includes "types.hh"'})

    def test_a_table_that_agrees_has_no_finding(self):
        self.assertEqual(rooms(DOCUMENT), [])

    def test_a_planted_dependency_that_the_row_does_not_list_is_named(self):
        self.assertEqual(
            rooms(DOCUMENT, core_new_hpp='#include "cmgr/parts/cache.hpp"\n'),
            ["a.md: core depends on cmgr, which its row does not list: "
             'core/new.hpp:1 includes "cmgr/parts/cache.hpp"'])

    def test_a_dependency_that_no_file_has_is_named(self):
        self.assertEqual(
            rooms(DOCUMENT.replace("none", "`cmgr`")),
            ["a.md: the row of core lists cmgr, but no file of core includes a header of it"])

    def test_a_room_without_a_row_and_a_row_without_a_room_are_named(self):
        self.assertEqual(rooms(DOCUMENT, orb_runtime_cpp=""),
                         ["a.md: the table of rooms has no row for orb"])
        self.assertEqual(rooms(DOCUMENT.replace("\n\n", "\n| `gsmp` | A protocol. | none |\n\n")),
                         ["a.md: the table of rooms has a row for gsmp, which has no C++ files"])

    def test_the_form_of_the_table_is_held(self):
        for old, new, sentence in (
                ("| room |", "| house |", "there is no table with the head"),
                ("`core`, `idl`", "`idl`, `core`", "the third column is neither"),
                ("none", "nothing at all", "the third column is neither"),
                ("| `core` |", "| core |", "is no row of a room"),
                ("\n\n", "\n| `core` | Again. | none |\n\n", "has two rows")):
            found = " ".join(rooms(DOCUMENT.replace(old, new)))
            self.assertIn(sentence, found)


if __name__ == "__main__":
    unittest.main()
