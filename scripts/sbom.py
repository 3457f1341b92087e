#!/usr/bin/env python3
"""Print a software bill of materials as CycloneDX JSON: Swift packages at the versions of Package.swift, and the Debian
packages of the system libraries as they are installed here, with those below them.

    scripts/sbom.py >earshot.cdx.json

The version is that of the latest release. Equal packages give equal bytes. Exits with 1 if a package of Package.swift or setup.sh is not installed.
"""
import hashlib, json, pathlib, re, subprocess, sys, uuid

if "--help" in sys.argv[1:]:
    sys.exit(print(__doc__.strip()))

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Programs that earshot starts where they are installed. What they need is theirs.
PROGRAMS = ["ffmpeg"]


def swift_packages(manifest):
    for url, version in re.findall(r'\.package\(url: "([^"]+)", exact: "([^"]+)"', manifest):
        path = url.removeprefix("https://").removesuffix(".git")
        yield {"type": "library", "name": path.rsplit("/", 1)[1], "version": version,
               "purl": f"pkg:swift/{path}@{version}"}


def installed():
    """What Debian has here: version, architecture and the names of what it needs, by name."""
    form = "${Package}\t${Version}\t${Architecture}\t${db:Status-Status}\t${Depends}, ${Pre-Depends}\n"
    lines = subprocess.run(["dpkg-query", "-W", "-f", form], check=True, capture_output=True, text=True).stdout
    packages = {}
    for name, version, architecture, status, needs in (line.split("\t") for line in lines.splitlines()):
        if status == "installed":
            packages[name] = version, architecture, [n for n in re.findall(r"(?:^|[,|]) *([a-z0-9][a-z0-9+.-]+)", needs)]
    return packages


def debian_packages(manifest, setup):
    packages = installed()
    named = set(re.findall(r'"([a-z0-9.+-]+)"', " ".join(re.findall(r"\.apt\(\[([^\]]*)\]\)", manifest))))
    named |= set(re.findall(r"\blib[a-z0-9.+-]+", re.search(r"for package in (.*?); do", setup, re.S)[1]))
    missing = sorted(named - packages.keys())
    if missing:
        sys.exit("sbom: not installed: " + " ".join(missing))
    seen, waiting = set(PROGRAMS) & packages.keys(), sorted(named)
    while waiting:
        name = waiting.pop()
        if name in seen or name not in packages or not (name.startswith("lib") or name in named):
            continue
        seen.add(name)
        waiting += packages[name][2]
    for name in sorted(seen):
        version, architecture, _ = packages[name]
        # What a program needs to run, not to be built.
        if not name.endswith(("-dev", "-bin")) and name != "pkg-config":
            yield {"type": "application" if name in PROGRAMS else "library", "name": name, "version": version,
                   "purl": f"pkg:deb/debian/{name}@{version}?arch={architecture}"}


def main():
    manifest = (ROOT / "Package.swift").read_text()
    version = re.search(r"## \[(\d[^\]]*)\]", (ROOT / "CHANGELOG.md").read_text())
    components = sorted(swift_packages(manifest), key=lambda c: c["purl"])
    components += debian_packages(manifest, (ROOT / "scripts/setup.sh").read_text())
    for component in components:
        component["bom-ref"] = component["purl"]
    digest = hashlib.sha256(json.dumps(components).encode()).hexdigest()
    document = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, 'earshot/' + digest)}",
        "metadata": {"component": {
            "type": "application", "name": "earshot", "bom-ref": "earshot", "version": version[1] if version else "0",
            "licenses": [{"license": {"id": "GPL-3.0-or-later"}}]}},
        "components": components,
    }
    print(json.dumps(document, indent=2))


if __name__ == "__main__":
    main()
