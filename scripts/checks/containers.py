#!/usr/bin/env python3
"""Check that no audio is lost without a word: containers times faults, made by ffmpeg from music of a formula.

usage: scripts/checks/containers.py [--verbose] [--table FILE] [CONTAINER...]
                                   [lengths|joined|clocks|late|tracks|pictures|tags|gaps|chunks|hidden...]

EARSHOT_BINARY is the program, .build/release/earshot by default. Prints the wrong cells, with --verbose all, one a line:
seconds read, seconds there, place in ms from where it is expected, exit code, warning. Exits with 1 if a cell loses audio
or reads other bytes without a warning, moves audio by more than 1 ms (more where the format states no delay), warns of intact
audio, or needs memory for a gap.
"""
import array, json, math, os, pathlib, random, re, struct, subprocess, sys, tempfile, wave

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
    "mkv": ("flac", "mpeg4", 0, 5), "mka": ("libvorbis", None, 3, 30), "webm": ("libopus", "libvpx", 7, 10),
    "ts": ("mp2", "mpeg2video", 12, 60), "ts-aac": ("aac", "mpeg2video", 24, 60), "ts-ac3": ("ac3", "mpeg2video", 7, 60),
    "m2ts": ("ac3", "mpeg2video", 7, 60), "mpg": ("mp2", "mpeg1video", 12, 60), "avi": ("mp2", "mpeg4", 12, 60),
    "wmv": ("wmav2", "wmv2", 50, 100), "flv": ("aac", "flv", 24, 60),
}
MUXERS = {"w24": "wav", "rf64": "wav", "ima": "wav", "vbr": "mp3", "oga": "ogg", "m2ts": "mpegts", "3gp": "mp4", "wmv": "asf",
          "mpg": "mpeg", "aac": "adts", "m4a": "ipod", "mkv": "matroska", "mka": "matroska", "ts": "mpegts",
          "ts-aac": "mpegts", "ts-ac3": "mpegts"}
EXTENSIONS = {"w24": "wav", "ima": "wav", "ts-aac": "ts", "ts-ac3": "ts"}
MORE = {"rf64": ["-rf64", "always"], "vbr": ["-q:a", "6", "-write_xing", "0", "-id3v2_version", "0"],
        "m2ts": ["-mpegts_m2ts_mode", "1"]}
# Containers that can state a gap.
TIMED = ("ogg", "oga", "opus", "m4a", "mp4", "mov", "3gp", "mkv", "mka", "webm", "ts", "ts-aac", "ts-ac3",
         "m2ts", "mpg", "avi", "wmv", "flv")
# Where the clock of a recording may begin, in seconds. The last runs over in its middle: it counts 90,000 a second in 33 bits.
CLOCKS = (0, 9_999, 80_000, 200_000, 2**33 / 90_000 - LENGTH / 2)
# What a warning says of bytes that are not read.
UNREAD = "left out|not read|cut|ends before"


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

    def add(self, container, fault, content, seconds, places, intact=False, warns="", told="", options=(), slack=None):
        """Expects `seconds`, and each of `places`, a name and the second at which its cut begins.

        An intact file has no warning. `warns` is what one warning must say. A cell is also right if a warning or the error
        says `told`. `slack` takes the place of the container's delay and padding.
        """
        path = self.folder / f"{container}-{fault}.{EXTENSIONS.get(container, container)}"
        path.write_bytes(bytes(content))
        self.cells.append(dict(container=container, fault=fault, path=path, seconds=seconds, places=places, intact=intact,
                               warns=warns, told=told, options=list(options), offsets={},
                               slack=slack or CONTAINERS[container][2:]))


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
    rate = {"libopus": 24_000, "ac3": 32_000}.get(CONTAINERS[container][0], 22_050)
    other = bench.encode(container, "two", "-ar", rate, "-ac", 1)
    # Vorbis needs a header, which ffmpeg takes from the first file.
    bench.add(container, "changed format", one + other, 2 * LENGTH, [("one", 0), ("two", LENGTH)],
              told={"mka": "ffmpeg says", "ts-aac": "clock jumps"}.get(container, ""))
    if not has_clock(container):
        return
    # By more than any gap.
    for fault, clocks in (("joined, clock back", (100_000, 0)), ("joined, clock ahead", (0, 100_000))):
        content = b"".join(bench.encode(container, name, "-output_ts_offset", clock) for name, clock in zip(CUTS, clocks))
        bench.add(container, fault, content, 2 * LENGTH, [("one", 0), ("two", LENGTH)], slack=clock_slack(container))


