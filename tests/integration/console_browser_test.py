#!/usr/bin/env python3
"""The console's page in a headless Chromium: it fits wide and narrow windows, its texts have
contrast in light and dark, nothing goes wrong in it, and what it shows is live.

Needs chromium, chromium-driver and python3-selenium (deploy/install check). Without them it is
skipped. XBIND_TEST_FIGURES=DIR
also writes the figures of docs/figures.
"""

import os
from pathlib import Path

from browser import CHROMIUM, DRIVER, SKIP, webdriver
from console_client import *  # pylint: disable=wildcard-import,unused-wildcard-import
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from running_load import Run

try:
    from selenium.common.exceptions import StaleElementReferenceException
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import Select, WebDriverWait
except ImportError:
    pass  # SKIP says so

OPTIONS = [(None, "writable", "true"), (None, "interval-ms", 200)]
TOPOLOGY = ROOT / "deploy" / "topologies" / "ring6.toml"
FROM, TO = "node-1", "node-3"
TOO_MUCH = 400_000  # cells/s
WIDE, NARROW = (1280, 900), (390, 844)
VIEWS = ["network", "calls", "load", "health", "events", "request"]
FIGURES = os.environ.get("XBIND_TEST_FIGURES")

# Texts whose contrast with their ground is below WCAG's level AA, as [text, ratio].
CONTRAST = """
const gamma = (c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const channel = (c) => gamma(c / 255);
const rgba = (text) => text.match(/[\\d.]+/g).map(Number);
const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
function ground(element) {
  for (let at = element; at; at = at.parentElement) {
    const color = rgba(getComputedStyle(at).backgroundColor);
    if (color.length < 4 || color[3] > 0.99) return color;
  }
  return [255, 255, 255];
}
const poor = [];
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const element = texts.currentNode.parentElement;
  const text = texts.currentNode.textContent.trim();
  const box = element.getBoundingClientRect();
  if (!text || box.width === 0) continue;
  if (element.closest('[hidden], title, option, datalist, noscript, .skip, :disabled')) continue;
  const style = getComputedStyle(element);
  const front = luminance(rgba(element instanceof SVGElement ? style.fill : style.color));
  const back = luminance(ground(element));
  const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
  const size = parseFloat(style.fontSize);
  const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
  if (ratio < (large ? 3 : 4.5)) poor.push([text, Math.round(100 * ratio) / 100]);
}
return poor;
"""

# Texts whose box is too narrow for them, so that they are cut off or run into their neighbours.
CLIPPED = """
const texts = ':is(td, th, dd, dt, li, p, h2, h3, label, button, span, a)';
return [...document.querySelectorAll(`main ${texts}`)]
  .filter((one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.textContent.trim());
"""

# How many letters a view shows.
TEXTS = """
const view = document.querySelector(arguments[0]);
return view.hidden ? 0 : view.textContent.length;
"""

# Whether the first curve of a view has points.
CURVE = """
const curve = document.querySelector(`#view-${arguments[0]} .chart path`);
return Boolean(curve?.getAttribute('d').includes('L'));
"""


