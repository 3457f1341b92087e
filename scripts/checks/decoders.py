#!/usr/bin/env python3
"""Check that Earshot reads the same samples as GStreamer, which shares no demuxer with it and few decoders.

usage: scripts/checks/decoders.py [--verbose] [KIND...]

EARSHOT_BINARY is the program, .build/release/earshot by default. ffmpeg makes a file of each kind, and `earshot degrade` cuts it
without a change. GStreamer decodes it without its plugins of libav and libsndfile. Exits with 1 if lengths differ by more than
20 ms, or samples in place, correlation or level. Prints the wrong kinds, with --verbose all: seconds of both, ms that Earshot is
later, correlation, difference of level.
"""
import array, csv, ctypes, json, math, operator, pathlib, queue, subprocess, sys, tempfile, threading

from harness import EARSHOT, Bench, song, wav

SECONDS = 4
# The length of a cut, whose start is drawn.
CUT = 3

# The options of ffmpeg for each kind, whose name begins with its extension, the ms by which Earshot is later, and those by which
# it is longer: for delays and ends of encoders that one of the two leaves in.
KINDS = {
    "wav-u8": ("-c:a pcm_u8", 0, 0), "wav-s16": ("-c:a pcm_s16le", 0, 0), "wav-s24": ("-c:a pcm_s24le", 0, 0),
    "wav-s32": ("-c:a pcm_s32le", 0, 0), "wav-f32": ("-c:a pcm_f32le", 0, 0), "wav-f64": ("-c:a pcm_f64le", 0, 0),
    "wav-alaw": ("-c:a pcm_alaw", 0, 0), "wav-mulaw": ("-c:a pcm_mulaw", 0, 0), "wav-ima": ("-c:a adpcm_ima_wav", 0, 0),
    "wav-8k": ("-c:a pcm_s16le -ar 8000 -ac 1", 0, 0), "wav-rf64": ("-rf64 always", 0, 0), "wav-ac3": ("-c:a ac3", 0, 34),
    "wav-dts": ("-c:a dca -strict -2 -b:a 768k", 0, 0), "aiff-s16": ("-c:a pcm_s16be", 0, 0),
    "aiff-s24": ("-c:a pcm_s24be", 0, 0), "aiff-f32": ("-c:a pcm_f32be", 0, 0), "au-s16": ("-c:a pcm_s16be", 0, 0),
    "au-f32": ("-c:a pcm_f32be", 0, 0), "au-mulaw": ("-c:a pcm_mulaw", 0, 0), "flac-16": ("-sample_fmt s16", 0, 0),
    "flac-24": ("-sample_fmt s32", 0, 0), "wv": ("", 0, 0), "ogg-vorbis": ("-c:a libvorbis", 0, 0),
    "ogg-flac": ("-c:a flac", 0, 0), "opus": ("-c:a libopus -ar 48000", 0, 0),
    "mp3-cbr": ("-c:a libmp3lame -b:a 128k", -25.1, -49), "mp3-vbr": ("-c:a libmp3lame -q:a 4", -25.1, -49),
    "mp3-22k": ("-c:a libmp3lame -ar 22050 -ac 1", -50.1, -75), "mp2": ("-c:a mp2", 0, 0), "ac3": ("-c:a ac3", 0, 0),
    "dts": ("-c:a dca -strict -2 -b:a 768k", 0, 0), "aac": ("-c:a aac", 23.2, 23), "m4a-aac": ("-c:a aac", 23.2, 46),
    "m4a-fragments": ("-c:a aac -movflags frag_keyframe+empty_moov", 23.2, 23), "mov-pcm": ("-c:a pcm_s16le", 0, 0),
    "mp4-mp3": ("-c:a libmp3lame", 0, 26), "mka-flac": ("-c:a flac", 0, 0), "mka-vorbis": ("-c:a libvorbis", 3, 3),
    "mka-pcm": ("-c:a pcm_s16le", 0, 0), "mka-mp3": ("-c:a libmp3lame", 0, -24), "mka-aac": ("-c:a aac", 23.2, 23),
    "webm-opus": ("-c:a libopus -ar 48000", 0, 0), "webm-vorbis": ("-c:a libvorbis", 3, 3), "ts-mp2": ("-c:a mp2", 0, 0),
    "ts-aac": ("-c:a aac", 23.2, 23), "ts-ac3": ("-c:a ac3", 0, 0), "mpg": ("-c:a mp2", 0, 0),
    "flv-mp3": ("-c:a libmp3lame", 0, 0), "flv-aac": ("-c:a aac", 23.2, 23), "avi-pcm": ("-c:a pcm_s16le", 0, 0),
    "avi-mp3": ("-c:a libmp3lame", 0, 0), "asf-mp3": ("-c:a libmp3lame", 0, 24),
}

