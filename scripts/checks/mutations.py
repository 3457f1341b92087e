#!/usr/bin/env python3
"""Mutates the structure of audio files and checks that each is read or refused with a message.

usage: scripts/checks/mutations.py [--seconds S | --count N] [--seed N] [--keep FOLDER] [KIND...]

Kinds are containers, by default all, for 60 s each. KIND:NUMBER repeats one file. EARSHOT_BINARY is the program,
.build/release/earshot by default. Chunks, boxes, elements, pages, packets, tags, blocks and frames are nested, repeated, swapped,
moved, cut and removed, and state wrong sizes. `earshot match` must end by itself, and take at most 10 s of processor time and
500 MB for a file. It must warn unless it reads as much as GStreamer reads or the file had before, within 20 ms, or more by what
was repeated. Prints a table of kinds. The exit code is 1 if a file fails. The first file of each failure is kept in FOLDER,
.build/fuzzing/failures by default.
"""
import argparse, collections, functools, json, os, pathlib, queue, random, re, shutil, signal, subprocess, sys, tempfile, threading, time, zlib

from decoders import Decoder
from harness import EARSHOT, ROOT, Bench, song, wav

if "--help" in sys.argv[1:]:
    sys.exit(print(__doc__.strip()))

# Of processor time, and of any time in which nothing else runs.
LONGEST_SECONDS, PATIENCE = 10, 120
MOST_MEGABYTES, TOLERANCE = 500, .02
BATCH = 40
LARGEST_FILE = 4 << 20


class Part:
    """A stretch of a file: a head that states the size of what follows, and bytes or other parts."""

    def __init__(self, head, body, tail=b"", parts=None, stated=None):
        self.head, self.body, self.tail, self.parts, self.stated = head, body, tail, parts, stated

    def copy(self):
        parts = None if self.parts is None else [part.copy() for part in self.parts]
        return Part(self.head, self.body, self.tail, parts, self.stated)


class Form:
    """How a container divides its bytes."""

    def measure(self, data, place):
        """The bytes of the head, the body and what follows it at a place; None if no part begins there."""

    def state(self, head, length):
        """The head with another size of the body."""
        return head

    def skip(self, head):
        """The bytes of the body before its parts; None if it has none."""

    def seal(self, part):
        """The part with a right checksum."""
        return part

    def read(self, data):
        parts, place = [], 0
        while place < len(data):
            found = self.measure(data, place)
            if not found:
                parts.append(Part(b"", data[place:]))
                break
            head, body, tail = found
            middle = place + head
            end = min(middle + body, len(data))
            part = Part(data[place:middle], data[middle:end], data[end:end + tail])
            skip = self.skip(part.head)
            if skip is not None:
                part.parts, part.body = self.read(part.body[skip:]), part.body[:skip]
            parts.append(part)
            place = end + tail
        return parts

    def write(self, parts):
        written = []
        for part in parts:
            body = part.body + (self.write(part.parts) if part.parts else b"")
            length = len(body) if part.stated is None else part.stated
            written.append(self.seal(self.state(part.head, length) + body) + part.tail)
        return b"".join(written)

    def nested(self, part, depth):
        """The part within copies of its own head."""
        body = self.write([part])
        heads, length = [], len(body)
        for _ in range(depth):
            heads.append(self.state(part.head, length))
            length += len(heads[-1])
        return Part(b"", b"".join(reversed(heads)) + body)


def number(value, size, order):
    return (max(0, value) % 256**size).to_bytes(size, order)


class RIFF(Form):
    order = "little"

    def measure(self, data, place):
        size = int.from_bytes(data[place + 4:place + 8], self.order)
        if len(data) - place < 8 or not all(32 <= byte < 127 for byte in data[place:place + 4]):
            return None
        # A file of 64 bits states sizes elsewhere.
        return (8, len(data), 0) if size == 0xFFFFFFFF else (8, size, size % 2)

    def state(self, head, length):
        return head if head[4:] == b"\xff" * 4 else head[:4] + number(length, 4, self.order)

    def skip(self, head):
        return 4 if head[:4] in (b"RIFF", b"RF64", b"LIST", b"FORM") else None


class AIFF(RIFF):
    order = "big"


