#!/usr/bin/env python3
"""Write an object file with Unicode's data for English and for no language, in place of 34 MB for all languages.

    scripts/parts/small-icu.py OUTPUT.o

A program with a static Foundation has the data of ICU. Earshot needs neither other languages nor old encodings of text. The
script prints the options of `swift build` that link this file in place of the toolchain's. Needs `ar`, `objcopy`, `nm`, `cc`.
"""
import json
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

if "--help" in sys.argv[1:]:
    sys.exit(print(__doc__.strip()))

LOCALE = re.compile(r"([a-z]{2,3})(_[A-Z][a-z]{3})?(_([A-Z]{2}|\d{3}))?(_[A-Za-z]+)*")


def is_kept(name: str) -> bool:
    """Whether an item such as `icudt76l/lang/de.res` stays: no other language, no old encoding, no dictionary of words."""
    stem, _, kind = name.rsplit("/", 1)[1].rpartition(".")
    if kind in ("cnv", "dict", "cfu", "spp") or "/translit/" in name:
        return False
    locale = LOCALE.fullmatch(stem)
    return kind != "res" or locale is None or locale[1] == "en"


def filtered(data: bytes) -> bytes:
    """A package of ICU with the items that stay. After a head come a count, places of names and of data, names, and data."""
    start = struct.unpack_from("<H", data)[0]
    head, table = data[:start], data[start:]
    places = list(struct.iter_unpack("<II", table[4:4 + 8 * struct.unpack_from("<I", table)[0]]))
    ends = [place for _, place in places[1:]] + [len(table)]
    items = []
    for (name, begin), end in zip(places, ends):
        text = table[name:table.index(b"\0", name)]
        if is_kept(text.decode()):
            items.append((text + b"\0", table[begin:end]))
    names_at = 4 + 8 * len(items)
    at = -(-(names_at + sum(len(name) for name, _ in items)) // 16) * 16
    index, names, body, first = b"", b"", b"", at
    for name, item in items:
        index += struct.pack("<II", names_at + len(names), first + len(body))
        names += name
        body += item + bytes(-len(item) % 16)
    top = struct.pack("<I", len(items)) + index + names
    return head + top.ljust(first, b"\0") + body


def main(output: Path) -> None:
    info = json.loads(subprocess.run(["swift", "-print-target-info"], capture_output=True, check=True).stdout)
    archive = Path(info["paths"]["runtimeResourcePath"]).parent / "swift_static/linux/lib_FoundationICU.a"
    with tempfile.TemporaryDirectory() as folder:
        def run(*command: str) -> str:
            return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout

        run("ar", "x", str(archive), "icu_packaged_data.cpp.o")
        symbols = [line.split()[2] for line in run("nm", "icu_packaged_data.cpp.o").splitlines()]
        if len(symbols) != 1:
            sys.exit(f"small-icu: expected one symbol in the data of {archive}, found {' '.join(symbols)}")
        run("objcopy", "-O", "binary", "--only-section=.rodata", "icu_packaged_data.cpp.o", "all.dat")
        data = (Path(folder) / "all.dat").read_bytes()
        small = filtered(data)
        (Path(folder) / "small.dat").write_bytes(small)
        (Path(folder) / "small.s").write_text(
            f'.section .rodata\n.balign 16\n.globl __wrap_{symbols[0]}\n__wrap_{symbols[0]}:\n.incbin "small.dat"\n'
            '.section .note.GNU-stack,"",@progbits\n')
        run("cc", "-c", "small.s", "-o", str(output.resolve()))
        print(f"{output}: {len(small) / 1e6:.1f} MB of {len(data) / 1e6:.1f} MB", file=sys.stderr)
        print(f"-Xlinker --wrap={symbols[0]} -Xlinker {output.resolve()}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