EOS, ERROR = 1, 2  # types of GstMessage
READY_TO_NULL, PLAYING = 1, 4  # states of an element


def work():
    """Decodes the files that standard input names, each to another that it names, and says whether the end was reached."""
    library, pointer = ctypes.CDLL("libgstreamer-1.0.so.0"), ctypes.c_void_p

    def function(name, result, *arguments):
        made = library[name]
        made.restype, made.argtypes = result, arguments
        return made
    function("gst_init", None, pointer, pointer)(None, None)
    registry = function("gst_registry_get", pointer)()
    find = function("gst_registry_find_plugin", pointer, pointer, ctypes.c_char_p)
    for name in (b"libav", b"sndfile"):
        if plugin := find(registry, name):
            function("gst_registry_remove_plugin", None, pointer, pointer)(registry, plugin)
    parse = function("gst_parse_launch", pointer, ctypes.c_char_p, pointer)
    bus_of = function("gst_element_get_bus", pointer, pointer)
    change = function("gst_element_set_state", ctypes.c_int, pointer, ctypes.c_int)
    wait = function("gst_bus_timed_pop_filtered", pointer, pointer, ctypes.c_uint64, ctypes.c_int)
    release = function("gst_object_unref", None, pointer)
    for line in sys.stdin:
        source, form, target = line.rstrip("\n").split("\t")
        pipeline = parse(f'filesrc location="{source}" ! decodebin ! audioconvert !'
                         f' audioresample ! audio/x-raw,layout=interleaved,{form} ! filesink location="{target}"'.encode(), None)
        bus = bus_of(pipeline)
        change(pipeline, PLAYING)
        message = wait(bus, 5 * 10**9, EOS | ERROR)
        # The type of a message follows the 64 bytes of GstMiniObject.
        kind = ctypes.cast(message + 64, ctypes.POINTER(ctypes.c_int))[0] if message else None
        change(pipeline, READY_TO_NULL)
        release(bus)
        release(pipeline)
        print("end" if kind == EOS else "failed", flush=True)