class CAF(Form):
    def measure(self, data, place):
        if data[place:place + 4] == b"caff":
            return 8, 0, 0
        size = int.from_bytes(data[place + 4:place + 12], "big")
        return (12, size, 0) if len(data) - place >= 12 else None

    def state(self, head, length):
        return head if head[:4] == b"caff" else head[:4] + number(length, 8, "big")


class W64(Form):
    def measure(self, data, place):
        size = int.from_bytes(data[place + 16:place + 24], "little")
        return (24, size - 24, -size % 8) if len(data) - place >= 24 <= size else None

    def state(self, head, length):
        return head[:16] + number(length + 24, 8, "little")

    def skip(self, head):
        return 16 if head[:4] == b"riff" else None


class AU(Form):
    def measure(self, data, place):
        return (int.from_bytes(data[4:8], "big"), len(data), 0) if place == 0 else None

    def state(self, head, length):
        return head[:8] + number(length, 4, "big") + head[12:]


class FLAC(Form):
    def measure(self, data, place):
        if data[place:place + 4] == b"fLaC":
            return 4, 0, 0
        if data[place] & 0x7F <= 6:
            return 4, int.from_bytes(data[place + 1:place + 4], "big"), 0
        if data[place:place + 2] != b"\xff\xf8":
            return None
        # A frame is as long as the way to the next with the same size of block and rate.
        end = data.find(data[place:place + 3], place + 8)
        return 5, (len(data) if end < 0 else end) - place - 5, 0

    def state(self, head, length):
        return head if len(head) != 4 or head == b"fLaC" else head[:1] + number(length, 3, "big")


