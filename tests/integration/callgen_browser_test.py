#!/usr/bin/env python3
"""callgen's pages in a headless Chromium: the live page and the report fit wide and narrow windows,
light and dark, and their numbers are rounded as a person would.

Needs chromium, chromium-driver and python3-selenium (deploy/install check). Without them it is
skipped. XBIND_TEST_FIGURES=DIR also
writes screenshots.
"""

import os
import re
import tempfile
from pathlib import Path

from browser import CHROMIUM, DRIVER, SKIP, webdriver
from callgen_live_test import live_address
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from running_load import Run

try:
    from selenium.webdriver.chrome.service import Service
except ImportError:
    pass  # SKIP says so

WINDOWS = [(scheme, width) for scheme in ("light", "dark") for width in (1280, 390)]
FIGURES = os.environ.get("XBIND_TEST_FIGURES")

# Tables and pictures that a reader would have to move sideways; folded raw numbers may be wide.
WIDE = """return [...document.querySelectorAll('.wide')]
  .filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.innerText.slice(0, 60));"""
# What a person does not write: 0.123456, 12345, 1.5e+04.
NOT_ROUNDED = re.compile(r"[1-9]\d*\.\d{3,}|\.0*[1-9]\d{3,}|(?<![.\d])\d{5,}|\de[+-]\d")


@unittest.skipIf(SKIP, SKIP)
class Pages(InOneLab):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        options = webdriver.ChromeOptions()
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                     "--disable-dev-shm-usage"):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        cls.browser = webdriver.Chrome(service=Service(DRIVER), options=options)
        cls.addClassCleanup(cls.browser.quit)

    def windows(self, name):
        """The open page in each window; nothing lies beyond its side."""
        for scheme, width in WINDOWS:
            with self.subTest(scheme=scheme, width=width):
                self.browser.execute_cdp_cmd(
                    "Emulation.setEmulatedMedia",
                    {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
                self.browser.execute_cdp_cmd(
                    "Emulation.setDeviceMetricsOverride",
                    {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
                yield scheme, width
                self.assertEqual(self.browser.execute_script(
                    "return document.documentElement.scrollWidth"), width)
                ground = self.browser.execute_script(
                    "return getComputedStyle(document.body).backgroundColor")
                self.assertEqual(ground == "rgb(255, 255, 255)", scheme == "light", ground)
                if FIGURES:
                    self.browser.save_screenshot(f"{FIGURES}/{name}-{scheme}-{width}.png")

    def text(self, what):
        return self.browser.find_element("css selector", what).text

    def test_the_live_page_shows_the_run(self):
        load = Run(self.lab, Load(calls=100_000, rate=200, hold=0.05), "--live", "127.0.0.1:0")
        self.addCleanup(load.reader.join)
        self.addCleanup(load.process.kill)
        self.browser.get("http://{}:{}/".format(*live_address(load)))
        wait_until(lambda: self.text("#state") == "offering", "the page shows the run")
        wait_until(lambda: "connected" in self.text("#results"), "the page shows results")
        for _ in self.windows("live"):
            wait_until(lambda: self.browser.find_elements("css selector", "#c1 path"), "a chart")
            self.assertIn("rate asked", self.text("#numbers"))
        self.assertEqual(self.browser.get_log("browser"), [])
        load.process.terminate()
        load.finish()
        wait_until(lambda: "no longer answers" in self.text("#state"), "the end is shown")

    def test_the_report_fits_and_is_rounded(self):
        with tempfile.TemporaryDirectory() as folder:
            scenario = ROOT / "callgen" / "scenarios" / "day.toml"
            done = tool(self.lab, "xbind-callgen", "run", "--scenario", scenario, "--out", folder)
            self.assertIn(done.returncode, (0, 3), done.stderr)
            self.browser.get((Path(folder) / "index.html").as_uri())
            for _ in self.windows("report"):
                self.assertEqual(self.browser.execute_script(WIDE), [])
        cells = self.browser.execute_script(
            "return [...document.querySelectorAll('td.number')].map(e => e.textContent)")
        self.assertGreater(len(cells), 50)
        self.assertEqual([cell for cell in cells if NOT_ROUNDED.search(cell)], [])

    def test_the_figures_fit(self):
        self.browser.get((ROOT / "docs" / "figures" / "1999" / "index.html").as_uri())
        for _ in self.windows("figures"):
            self.assertTrue(self.text("h1"))


if __name__ == "__main__":
    main()