def clock_slack(container):
    """With a clock that does not begin at 0, ffmpeg leaves the encoder's delay of Opus in Ogg out, and in MPEG-4 it is audio."""
    return {"opus": (7, 10), **dict.fromkeys(("m4a", "mp4", "mov", "3gp"), (35, 60))}.get(container)


def has_clock(container):
    """Whether ffmpeg writes it with a clock that begins anywhere."""
    return container in TIMED and container != "avi"


def clocks(bench, container):
    _, picture, _, _ = CONTAINERS[container]
    for clock in CLOCKS if has_clock(container) else ():
        content = bench.encode(container, "one", "-output_ts_offset", clock)
        bench.add(container, f"clock at {clock:.0f} s", content, LENGTH, [("one", 0)], intact=True,
                  slack=clock_slack(container))
        if picture and clock:
            content = bench.encode(container, "one", "-output_ts_offset", clock, inputs=with_picture(bench, picture))
            bench.add(container, f"late start, clock at {clock:.0f} s", content, LENGTH + 3, [("one", 3)], intact=True)


def with_picture(bench, codec):
    """What makes a recording start three seconds after its picture."""
    return ["-itsoffset", 3, "-i", bench.folder / "cut-one.wav", "-f", "lavfi", "-i", "testsrc=size=64x64:rate=25:duration=11",
            "-map", 1, "-map", 0, "-c:v", codec]


def late(bench, container):
    _, picture, _, _ = CONTAINERS[container]
    if not picture:
        return
    content = bench.encode(container, "one", inputs=with_picture(bench, picture))
    # The AVI of ffmpeg has no place for a late start: it is lost when it is written.
    start = 0 if container == "avi" else 3
    bench.add(container, "late start", content, LENGTH + start, [("one", start)], intact=True)


def tracks(bench, container):
    if container not in ("mkv", "mp4", "mov", "m4a", "3gp", "ts", "ts-aac", "ts-ac3", "m2ts", "mpg", "webm", "wmv"):
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
        bench.add(container, "one unreadable", broken, LENGTH, [("one", 0)], warns="left out")


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
    bench.add(container, "gap of 30 minutes", content, start + LENGTH, [("one", 0), ("two", start)], warns=".")


# The chunks of tags and of texts, the samples' chunk, the size's bytes and order, and where the file's size is: its place, its
# bytes and what it leaves out.
RIFF = (b"id3 ", b"LIST", b"data", 4, "little", (4, 4, 8))
CHUNKS = {
    "wav": RIFF, "w24": RIFF, "ima": RIFF, "rf64": (*RIFF[:5], (20, 8, 8)),
    "aiff": (b"ID3 ", b"ANNO", b"SSND", 4, "big", (4, 4, 8)), "caf": (b"uuid", b"info", b"data", 8, "big", None),
    "w64": (b"id3 ", b"LIST", b"data", 8, "little", (16, 8, 0)),
}
# What stands after the samples: which of the chunks, the bytes that it states, those that are there, and what a warning must say.
AFTER = {
    "tag chunk": (0, 1 << 20, 1 << 20, ""), "text chunk": (1, 1 << 20, 1 << 20, ""),
    "cut tag chunk": (0, 2 << 20, 1 << 20, UNREAD), "cut text chunk": (1, 2 << 20, 1 << 20, UNREAD),
    "tag chunk cut in its header": (0, 1 << 20, 0, ""), "junk": (None, 0, 1 << 20, UNREAD), "picture": (None, 0, 1 << 20, UNREAD),
}


def chunk(container, name, body, stated=None):
    _, _, _, width, order, _ = CHUNKS[container]
    if container == "w64":
        name += bytes.fromhex("F3ACD3118CD100C04F8EDB8A")
    size = (len(body) if stated is None else stated) + (24 if container == "w64" else 0)
    return name + size.to_bytes(width, order) + body