class Decoder:
    """GStreamer in a process of its own, which files may crash."""

    def __init__(self, folder):
        self.target, self.process = pathlib.Path(folder) / "decoded.raw", None

    def start(self):
        self.lines = queue.Queue()
        self.process = subprocess.Popen([sys.executable, __file__, "--work"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)

        def read(stream, lines):
            for line in stream:
                lines.put(line)
            lines.put("")
        threading.Thread(target=read, args=(self.process.stdout, self.lines), daemon=True).start()

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def decode(self, path, form, seconds=10):
        """The bytes in the form of caps; None if it cannot decode the file to its end."""
        if not self.process:
            self.start()
        self.target.unlink(missing_ok=True)
        try:
            print(path, form, self.target, sep="\t", file=self.process.stdin, flush=True)
            line = self.lines.get(timeout=seconds)
        except (queue.Empty, BrokenPipeError):
            line = ""
        if not line:
            self.stop()
        return self.target.read_bytes() if line == "end\n" and self.target.exists() else None

    def seconds(self, path):
        """The length of what it decodes to the end; None if that is not reached or nothing."""
        samples = self.decode(path, "format=S16LE,rate=8000,channels=1")
        return len(samples) / 16_000 if samples else None


def mono(samples, channels):
    """The first channel of floats in bytes."""
    return array.array("f", samples)[::channels]


def dot(one, two):
    return math.fsum(map(operator.mul, one, two))


def overlap(ours, theirs, first):
    """What both have from the sample `first` of `theirs` on, where `ours` begins."""
    both = ours[max(0, -first):], theirs[max(0, first):]
    return [part[:min(map(len, both))] for part in both]


def correlation(one, two):
    return dot(one, two) / math.sqrt(dot(one, one) * dot(two, two) or 1)


def later(ours, theirs, first, shifts):
    """The shift by which `ours`, cut at the sample `first`, is later than `theirs`: that of the largest correlation."""
    middle = len(ours) // 2
    return max(shifts, key=lambda shift: correlation(*overlap(ours[middle:middle + 3000], theirs, first + middle - shift)))


def compare(path, decoder, seconds, cut, start, delay, longer):
    """What is wrong with a kind, and what it shows."""
    with open(cut, "rb") as file:
        content = file.read()
    place = content.index(b"fmt ") + 8
    channels, rate = int.from_bytes(content[place + 2:place + 4], "little"), int.from_bytes(content[place + 4:place + 8], "little")
    theirs = decoder.decode(path, f"format=F32LE,rate={rate},channels={channels}")
    if not theirs:
        return ["GStreamer cannot decode it"], ""
    place = content.index(b"data") + 8
    ours, theirs = mono(content[place:place + (len(content) - place) // 4 * 4], channels), mono(theirs, channels)
    first, expected = int(start * rate + .5), round(delay * rate / 1000)
    shift = later(ours, theirs, first, range(expected - rate // 1000, expected + rate // 1000 + 1))
    both = overlap(ours, theirs, first - shift)
    if correlation(*both) < .999:
        # Looked for farther away, which takes long, only to say where it is.
        shift = later(ours, theirs, first, range(-rate // 10, rate // 10))
        both = overlap(ours, theirs, first - shift)
    alike, level = correlation(*both), 10 * math.log10((dot(*[both[0]] * 2) or 1e-30) / (dot(*[both[1]] * 2) or 1e-30))
    wrong = []
    if abs(1000 * (seconds - len(theirs) / rate) - longer) > 20:
        wrong.append("another length")
    if abs(1000 * shift / rate - delay) > 1:
        wrong.append(f"{1000 * shift / rate:.1f} ms late")
    if alike < .999:
        wrong.append("other samples")
    if abs(level) > .1:
        wrong.append("another level")
    return wrong, f"{seconds:.3f} s | {len(theirs) / rate:.3f} s | {1000 * shift / rate:+.1f} ms | {alike:.6f} | {level:+.3f} dB"


def ask(folder, files):
    """The length in seconds that Earshot reads of each file, and a cut of each: its file and the second where it begins."""
    bench = Bench(folder)
    bench.run([EARSHOT, "custom-catalog", "create", "-s", "song.wav", "-o", "song.earcatalog"])
    bench.run([EARSHOT, "degrade", *files, "--length", str(CUT), "--output", "cuts"])
    lines = bench.run([EARSHOT, "match", "--json", "--catalog", "song.earcatalog", *files]).stdout.splitlines()
    with open(folder / "cuts/truth.csv", newline="") as file:
        cuts = [(folder / "cuts" / row["query"], float(row["offsetSeconds"])) for row in csv.DictReader(file)]
    for path, line, (cut, start) in zip(files, lines, cuts, strict=True):
        yield path, json.loads(line)["durationSeconds"], cut, start


def main():
    words = sys.argv[1:]
    if "--help" in words:
        return print(__doc__.strip())
    chosen = [kind for kind in KINDS if kind in words] or list(KINDS)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "song.wav").write_bytes(wav(song(1, SECONDS)))
        for kind in chosen:
            subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", folder / "song.wav", "-ar", "44100", "-ac", "2",
                            *KINDS[kind][0].split(), folder / f"{kind}.{kind.partition('-')[0]}"], check=True)
        decoder = Decoder(folder)
        files = [f"{kind}.{kind.partition('-')[0]}" for kind in chosen]
        for path, seconds, cut, start in ask(folder, files):
            kind = pathlib.Path(path).stem
            wrong, shown = compare(folder / path, decoder, seconds, cut, start, *KINDS[kind][1:])
            failed += bool(wrong)
            if wrong or "--verbose" in words:
                print(f"| {kind} | {shown} | {', '.join(wrong) or 'right'} |", flush=True)
        decoder.stop()
    print(f"decoders: {len(chosen)} kinds, {failed} wrong")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(work() if "--work" in sys.argv[1:] else main())
