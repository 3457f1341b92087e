#!/usr/bin/env python3
"""Check that no audio is lost without a word: containers times faults, made by ffmpeg from music of a formula.

usage: scripts/checks/containers.py [--verbose] [--table FILE] [CONTAINER...]
                                   [lengths|joined|late|tracks|pictures|tags|gaps...]

EARSHOT_BINARY is the program, .build/release/earshot by default. Prints the wrong cells, with --verbose all, one a line:
seconds read, seconds there, place in ms from where it is expected, exit code, warning. Exits with 1 if a cell loses audio
without a warning, moves it by more than 1 ms (more where the format states no delay), calls intact audio damaged, or needs
memory for a gap.
"""
import array, json, math, os, pathlib, random, struct, subprocess, sys, tempfile, wave

from harness import EARSHOT

if "--help" in sys.argv[1:]:
    sys.exit(print(__doc__.strip()))

RATE = 44_100
# Where the two recordings are cut, in seconds, and their length.
CUTS, LENGTH = {"one": 6, "two": 8}, 8

# The codec of each container, the picture's codec if it has one, and the milliseconds that its format states nowhere:
# of the encoder's delay, and of blocks that are longer than the audio.
CONTAINERS = {
    "wav": ("pcm_s16le", None, 0, 0), "w24": ("pcm_s24le", None, 0, 0), "aiff": ("pcm_s16be", None, 0, 0),
    "au": ("pcm_s16be", None, 0, 0), "caf": ("pcm_s16le", None, 0, 0), "w64": ("pcm_s16le", None, 0, 0),
    "rf64": ("pcm_s16le", None, 0, 0), "ima": ("adpcm_ima_wav", None, 0, 60), "flac": ("flac", None, 0, 0),
    "mp3": ("libmp3lame", None, 0, 0), "vbr": ("libmp3lame", None, 26, 60), "ogg": ("libvorbis", None, 0, 0),
    "oga": ("flac", None, 0, 0), "opus": ("libopus", None, 0, 1), "aac": ("aac", None, 24, 60),
    "mp2": ("mp2", None, 12, 60), "ac3": ("ac3", None, 7, 60), "m4a": ("aac", None, 0, 30),
    "mp4": ("aac", "mpeg4", 0, 30), "mov": ("aac", "mpeg4", 0, 30), "3gp": ("aac", "mpeg4", 0, 30),
    "mkv": ("flac", "mpeg4", 0, 5), "webm": ("libopus", "libvpx", 7, 10), "ts": ("mp2", "mpeg2video", 12, 60),
    "m2ts": ("ac3", "mpeg2video", 7, 60), "mpg": ("mp2", "mpeg1video", 12, 60), "avi": ("mp2", "mpeg4", 12, 60),
    "wmv": ("wmav2", "wmv2", 50, 100), "flv": ("aac", "flv", 24, 60),
}
MUXERS = {"w24": "wav", "rf64": "wav", "ima": "wav", "vbr": "mp3", "oga": "ogg", "m2ts": "mpegts", "3gp": "mp4", "wmv": "asf",
          "mpg": "mpeg", "aac": "adts", "m4a": "ipod", "mkv": "matroska", "ts": "mpegts"}
MORE = {"rf64": ["-rf64", "always"], "vbr": ["-q:a", "6", "-write_xing", "0", "-id3v2_version", "0"],
        "m2ts": ["-mpegts_m2ts_mode", "1"]}
# Containers that can state a gap.
TIMED = ("ogg", "oga", "opus", "m4a", "mp4", "mov", "3gp", "mkv", "webm", "ts", "m2ts", "mpg", "avi", "wmv", "flv")