class Ogg(Form):
    MIRRORED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))

    def measure(self, data, place):
        if data[place:place + 4] != b"OggS" or len(data) - place < 27:
            return None
        count = data[place + 26]
        return 27 + count, sum(data[place + 27:place + 27 + count]), 0

    def state(self, head, length):
        if len(head) < 27 or sum(head[27:]) == length:
            return head
        length = min(max(length, 0), 255 * 255)
        segments = ([255] * (length // 255) + [length % 255])[:255]
        return head[:26] + bytes([len(segments), *segments])

    def seal(self, part):
        if part[:4] != b"OggS" or len(part) < 27:
            return part
        # Ogg's checksum has the polynomial of zlib's with its bits in the other order, and no inversion.
        mirrored = (part[:22] + bytes(4) + part[26:]).translate(self.MIRRORED)
        checksum = zlib.crc32(mirrored, 0xFFFFFFFF) ^ 0xFFFFFFFF
        return part[:22] + int(f"{checksum:032b}"[::-1], 2).to_bytes(4, "little") + part[26:]


class MPEG(Form):
    """MPEG audio and AAC with tags: the frames of a tag, and those of the audio."""

    RATES = {"mp3": [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0]}

    def measure(self, data, place):
        head = data[place:place + 10]
        size = lambda four: sum((byte & 127) << 7 * (3 - index) for index, byte in enumerate(four))
        if len(head) < 10:
            return None
        if head[:3] == b"ID3":
            return 10, size(head[6:]), 0
        if head[:4].isalnum() and head[:4].isupper():
            return 10, size(head[4:8]), 0
        if head[0] == 0xFF and head[1] & 0xF6 == 0xF0:
            return 7, ((head[3] & 3) << 11 | head[4] << 3 | head[5] >> 5) - 7, 0
        if head[0] == 0xFF and head[1] & 0xFE == 0xFA:
            bits, rate = self.RATES["mp3"][head[2] >> 4], [44_100, 48_000, 32_000, 0][head[2] >> 2 & 3]
            return (4, 144_000 * bits // rate + (head[2] >> 1 & 1) - 4, 0) if bits and rate else None
        return None

    def state(self, head, length):
        seven = bytes(max(0, length) >> shift & 127 for shift in (21, 14, 7, 0))
        if head[:3] == b"ID3":
            return head[:6] + seven
        return head[:4] + seven + head[8:] if len(head) == 10 else head

    def skip(self, head):
        return 0 if head[:3] == b"ID3" else None


class MP4(Form):
    def measure(self, data, place):
        if len(data) - place < 8:
            return None
        size = int.from_bytes(data[place:place + 4], "big")
        if size == 1:
            return 16, int.from_bytes(data[place + 8:place + 16], "big") - 16, 0
        return (8, size - 8, 0) if size >= 8 else None

    def state(self, head, length):
        if len(head) == 16:
            return head[:8] + number(length + 16, 8, "big")
        return number(length + 8, 4, "big") + head[4:] if head else head

    def skip(self, head):
        if head[4:8] == b"meta":
            return 4
        return 0 if head[4:8] in b"moov trak mdia minf stbl udta ilst moof traf edts dinf mvex".split() else None


class EBML(Form):
    NESTED = {bytes.fromhex(name) for name in ("1A45DFA3 18538067 1F43B675 1654AE6B AE E1 1549A966 114D9B74 4DBB 1C53BB6B BB B7 1254C367 "
                                               "7373 67C8 A0").split()}

    @staticmethod
    def width(byte):
        return 9 - byte.bit_length()

    def measure(self, data, place):
        width = self.width(data[place])
        if width > 4 or place + width >= len(data):
            return None
        size = self.width(data[place + width])
        if size > 8:
            return None
        length = int.from_bytes(data[place + width:place + width + size], "big") & (1 << 7 * size) - 1
        return width + size, len(data) if length == (1 << 7 * size) - 1 else length, 0

    def state(self, head, length):
        width = self.width(head[0]) if head else 0
        # A head that was changed has no size.
        if len(head) <= width:
            return head
        size = len(head) - width if 0 <= length < (1 << 7 * (len(head) - width)) - 1 else 8
        return head[:width] + number(length % (1 << 7 * size) | 1 << 7 * size, size, "big")

    def skip(self, head):
        return 0 if head[:self.width(head[0])] in self.NESTED else None


class TransportStream(Form):
    def measure(self, data, place):
        return (4, 184, 0) if data[place] == 0x47 else None


class FLV(Form):
    def measure(self, data, place):
        if data[place:place + 3] == b"FLV":
            return 13, 0, 0
        return (11, int.from_bytes(data[place + 1:place + 4], "big"), 4) if len(data) - place >= 11 else None

    def state(self, head, length):
        return head[:1] + number(length, 3, "big") + head[4:] if len(head) == 11 else head


class ASF(Form):
    HEADER, DATA = bytes.fromhex("3026B2758E66CF11A6D900AA0062CE6C"), bytes.fromhex("3626B2758E66CF11A6D900AA0062CE6C")

    def measure(self, data, place):
        if data[place] == 0x82:
            return 3, 3200 - 3, 0  # A packet, of the size that ffmpeg writes.
        size = int.from_bytes(data[place + 16:place + 24], "little")
        return (24, size - 24, 0) if size >= 24 else None

    def state(self, head, length):
        return head[:16] + number(length + 24, 8, "little") if len(head) == 24 else head

    def skip(self, head):
        return {self.HEADER: 6, self.DATA: 26}.get(head[:16])


class WavPack(Form):
    def measure(self, data, place):
        size = int.from_bytes(data[place + 4:place + 8], "little")
        return (32, size - 24, 0) if data[place:place + 4] == b"wvpk" else None

    def state(self, head, length):
        return head[:4] + number(length + 24, 4, "little") + head[8:] if head[:4] == b"wvpk" else head


# The form of each kind, its extension, and the options of ffmpeg for the files that are mutated.
KINDS = {
    "wav": (RIFF, "wav", ["-c:a pcm_s16le", "-c:a pcm_s24le", "-c:a adpcm_ima_wav"]), "rf64": (RIFF, "wav", ["-rf64 always"]),
    "aiff": (AIFF, "aiff", ["-c:a pcm_s16be -write_id3v2 1", "-c:a pcm_s24be"]), "caf": (CAF, "caf", ["-c:a pcm_s16le", "-c:a alac"]),
    "w64": (W64, "w64", ["-c:a pcm_s16le"]), "au": (AU, "au", ["-c:a pcm_s16be"]), "flac": (FLAC, "flac", [""]),
    "vorbis": (Ogg, "ogg", ["-c:a libvorbis -page_duration 200000"]), "opus": (Ogg, "opus", ["-c:a libopus -ar 48000 -page_duration 200000"]),
    "mp3": (MPEG, "mp3", ["-id3v2_version 4", "-id3v2_version 0 -write_xing 0"]), "aac": (MPEG, "aac", [""]),
    "m4a": (MP4, "m4a", ["-c:a aac", "-c:a aac -movflags frag_keyframe+empty_moov"]),
    "mka": (EBML, "mka", ["-c:a flac", "-c:a libvorbis", "-c:a libmp3lame"]), "webm": (EBML, "webm", ["-c:a libopus -ar 48000"]),
    "ts": (TransportStream, "ts", ["-c:a mp2", "-c:a aac", "-c:a ac3"]), "flv": (FLV, "flv", ["-ar 44100 -c:a aac", "-ar 44100 -c:a libmp3lame"]),
    "avi": (RIFF, "avi", ["-c:a mp2", "-c:a pcm_s16le"]), "asf": (ASF, "asf", ["-c:a libmp3lame", "-c:a wmav2"]),
    "wv": (WavPack, "wv", [""]),
}


class Original:
    """A file that is mutated."""

    def __init__(self, form, extension, data):
        self.form, self.extension, self.data, self.parts = form, extension, data, form.read(data)
        # What both decoders read of it.
        self.seconds = self.later = None


def lists(parts):
    """All lists of parts, outer ones first."""
    yield parts
    for part in parts:
        if part.parts:
            yield from lists(part.parts)


def mutate(original, others, choose):
    """The bytes with one to three changes of structure, and how many of them are no part of the file."""
    parts, form, alien = [part.copy() for part in original.parts], original.form, 0
    for _ in range(choose.choice([1, 1, 2, 3])):
        every = [one for one in lists(parts) if one]
        where = choose.choice(every) if every else parts
        if not where:
            break
        index = choose.randrange(len(where))
        part = where[index]
        match choose.randrange(18):
            case 0:
                del where[index]
            case 1:
                where.insert(choose.randrange(len(where) + 1), part.copy())
            case 2:
                other = choose.randrange(len(where))
                where[index], where[other] = where[other], part
            case 3:
                target = choose.choice(every)
                target.insert(choose.randrange(len(target) + 1), where.pop(index))
            case 4:
                choose.shuffle(where)
            case 5:
                size = len(form.write([part])) or 1
                where[index:index] = [part] * min(choose.choice([2, 100, 5_000]), LARGEST_FILE // 2 // size)
            case 6:
                depth = min(choose.choice([1, 20, 1000, 100_000]), LARGEST_FILE // 2 // (len(part.head) or LARGEST_FILE))
                where[index] = form.nested(part, depth)
                alien += len(where[index].body) - len(form.write([part]))
            case 7:
                where[index] = Part(choose.choice(where).head, part.body, part.tail, part.parts)
            case 8:
                part.stated = choose.choice([0, 1, 2**31 - 1, 2**31, 2**32 - 9, 2**32 - 1, 2**63, choose.randrange(1 << 24)])
            case 9:
                size = len(form.write([part])) - len(part.head)
                part.stated = choose.choice([size - 1, size + 1, size // 2, size * 2, size * 10])
            case 10:
                # Overlaps what follows.
                part.stated = len(form.write(where[index:index + choose.randint(2, 5)])) - len(part.head)
            case 11:
                part.stated = len(form.write([part])) - len(part.head)
                part.body, part.parts = part.body[:choose.randrange(len(part.body) + 1)], None
            case 12:
                del where[index + 1:]
                part.stated, part.tail = len(part.body), b""
                part.body = part.body[:choose.randrange(len(part.body) + 1)]
            case 13:
                where.insert(index, Part(b"", choose.randbytes(choose.choice([1, 7, 3000, 1 << 20]))))
                alien += len(where[index].body)
            case 14:
                stranger = choose.choice(others)
                where.insert(index, choose.choice(choose.choice([one for one in lists(stranger.parts) if one])).copy())
            case 15:
                size = choose.choice([0, len(part.body), len(part.body) + 1, 1 << 20])
                part.body = choose.choice([bytes(size), b"\xff" * size, choose.randbytes(size)])
                alien += size
            case 16:
                part.body = changed(part.body, choose)
            case _:
                part.head = changed(part.head, choose)
    return form.write(parts)[:LARGEST_FILE], alien


def changed(data, choose):
    """The bytes with an extreme number, or other bits, in their first part."""
    data = bytearray(data)
    if data:
        place = choose.randrange(min(len(data), 64))
        if choose.randrange(2):
            width = choose.choice([1, 2, 4, 8])
            value = choose.choice([0, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**64 - 1])
            data[place:place + width] = number(value, width, choose.choice(["little", "big"]))[:len(data) - place]
        else:
            data[place] ^= 1 << choose.randrange(8)
    return bytes(data)


class Answer:
    """What the program says of a file, or the kind of its fault and words for it."""

    def __init__(self, line=None, fault=None):
        self.seconds, self.error, self.fault, self.warnings = (line or {}).get("durationSeconds"), (line or {}).get("error"), fault, []

    @property
    def is_silent(self):
        return not (self.fault or self.error or self.warnings)


class Bank(Bench):
    """The program, which reads many files in a run."""

    def __init__(self, folder):
        super().__init__(folder)
        (self.folder / "song.wav").write_bytes(wav(song(1, 2)))
        self.run([EARSHOT, "custom-catalog", "create", "-s", "song.wav", "-o", "song.earcatalog"])

    def ask(self, names):
        """The answers to files. A file that may have a fault is asked for alone."""
        answers = {}
        while left := [name for name in names if name not in answers]:
            found, fault, megabytes = self.once(left)
            if len(left) == 1:
                answers[left[0]] = Answer(fault=fault) if fault else found[left[0]]
            elif megabytes > MOST_MEGABYTES or fault and len(found) == len(left):
                # Any of them may be the cause.
                answers |= self.ask(left[:len(left) // 2]) | self.ask(left[len(left) // 2:])
            else:
                answers |= found
                if fault:
                    answers |= self.ask(left[len(found):len(found) + 1])
        return answers

    def once(self, names):
        """The answers of one run, why it ended too early or cost too much, and the memory of its largest process in MB."""
        with open(self.folder / "list", "w") as file:
            file.writelines(f"{name}\n" for name in names)
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen([EARSHOT, "match", "--json", "--catalog", "song.earcatalog", "--files", "list"], cwd=self.folder,
                                       env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
                                       start_new_session=True)
            lines = queue.Queue()

            def read():
                for line in process.stdout:
                    lines.put(line)
                lines.put(b"")
            reader = threading.Thread(target=read)
            reader.start()
            found, fault = {}, None
            try:
                while line := lines.get(timeout=LONGEST_SECONDS if len(names) > 1 else PATIENCE):
                    found[names[len(found)]] = Answer(json.loads(line))
            except queue.Empty:
                fault = "hang", f"no end after {PATIENCE} s"
                os.killpg(process.pid, signal.SIGKILL)
            reader.join()
            process.stdout.close()
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = code = os.waitstatus_to_exitcode(status)
            errors.seek(0)
            complaints = errors.read().decode(errors="replace")
        megabytes, seconds = used.ru_maxrss // 1024, used.ru_utime + used.ru_stime
        if not fault and (code not in (0, 1) or len(found) < len(names)):
            fault = "crash", f"ended with {code}: {complaints[-300:]}"
        elif len(names) == 1 and not fault and seconds > LONGEST_SECONDS:
            fault = "hang", f"{seconds:.0f} s of processor time"
        elif len(names) == 1 and not fault and megabytes > MOST_MEGABYTES:
            fault = "memory", f"{megabytes} MB"
        for name, text in re.findall(r"^warning: ([^:\n]+): (.*)$", complaints, re.M):
            if name in found:
                found[name].warnings.append(text)
        return found, fault, megabytes


def judge(original, answer, theirs, growth):
    """The column that counts a file, and what is wrong with it. Parts that are repeated may make it longer by `growth`."""
    if answer.fault:
        return answer.fault
    if answer.error or answer.warnings:
        return ("refused" if answer.error else "warned"), ""
    bounds = [original.seconds] if theirs is None else [original.seconds, theirs, theirs + original.later]
    if min(bounds) - TOLERANCE <= answer.seconds <= max(*bounds, original.seconds * growth) + TOLERANCE:
        return "read", ""
    if theirs is None:
        return "unjudged", ""
    return "length", f"{answer.seconds:.3f} s without a warning; GStreamer reads {theirs:.3f} s, and there were {original.seconds:.3f} s"


class Fuzzer:
    def __init__(self, folder, seed, keep):
        self.bank, self.decoder, self.seed, self.keep, self.kept = Bank(folder), Decoder(folder), seed, keep, set()

    @functools.cache
    def originals(self, kind):
        form, extension, encodings = KINDS[kind]
        made = []
        for options in encodings:
            path = self.bank.folder / f"original.{extension}"
            self.bank.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", "song.wav", "-ar", "32000", "-ac", "2", "-metadata", "title=A song",
                           "-metadata", "artist=Nobody", *options.split(), path])
            made.append(Original(form(), extension, path.read_bytes()))
            assert made[-1].form.write(made[-1].parts) == made[-1].data, f"{kind} {options}: not the same when it is written"
            path.unlink()
        return made

    def file(self, kind, number):
        """The original of a mutated file, and what `mutate` gives. The first numbers are of files that are not mutated."""
        originals = self.originals(kind)
        if number < len(originals):
            return originals[number], (originals[number].data, 0)
        choose = random.Random(f"{self.seed} {kind} {number}")
        original = choose.choice(originals)
        others = [one for name in KINDS if KINDS[name][0] is KINDS[kind][0] for one in self.originals(name)]
        return original, mutate(original, others, choose)

    def batch(self, kind, numbers, counts):
        files = {}
        for number in numbers:
            original, (data, alien) = self.file(kind, number)
            name = f"{kind}-{number}.{original.extension}"
            files[name] = original, (len(data) - alien) / len(original.data)
            (self.bank.folder / name).write_bytes(data)
        answers = self.bank.ask(list(files))
        for number, (name, (original, growth)) in zip(numbers, files.items()):
            answer, path = answers[name], self.bank.folder / name
            theirs = self.decoder.seconds(path) if answer.is_silent else None
            if original.seconds is None:
                assert answer.is_silent, f"{name}, which is whole: {answer.fault or answer.error or answer.warnings}"
                original.seconds = answer.seconds
                original.later = answer.seconds - (answer.seconds if theirs is None else theirs)
            outcome, reason = judge(original, answer, theirs, growth)
            counts.update(["files", outcome])
            if reason:
                counts["wrong"] += 1
                print(f"{kind}:{number}: {reason}", file=sys.stderr, flush=True)
                if (kind, outcome) not in self.kept:
                    self.kept.add((kind, outcome))
                    self.keep.mkdir(parents=True, exist_ok=True)
                    shutil.copy(path, self.keep / name)
            path.unlink()


COLUMNS = ("files", "read", "warned", "refused", "unjudged", "crash", "hang", "memory", "length")


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, default=ROOT / ".build/fuzzing/failures")
    parser.add_argument("kinds", nargs="*")
    words = parser.parse_args()
    for word in words.kinds:
        if word.partition(":")[0] not in KINDS:
            parser.error(f"no kind {word}. Kinds are {', '.join(KINDS)}")
    print(f"seed {words.seed}\n| kind | {' | '.join(COLUMNS)} |\n|---|{'--:|' * len(COLUMNS)}", flush=True)
    total = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        fuzzer = Fuzzer(folder, words.seed, words.keep)
        for word in words.kinds or KINDS:
            kind, _, one = word.partition(":")
            counts, number, begin = collections.Counter(), 0, time.monotonic()
            if one:
                fuzzer.batch(kind, range(len(KINDS[kind][2])), collections.Counter())
                fuzzer.batch(kind, [int(one)], counts)
            while not one and (number < words.count if words.count else time.monotonic() - begin < words.seconds):
                end = min(number + BATCH, words.count or number + BATCH)
                fuzzer.batch(kind, range(number, end), counts)
                number = end
            print(f"| {word} | {' | '.join(str(counts[column]) for column in COLUMNS)} |", flush=True)
            total += counts
        fuzzer.decoder.stop()
    print(f"| all | {' | '.join(str(total[column]) for column in COLUMNS)} |")
    return 1 if total["wrong"] or not total["files"] else 0


if __name__ == "__main__":
    sys.exit(main())