class Browser:

    def __init__(self, url):
        options = webdriver.ChromeOptions()
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                     "--disable-dev-shm-usage"):
            options.add_argument(word)
        options.binary_location = CHROMIUM
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.url = url
        self.driver = webdriver.Chrome(service=Service(DRIVER), options=options)
        self.driver.set_page_load_timeout(60)

    def close(self):
        self.driver.quit()

    def scheme(self, name):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": name}]})

    def size(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def open(self, view):
        """Loads the page anew and waits until it is live."""
        self.driver.get("about:blank")
        self.driver.get(f"{self.url}#{view}")
        self.wait(lambda: self.text("#live-text") == "live", "the page is live")

    def go(self, view):
        """Shows another view of the page, which is not loaded anew; waits until it has texts."""
        name = view.partition("/")[0].partition("?")[0]
        self.script("location.hash = arguments[0];", f"#{view}")
        self.wait(lambda: self.script(TEXTS, f"#view-{name}") > 20, f"{view} has texts")

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector):
        """The text of all such elements, also while the page replaces them."""
        try:
            return " ".join(one.text for one in
                            self.driver.find_elements(By.CSS_SELECTOR, selector))
        except StaleElementReferenceException:
            return ""

    def wait(self, condition, what):
        WebDriverWait(self.driver, 30, 0.1).until(lambda _: condition(), f"never: {what}")

    def errors(self):
        """What the page has logged, without the answers 4xx that a test has asked for."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["source"] != "network" or " 409 " not in entry["message"]]


@unittest.skipIf(SKIP, SKIP)
class Page(InOneLab):
    LAB = {"topology": TOPOLOGY, "console": True, "more": {"xbind-console": OPTIONS}}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.console = Console(cls.lab.processes["xbind-console"].address)
        cls.console.wait_until_known()
        cls.browser = Browser(f"http://{cls.console.address}/")
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.browser.scheme("light")
        self.browser.size(*WIDE)

    def tearDown(self):
        self.assertEqual(self.browser.errors(), [])

    def connect(self, cells_per_s=1_000):
        done = tool(self.lab, "xbindctl", "connect", FROM, TO, "--cells-per-s", str(cells_per_s))
        self.assertEqual(done.returncode, 0, done.stderr)
        return connection_of(done)

    def test_every_view_fits_its_window_and_can_be_read(self):
        call = self.connect()
        for width, height in (WIDE, NARROW):
            self.browser.size(width, height)
            self.browser.open(VIEWS[0])
            for view in (*VIEWS, f"call/default/{call}"):
                self.browser.go(view)
                for scheme in ("light", "dark"):
                    with self.subTest(f"{view} {scheme} {width}"):
                        self.browser.scheme(scheme)
                        self.assertLessEqual(self.browser.script(
                            "return document.documentElement.scrollWidth"), width)
                        self.assertEqual(self.browser.script(CONTRAST), [])
                        self.assertEqual(self.browser.script(CLIPPED), [])

    def test_a_call_appears_changes_the_map_and_goes(self):
        self.browser.open("calls?from=node-4")
        self.browser.wait(lambda: "No call matches" in self.browser.text("#view-calls"),
                          "the list is empty")
        done = tool(self.lab, "xbindctl", "connect", "node-4", "node-5", "--cells-per-s", "250000")
        call = connection_of(done)
        self.browser.wait(lambda: call in self.browser.text("#view-calls"), "the call is listed")
        tool(self.lab, "xbindctl", "release", call)
        self.browser.wait(lambda: "No call matches" in self.browser.text("#view-calls"),
                          "the call is gone")

    def test_the_map_shows_load_and_a_link_that_is_down(self):
        self.browser.open("network")
        done = tool(self.lab, "xbindctl", "connect", "node-5", "node-6", "--cells-per-s", "250000")
        self.browser.wait(lambda: "71 %" in self.browser.text(".map"), "the load is on the map")
        tool(self.lab, "xbindctl", "release", connection_of(done))
        tool(self.lab, "xbindctl", "drain", "node-5", "3")
        self.browser.wait(lambda: "line drained" in self.browser.text("#view-network"), "an alarm")
        self.browser.wait(lambda: self.browser.text("#alarm-count") == "1", "it is counted alone")

        self.browser.driver.get(f"{self.browser.url}#health")
        self.browser.find("input[name=by]").send_keys("ada")
        self.browser.find(".list button").click()
        self.browser.wait(lambda: "acknowledged by ada" in self.browser.text("#view-health"),
                          "it is acknowledged")
        self.browser.wait(lambda: self.browser.text("#alarm-count") == "", "it is not counted")
        tool(self.lab, "xbindctl", "undrain", "node-5", "3")
        self.browser.wait(lambda: "ada" not in self.browser.text("#view-health"), "no alarm")

    def test_events_are_live_chosen_and_can_be_held(self):
        self.browser.open("events")
        call = self.connect()
        shown = lambda: self.browser.text("#view-events tbody")
        self.browser.wait(lambda: call in shown(), "the setup is shown")
        self.assertIn(f"{FROM} → {TO}", shown())
        self.browser.find("#view-events input[name=calls]").click()
        self.browser.wait(lambda: call not in shown(), "calls are left out")
        self.assertIn("session attached", shown())
        self.browser.find("#view-events input[name=calls]").click()
        self.browser.find("#view-events input[name=text]").send_keys(call)
        self.browser.wait(lambda: "1 of " in self.browser.text("#view-events"), "one is left")
        self.assertIn(f"text={call}", self.browser.driver.current_url)
        self.browser.find("#view-events button").click()
        tool(self.lab, "xbindctl", "release", call)
        wait_until(lambda: len(self.console.get("/api/v1/event-log", connection=call)["events"])
                   == 2, "the console knows the release")
        self.assertNotIn("released", shown())
        self.browser.find("#view-events button").click()
        self.browser.wait(lambda: "released" in shown(), "it goes on")

    def test_the_form_says_why_a_call_is_refused_and_what_would_fit(self):
        self.browser.open(f"request?from={FROM}&to={TO}&cells_per_s={TOO_MUCH}")
        self.browser.wait(self.browser.find("button.primary").is_enabled, "it is writable")
        self.browser.find("button.primary").click()
        self.browser.wait(lambda: "Refused: no bandwidth" in self.browser.text("#refusal"),
                          "a refusal")
        self.assertIn("400,000", self.browser.text("#refusal"))
        self.assertIn("What to do", self.browser.text("#view-request"))
        for size in (NARROW, WIDE):
            self.browser.size(*size)
            self.assertEqual(self.browser.script(CLIPPED), [])
        self.browser.find("#alternative button").click()
        self.browser.wait(lambda: "It fits" in self.browser.text("#view-request"), "it would fit")
        self.browser.find("button.primary").click()
        self.browser.wait(lambda: "Connected" in self.browser.text("#view-request"), "a call")

        self.browser.find(".verdict a").click()  # to the call, which is released
        self.browser.wait(lambda: "node-1" in self.browser.text(".path"), "its path")
        for _ in range(2):  # it asks again
            self.browser.find("button.danger").click()
        self.browser.wait(lambda: "released" in self.browser.text("#view-call"), "it is released")

    def test_times_of_a_setup_that_nobody_knows_are_no_zeros(self):
        """A call that is older than its manager: it has no times, and there are no means."""
        shown = self.browser.driver.execute_async_script("""
            const done = arguments[arguments.length - 1];
            const line = { stages: ['admission', 'total'].map((stage) => (
              { stage, progress: 'done', ns: null, ns_of_all: 0, count_of_all: 0 })) };
            import('/call.js').then(({ stages }) => {
              const place = document.createElement('div');
              place.append(...stages(line));
              done(place.textContent);
            }, (wrong) => done(String(wrong)));""")
        self.assertIn("no times are known", shown)
        self.assertRegex(shown, "admission\u2013 done")

    def test_a_service_is_chosen_from_the_catalogue(self):
        self.browser.open(f"request?from={FROM}&to={TO}")
        self.browser.find("input[value=service]").click()
        self.browser.wait(lambda: "voice-g711" in self.browser.text("select[name=service]"),
                          "the catalogue")
        Select(self.browser.find("select[name=service]")).select_by_value("voice-g711")
        self.browser.find("#check-fit").click()
        self.browser.wait(lambda: "200 cells/s" in self.browser.text("#view-request .verdict"),
                          "an answer")

    def test_pages_that_nobody_sees_take_no_connection(self):
        """A browser has six connections to a host, and a stream of events holds one."""
        driver, first = self.browser.driver, self.browser.driver.current_window_handle
        for _ in range(8):
            driver.switch_to.new_window("tab")
            self.browser.open("network")
            self.browser.wait(lambda: "writable" in self.browser.text("#about"), "it is served")
        self.assertEqual(self.console.get("/api/v1")["streams"], 1)
        for window in driver.window_handles:
            driver.switch_to.window(window)
            if window != first:
                driver.close()
        driver.switch_to.window(first)
        self.browser.open("load")
        for _ in range(7):  # a page that is left may be kept for the way back
            self.browser.open("health")
        self.browser.wait(lambda: "writable" in self.browser.text("#about"), "it is served")
        wait_until(lambda: self.console.get("/api/v1")["streams"] == 1, "the others are closed")

    def test_it_comes_back_after_the_console_was_away(self):
        self.browser.open("health")
        console = self.lab.processes["xbind-console"]
        end([console])
        self.browser.wait(lambda: "no connection" in self.browser.text("#live-text"), "it says so")
        self.lab.start("xbind-console")
        self.lab.wait_ready(self.lab.processes["xbind-console"])
        self.browser.wait(lambda: self.browser.text("#live-text") == "live", "it is live again")
        self.browser.errors()  # the requests that found nobody


@unittest.skipIf(SKIP or not FIGURES, SKIP or "NOT TESTED: XBIND_TEST_FIGURES names no directory")
class Figures(unittest.TestCase):
    """Writes the figures of docs/figures: a ring under load, with a drained link."""

    PAGES = [("network-light", "light", (1280, 1120), "network"),
             ("network-dark", "dark", (1280, 1120), "network"),
             ("network-narrow", "dark", (390, 1010), "network"),
             ("load-light", "light", (1280, 782), "load"),
             ("events-light", "light", (1280, 560),
              "events?subject=links&subject=switches&subject=sessions&subject=alarms"),
             ("refusal-light", "light", (1280, 720),
              f"request?from={FROM}&to=node-4&cells_per_s={TOO_MUCH}")]

    def test_figures(self):
        with lab_up(topology=TOPOLOGY, console=True, more={"xbind-console": OPTIONS[:1]}) as lab:
            browser = Browser(f"http://{lab.processes['xbind-console'].address}/")
            self.addCleanup(browser.close)
            load = Run(lab, Load(calls=10_000, rate=40, hold=20, cells_per_s=1_500,
                                 topology=TOPOLOGY), "--matrix", "gravity")
            load.wait_for(10)
            tool(lab, "xbindctl", "drain", "node-5", "3")
            for until in range(20, 100, 10):  # so that the curves have a past
                load.wait_for(until)
            for name, scheme, size, view in self.PAGES:
                browser.scheme(scheme)
                browser.size(*size)
                browser.open(view)
                if view.startswith("request"):
                    browser.find("#check-fit").click()
                    browser.wait(lambda: browser.text("#refusal"), "a refusal")
                elif view.startswith("events"):
                    browser.wait(lambda: browser.text("#view-events tbody"), "events")
                else:
                    browser.wait(lambda: browser.script(CURVE, view), "curves")
                browser.driver.save_screenshot(str(Path(FIGURES) / f"console-{name}.png"))
            load.process.terminate()
            load.finish()


if __name__ == "__main__":
    main()