def whole(container, content, size):
    """The file with its size where it states that."""
    place = CHUNKS[container][-1]
    return field(content, *place[:2], CHUNKS[container][4], size - place[2]) if place else content


def chunks(bench, container):
    if container not in CHUNKS:
        return
    content, noise = bench.encode(container), random.Random(1)
    for fault, (index, stated, there, warns) in AFTER.items():
        body = noise.randbytes(there)
        if index is None:
            # The file's size leaves them out.
            more = (b"\xff\xd8\xff\xe0" if fault == "picture" else b"") + body
            bench.add(container, fault, content + more, LENGTH, [("one", 0)], warns=warns)
            continue
        name = CHUNKS[container][index]
        more = chunk(container, name, body, stated)
        changed = whole(container, content + more, len(content) + len(more) - there + stated)
        bench.add(container, fault, changed, LENGTH, [("one", 0)], intact=not warns and there == stated, warns=warns)
    name = CHUNKS[container][2]
    place = bench.encode(container, "two").index(name)
    doubled = content + bench.encode(container, "two")[place:]
    bench.add(container, "two chunks of samples", whole(container, doubled, len(doubled)), 2 * LENGTH,
              [("one", 0), ("two", LENGTH)], told=UNREAD)
    if container == "wav":
        place = content.index(b"data") + 8
        middle = place + LENGTH * RATE // 2 * 4
        parts = b"wavl" + chunk("wav", b"data", content[place:middle]) + chunk("wav", b"slnt", struct.pack("<I", RATE)) + chunk(
            "wav", b"data", content[middle:])
        listed = content[:place - 8] + chunk("wav", b"LIST", parts)
        bench.add(container, "list of samples and silence", whole("wav", listed, len(listed)), LENGTH + 1, [("one", 0)],
                  told=f"{UNREAD}|wavl")


# What else a WAV may hold: the encoder, the format that is written as samples, or none for one with the codec's tag, the rate,
# the bit rate, and the names that a warning may give it.
HIDDEN = {
    "AC-3 in bursts": ("ac3", "spdif", 48_000, "192k", "AC-3|IEC 61937"),
    "DTS in bursts": ("dca", "spdif", 48_000, "768k", "DTS|IEC 61937"),
    "DTS as samples": ("dca", "dts", 44_100, "1411200", "DTS"),
    "AC-3": ("ac3", None, 44_100, "192k", "AC-3"), "DTS": ("dca", None, 44_100, "768k", "DTS"),
    "MP3": ("libmp3lame", None, 44_100, "128k", "MP3|MPEG"),
}


def hidden(bench, container):
    for fault, (codec, form, rate, bits, name) in HIDDEN.items() if container == "wav" else ():
        target = bench.folder / "hidden"
        ffmpeg("-i", bench.folder / "cut-one.wav", "-ar", rate, "-c:a", codec, "-strict", -2, "-b:a", bits,
               "-f", form or "wav", target)
        if form:
            raw = bench.folder / "raw"
            target.rename(raw)
            ffmpeg("-f", "s16le", "-ar", rate, "-ac", 2, "-i", raw, "-c", "copy", "-f", "wav", target)
        # None states the delay of its encoder.
        bench.add(container, fault, target.read_bytes(), LENGTH, [("one", 0)], told=name, slack=(30, 60))


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
    delay, padding = cell["slack"]
    answer, wrong = cell["answer"], []
    read = answer["durationSeconds"] or 0
    said = [*cell["warnings"], (answer["error"] or "").removeprefix(cell["path"].name)]
    if cell["told"] and any(re.search(cell["told"], text, re.I) for text in said):
        return wrong, read, []
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
    if cell["intact"] and cell["warnings"]:
        wrong.append("warns of intact audio")
    if cell["warns"] and not any(re.search(cell["warns"], text) for text in cell["warnings"]):
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
    every = (lengths, joined, clocks, late, tracks, pictures, tags, gaps, chunks, hidden)
    makers = [make for make in every if make.__name__ in words] or every
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(pathlib.Path(folder))
        for container in wanted:
            for make in makers:
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
