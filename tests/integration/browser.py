"""Whether a test of pages can start a browser: Chromium, its driver and selenium."""

import shutil
import sys

sys.path.append("/usr/lib/python3/dist-packages")  # of Debian, whichever interpreter this is
try:
    from selenium import webdriver
except ImportError:
    webdriver = None

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
MISSING = [name for name, there in [("chromium", CHROMIUM), ("chromium-driver", DRIVER),
                                    ("python3-selenium", webdriver)] if not there]
SKIP = (f"NOT TESTED: {', '.join(MISSING)} missing (deploy/install check)" if MISSING else "")
