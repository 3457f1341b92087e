#!/usr/bin/env python3
"""Make a small library in place of large ones that a program rarely uses.

    scripts/parts/delay-loaded-library.py PROGRAM OUTPUT.so LIBRARY.so.N…

It defines what PROGRAM takes from the libraries. The first call of a function opens its library, or ends the program with a
message where that is not installed. For x86-64. Needs `cc` and `readelf`.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

if "--help" in sys.argv[1:]:
    sys.exit(print(__doc__.strip()))

CODE = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

static const char *const names[] = { %(names)s };
static const char *const files[] = { %(files)s };
__attribute__((visibility("hidden"))) void *lazy_slots[sizeof names / sizeof *names];

/* Threads may both look a function up: they find the same. */
__attribute__((visibility("hidden"), used)) void *lazy_find(long number) {
    void *library = dlopen(files[number], RTLD_NOW);
    void *found = library ? dlsym(library, names[number]) : NULL;
    if (!found) {
        fprintf(stderr, "Error: this needs the library %%s, which is not installed.\n", files[number]);
        _exit(1);
    }
    __atomic_store_n(&lazy_slots[number], found, __ATOMIC_RELEASE);
    return found;
}

__asm__(".text\n"
    /* Saves the arguments of the call, also those in vector registers, and the count of them in rax. */
    "lazy_enter:\n pushq %%rdi\n pushq %%rsi\n pushq %%rdx\n pushq %%rcx\n pushq %%r8\n pushq %%r9\n pushq %%rax\n"
    " subq $136, %%rsp\n"
    %(save)s
    " movq 192(%%rsp), %%rdi\n call lazy_find\n movq %%rax, %%r11\n"
    %(restore)s
    " addq $136, %%rsp\n"
    " popq %%rax\n popq %%r9\n popq %%r8\n popq %%rcx\n popq %%rdx\n popq %%rsi\n popq %%rdi\n"
    " addq $8, %%rsp\n jmp *%%r11\n"
    %(entries)s);
"""
ENTRY = r"""" .globl {0}\n .type {0}, @function\n{0}:\n movq lazy_slots+{1}(%rip), %r11\n testq %r11, %r11\n je 1f\n jmp *%r11\n"
    "1: pushq ${2}\n jmp lazy_enter\n"
    """


def symbols(*arguments):
    """The dynamic symbols of a file: name and version, by whether the file defines them."""
    text = subprocess.run(["readelf", "--dyn-syms", "-W", *arguments], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        words = line.split()
        if len(words) >= 8 and words[0].rstrip(":").isdigit():
            name, _, version = words[7].partition("@")
            yield name, version.lstrip("@"), words[6] != "UND"


def main(program, output, *libraries):
    needed = {name: version for name, version, defined in symbols(program) if not defined}
    places = dict(re.findall(r"^\s*(\S+) => (/\S+)", subprocess.run(
        ["ldd", program], capture_output=True, text=True, check=True).stdout, re.M))
    found = [(name, library) for library in libraries for name, _, defined in symbols(places[library])
             if defined and name in needed]
    found = list(dict(found).items())
    vectors = range(8)
    code = CODE % {
        "names": ", ".join(f'"{name}"' for name, _ in found), "files": ", ".join(f'"{file}"' for _, file in found),
        "save": "\n    ".join(f'" movups %xmm{n}, {16 * n}(%rsp)\\n"' for n in vectors),
        "restore": "\n    ".join(f'" movups {16 * n}(%rsp), %xmm{n}\\n"' for n in vectors),
        "entries": "".join(ENTRY.format(name, 8 * number, number) for number, (name, _) in enumerate(found)),
    }
    versions = {}
    for name, _ in found:
        versions.setdefault(needed[name], []).append(name)
    with tempfile.TemporaryDirectory() as folder:
        source, script = Path(folder) / "lazy.c", Path(folder) / "versions"
        source.write_text(code)
        script.write_text("".join(f"{key} {{ global: {'; '.join(names)}; }};\n" for key, names in versions.items() if key))
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", output, source, f"-Wl,--version-script={script}",
                        f"-Wl,-soname,{Path(output).name}", "-ldl"], check=True)
    print(f"{output}: {len(found)} functions of {', '.join(libraries)}", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