def music(seed, seconds):
    """Notes of three harmonics and drums, as 16-bit samples."""
    random.seed(seed)
    low = RATE // 4
    out = [0.0] * (seconds * low)
    time = 0.0
    while time < seconds - 1:
        for _ in range(3):
            pitch, length, gain = 110 * 2 ** (random.randrange(36) / 12), random.uniform(.2, .7), random.uniform(.05, .2)
            begin = int(time * low)
            for index in range(int(length * low)):
                angle = 2 * math.pi * pitch * index / low
                out[begin + index] += gain * math.exp(-4 * index / low) * (math.sin(angle) + .5 * math.sin(2 * angle)
                                                                          + .3 * math.sin(3 * angle)) * min(1, index / 50)
        begin = int(time * low)
        for index in range(low // 12):
            out[begin + index] += random.uniform(-.2, .2) * math.exp(-40 * index / low)
        time += random.uniform(.12, .4)
    return array.array("h", (int(32_000 * max(-1, min(1, x))) for x in out)), low


def run(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, **more)


def ffmpeg(*words):
    done = run("ffmpeg", "-nostdin", "-v", "error", "-y", "-bitexact", *words)
    if done.returncode:
        raise RuntimeError(done.stderr.decode()[-300:])


class Bench:
    def __init__(self, folder):
        self.folder = folder
        self.cells = []
        for number, name in enumerate(CUTS):
            samples, low = music(number + 1, 24)
            with wave.open(str(folder / "low.wav"), "wb") as file:
                file.setparams((1, 2, low, len(samples), "NONE", ""))
                file.writeframes(samples.tobytes())
            ffmpeg("-i", folder / "low.wav", "-ar", RATE, "-ac", 2, folder / f"{name}.wav")
            ffmpeg("-i", folder / f"{name}.wav", "-af",
                   f"atrim=start_sample={CUTS[name] * RATE}:end_sample={(CUTS[name] + LENGTH) * RATE},asetpts=PTS-STARTPTS",
                   folder / f"cut-{name}.wav")
            done = run(EARSHOT, "custom-catalog", "create", "-s", f"{name}.wav", "-o", f"{name}.earcatalog", cwd=folder)
            if done.returncode:
                raise RuntimeError(done.stderr.decode())

    def encode(self, container, name="one", *options, target=None, inputs=()):
        codec, _, _, _ = CONTAINERS[container]
        target = target or self.folder / f"{name}.{container}"
        ffmpeg(*(inputs or ("-i", self.folder / f"cut-{name}.wav")), "-c:a", codec, *MORE.get(container, []), *options,
               "-f", MUXERS.get(container, container), target)
        return target.read_bytes()

    def add(self, container, fault, content, seconds, places, intact=False, warns=False, options=()):
        """Expects `seconds`, and each of `places`, a name and the second at which its cut begins."""
        path = self.folder / f"{container}-{fault}.{'wav' if container in ('w24', 'ima') else container}"
        path.write_bytes(bytes(content))
        self.cells.append(dict(container=container, fault=fault, path=path, seconds=seconds, places=places, intact=intact,
                               warns=warns, options=list(options), offsets={}))


def field(content, place, size, order, value):
    content = bytearray(content)
    content[place:place + size] = (value & (1 << 8 * size) - 1).to_bytes(size, order)
    return content


# Where a container states the length of its samples: a mark, the bytes from there, the size and the order.
LENGTHS = {"wav": (b"data", 4, 4, "little"), "w24": (b"data", 4, 4, "little"), "ima": (b"data", 4, 4, "little"),
           "rf64": (b"ds64", 16, 8, "little"), "aiff": (b"SSND", 4, 4, "big"), "au": (b".snd", 8, 4, "big"),
           "caf": (b"data", 4, 8, "big"), "w64": (b"data", 16, 8, "little"), "flac": (b"fLaC", 22, 4, "big"),
           "mp3": (b"Info", 8, 4, "big")}


def signed(content):
    """The same Ogg file with the checksum of its last page."""
    content = bytearray(content)
    place = content.rindex(b"OggS")
    content[place + 22:place + 26] = bytes(4)
    checksum = 0
    for byte in content[place:]:
        checksum ^= byte << 24
        for _ in range(8):
            checksum = (checksum << 1 ^ (0x04C11DB7 if checksum >> 31 else 0)) & 0xFFFFFFFF
    content[place + 22:place + 26] = checksum.to_bytes(4, "little")
    return content


def lengths(bench, container):
    content = bench.encode(container)
    if MUXERS.get(container, container) in ("ogg", "opus"):
        place, size, order = content.rindex(b"OggS") + 6, 8, "little"
    elif container in LENGTHS:
        mark, distance, size, order = LENGTHS[container]
        place = content.index(mark) + distance
    else:
        return
    value = int.from_bytes(content[place:place + size], order)
    for name, length in (("too small", value // 24 * 12), ("too large", value * 2), ("0", 0)):
        changed = field(content, place, size, order, length)
        bench.add(container, f"length {name}", signed(changed) if b"OggS" in changed else changed, LENGTH, [("one", 0)])


def joined(bench, container):
    one, two = bench.encode(container), bench.encode(container, "two")
    bench.add(container, "joined", one + two, 2 * LENGTH, [("one", 0), ("two", LENGTH)])
    rate = 24_000 if "opus" in CONTAINERS[container][0] else 32_000 if container in ("ac3", "m2ts") else 22_050
    other = bench.encode(container, "two", "-ar", rate, "-ac", 1)
    bench.add(container, "changed format", one + other, 2 * LENGTH, [("one", 0), ("two", LENGTH)])


def late(bench, container):
    _, picture, _, _ = CONTAINERS[container]
    if not picture:
        return
    video = ["-f", "lavfi", "-i", "testsrc=size=64x64:rate=25:duration=11"]
    inputs = ["-itsoffset", 3, "-i", bench.folder / "cut-one.wav", *video, "-map", 1, "-map", 0, "-c:v", picture]
    content = bench.encode(container, "one", inputs=inputs)
    # The AVI of ffmpeg has no place for a late start: it is lost when it is written.
    start = 0 if container == "avi" else 3
    bench.add(container, "late start", content, LENGTH + start, [("one", start)], intact=True)


def tracks(bench, container):
    if container not in ("mkv", "mp4", "mov", "m4a", "3gp", "ts", "m2ts", "mpg", "webm", "wmv"):
        return
    inputs = ["-i", bench.folder / "cut-one.wav", "-i", bench.folder / "cut-two.wav", "-map", 0, "-map", 1]
    content = bench.encode(container, "one", inputs=inputs)
    bench.add(container, "two tracks", content, LENGTH, [("one", 0)], intact=True, options=["--track", "1"])
    bench.add(container, "second track", content, LENGTH, [("two", 0)], intact=True, options=["--track", "2"])
    # What names the codec of a track: MP4 has a number besides, and WMV only a number before the channels and the rate.
    marks = {"mkv": b"A_FLAC", "webm": b"A_OPUS", "wmv": struct.pack("<HHI", 0x161, 2, RATE)}
    mark = marks.get(container, b"mp4a")
    if mark in content:
        broken = bytearray(content)
        place = content.rindex(mark)
        if container == "wmv":
            broken[place:place + 2] = b"\x99\x99"
        else:
            broken[place + len(mark) - 3:place + len(mark)] = b"XYZ"
        if mark == b"mp4a":
            start = content.rindex(b"stsd")
            broken[start:] = content[start:].replace(mark, b"mXYZ")
            broken[content.index(b"\x40\x15", start)] = 0xFE
        bench.add(container, "one unreadable", broken, LENGTH, [("one", 0)], warns=True)


def pictures(bench, container):
    if container not in ("m4a", "mp3", "flac", "mkv", "wmv"):
        return
    cover = bench.folder / "cover.jpg"
    ffmpeg("-f", "lavfi", "-i", "testsrc=size=300x300:rate=1", "-frames:v", 1, cover)
    inputs = ["-i", bench.folder / "cut-one.wav", "-i", cover, "-map", 0, "-map", 1, "-c:v", "mjpeg",
              "-disposition:v", "attached_pic"]
    content = bytearray(bench.encode(container, "one", inputs=inputs))
    place = content.index(b"\xff\xd8\xff")
    content[place:place + 600] = b"U" * 600
    bench.add(container, "picture broken", content, LENGTH, [("one", 0)], intact=True)


def tags(bench, container):
    if container not in ("wav", "aiff", "au", "caf", "w64", "flac", "mp3", "aac", "w24", "ac3", "mp2", "vbr"):
        return
    content = bytes(bench.encode(container))
    body = b"COMM" + (149_999).to_bytes(4, "big") + b"\0\0\0eng\0" + b"x" * 149_994
    size = len(body)
    before = b"ID3\3\0\0" + bytes(size >> shift & 127 for shift in (21, 14, 7, 0)) + body
    lyrics = b"LYRICSBEGINLYR05000" + b"a word " * 714 + b"ab"
    last = b"TAG" + b"title".ljust(125)
    after = {"Lyrics3": lyrics + b"%06d" % len(lyrics) + b"LYRICS200" + last,
             "APE": b"x" * 60_000 + b"APETAGEX" + struct.pack("<IIIIQ", 2000, 60_032, 1, 0, 0) + last, "ID3": before}
    for name, tag in after.items():
        bench.add(container, f"ID3 and {name} at both ends", before + content + tag, LENGTH, [("one", 0)], intact=True)


def gaps(bench, container):
    if container not in TIMED:
        return
    inputs = ["-i", bench.folder / "cut-one.wav", "-i", bench.folder / "cut-two.wav", "-filter_complex",
              r"[0][1]concat=n=2:v=0:a=1,asetpts=PTS+gte(T\,8)*1800/TB"]
    # AVI has an empty chunk for each missing frame. ffmpeg writes at most 60,000 of them, and passes over them.
    content = bench.encode(container, "one", *(["-ar", 32_000] if container == "avi" else []), inputs=inputs)
    start = LENGTH if container == "avi" else LENGTH + 1800
    bench.add(container, "gap of 30 minutes", content, start + LENGTH, [("one", 0), ("two", start)], warns=True)


def ask(bench, name, options, cells):
    """Matches `cells` in one run, whose memory, in MB, includes that of its decoders."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        words = ["match", "--catalog", f"{name}.earcatalog", "--json", *options, *(cell["path"].name for cell in cells)]
        process = subprocess.Popen([EARSHOT, *words], cwd=bench.folder, stdout=output, stderr=errors)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        lines, complaints = (file.seek(0) or file.read().decode() for file in (output, errors))
    lines = lines.splitlines()
    if len(lines) != len(cells):
        sys.exit(f"containers: {EARSHOT} answered {len(lines)} of {len(cells)} queries: {complaints[-500:]}")
    for cell, line in zip(cells, lines):
        file = cell["path"].name
        cell["memory"] = used.ru_maxrss // 1024
        cell["answer"] = json.loads(line)
        cell["offsets"][name] = [answer["matchOffset"] for answer in cell["answer"]["answers"] or []]
        cell["warnings"] = [text.split(": ", 2)[-1] for text in complaints.splitlines() if text.startswith(f"warning: {file}:")]


def verdict(bench, cell):
    """What is wrong with a cell, and what it shows."""
    _, _, delay, padding = CONTAINERS[cell["container"]]
    answer, wrong = cell["answer"], []
    read = answer["durationSeconds"] or 0
    is_told = bool(cell["warnings"]) or bool(answer["error"])
    if read < cell["seconds"] - .002 - delay / 1000 and not is_told:
        wrong.append("silent loss")
    if read < cell["seconds"] - .12 - delay / 1000:
        wrong.append("loss")
    if cell["fault"].startswith("length"):
        padding += 60
    if cell["fault"].startswith("gap"):
        # A page or packet says where it ends, so a block of audio may fall on either side of the gap.
        delay, padding = delay + 5, padding + 15
    if read > cell["seconds"] + (padding + delay) * len(cell["places"]) / 1000 + .002:
        wrong.append("too long")
    if cell["intact"] and any("left out" in text or "damaged" in text for text in cell["warnings"]):
        wrong.append("called damaged")
    is_named = cell["fault"] != "one unreadable" or any("left out" in text for text in cell["warnings"])
    if cell["warns"] and not (cell["warnings"] and is_named):
        wrong.append("no warning")
    errors = []
    for index, (name, start) in enumerate(cell["places"]):
        found = cell["offsets"][name]
        if not found:
            wrong.append(f"{name} not found")
            continue
        # In milliseconds; the delay of each joined recording adds up.
        error = 1000 * (CUTS[name] - start - found[0])
        errors.append(f"{error:+.1f}")
        if not -1 - delay <= error <= 1 + delay + (padding + delay) * index:
            wrong.append(f"{name} is {error:.1f} ms off")
    if cell["fault"].startswith("gap"):
        errors.append(f"{cell['memory']} MB")
        if cell["memory"] > 250:
            wrong.append("memory")
    return wrong, read, errors


def main():
    words = sys.argv[1:]
    is_verbose = "--verbose" in words
    table = pathlib.Path(words[words.index("--table") + 1]) if "--table" in words else None
    wanted = [word for word in words if word in CONTAINERS] or list(CONTAINERS)
    makers = [make for make in (lengths, joined, late, tracks, pictures, tags, gaps) if make.__name__ in words]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(pathlib.Path(folder))
        for container in wanted:
            for make in makers or (lengths, joined, late, tracks, pictures, tags, gaps):
                try:
                    make(bench, container)
                except RuntimeError as error:
                    print(f"containers: {container}, {make.__name__}: ffmpeg cannot make it: {error}", file=sys.stderr)
        groups = {}
        for cell in bench.cells:
            # A gap has a run of its own, so that its memory is known.
            alone = cell["container"] if cell["fault"].startswith("gap") else ""
            for name, _ in cell["places"]:
                groups.setdefault((name, tuple(cell["options"]), alone), []).append(cell)
        for (name, options, _), cells in groups.items():
            ask(bench, name, options, cells)
        lines, shown, failed = [], [], 0
        for cell in bench.cells:
            wrong, read, errors = verdict(bench, cell)
            failed += bool(wrong)
            code = 1 if cell["answer"]["error"] else 0
            said = cell["answer"]["error"] or "; ".join(cell["warnings"])
            lines.append(f"| {cell['container']} | {cell['fault']} | {read:.3f} of {cell['seconds']} | {' '.join(errors)} | {code} "
                         f"| {said[:110]} | {', '.join(wrong) or 'right'} |")
            if wrong or is_verbose:
                shown.append(lines[-1])
        head = "| container | fault | seconds | ms off | exit | warning | |\n|---|---|--:|--:|--:|---|---|"
        if shown:
            print("\n".join([head, *shown]))
        if table:
            table.write_text("\n".join([head, *lines]) + "\n")
        print(f"containers: {len(bench.cells)} cells, {failed} wrong")
        return 1 if failed or not bench.cells else 0


if __name__ == "__main__":
    sys.exit(main())
