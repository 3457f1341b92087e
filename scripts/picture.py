#!/usr/bin/env python3
"""Makes the picture of README: a trial opened in the report of a run, in 224 colours, below 200 kB.

usage: picture.py REPORT.html [TRIAL]     needs chromium, and Pillow (pip install pillow)
"""
import os
import subprocess
import sys
import tempfile
import urllib.parse

from PIL import Image

TARGET = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Sources/Reporting/Reporting.docc/report.png")

page = "file://" + urllib.parse.quote(os.path.abspath(sys.argv[1]))
if len(sys.argv) > 2:
    page += "#trial=" + urllib.parse.quote(sys.argv[2], safe="")
with tempfile.TemporaryDirectory() as folder:
    shot = os.path.join(folder, "shot.png")
    subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1400,1000",
         "--virtual-time-budget=10000", "--screenshot=" + shot, page], check=True, timeout=120, stderr=subprocess.DEVNULL)
    Image.open(shot).convert("RGB").quantize(224, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(TARGET, optimize=True)
size = os.path.getsize(TARGET)
print(f"{os.path.relpath(TARGET)}: {size:,} bytes")
sys.exit(size >= 200_000)
