#!/bin/sh
# Makes the wheel of the Python package with the program, its corpora, plans, rules, libraries and all their licences.
# Usage: scripts/wheel.sh [FOLDER]. The wheel is written into FOLDER, `.` by default.
# EARSHOT_BINARY names a program that is built already; without it, it is built with a static Swift library. Needs what
# scripts/install.sh needs, and an index of Python packages for its tools. Installs python3-venv and what scripts/parts/small-options.sh installs.
set -eu
[ "${1-}" != --help ] || exec sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0"
folder=$(realpath "${1:-.}")
cd "$(dirname "$0")/.."

staging=$(mktemp -d)
trap 'rm -rf "$staging"' EXIT
if [ -z "${EARSHOT_BINARY:-}" ]; then
    scripts/setup.sh python3-venv binutils gcc
    # In two steps, because the shell does not see the failure of a command within a word.
    BUILD_OPTIONS=$(scripts/parts/small-options.sh)
    export BUILD_OPTIONS
    scripts/install.sh "$staging/installed" >&2
    EARSHOT_BINARY=$staging/installed/bin/earshot
fi
version=$("$EARSHOT_BINARY" --version | cut -d ' ' -f 2)

python3 -m venv "$staging/tools"
"$staging/tools/bin/pip" install -q --disable-pip-version-check -r scripts/parts/wheel-tools.txt >&2
PATH=$staging/tools/bin:$PATH

# Links become files.
cp -rL python "$staging/project"
project=$staging/project
package=$project/earshot_judge
rm -rf "$project/tests" "$package/__pycache__"
sed -i "s/^version = .*/version = \"$version\"/; s/^license = .*/&\nlicense-files = [\"licences\/*\"]/" "$project/pyproject.toml"
mkdir -p "$package/bin" "$package/share/earshot/Reports" "$project/licences"
cp -r Corpora "$package/share/earshot/"
cp -r Reports/gates "$package/share/earshot/Reports/"
strip -o "$package/bin/earshot" "$EARSHOT_BINARY"
chmod 755 "$package/bin/earshot"
# Tables of stack frames become zeros, 2 MB less: Swift throws no exceptions, so only debuggers read them. They stay in place,
# as the end of a thread looks for them.
for section in .eh_frame .eh_frame_hdr .gcc_except_table; do
    size=$(size -A "$package/bin/earshot" | awk -v name="$section" '$1 == name { print $2 }')
    head -c "${size:-0}" /dev/zero >"$staging/zeros"
    [ ! -s "$staging/zeros" ] || objcopy --update-section "$section=$staging/zeros" "$package/bin/earshot"
done

# The sound server and the client of the web bring 50 libraries that few commands use: those of the machine serve.
if [ "$(uname -m)" = x86_64 ]; then
    scripts/parts/delay-loaded-library.py "$package/bin/earshot" "$staging/libearshot-lazy.so" libpulse.so.0 libcurl.so.4
    for library in libpulse.so.0 libcurl.so.4; do
        patchelf --replace-needed "$library" libearshot-lazy.so "$package/bin/earshot"
    done
fi

# Licences: ours, those of Swift and of packages of Swift, and those of the Debian packages of libraries.
cp LICENSE "$project/licences/earshot"
for file in "$(dirname "$(readlink -f "$(command -v swift)")")/../share/swift/LICENSE.txt" .build*/checkouts/*/LICENSE*; do
    [ -f "$file" ] || continue
    case $file in
        */checkouts/*) name=$(basename "$(dirname "$file")") ;;
        *) name=swift ;;
    esac
    cp "$file" "$project/licences/$name"
done
LD_LIBRARY_PATH=$staging ldd "$package/bin/earshot" >"$staging/libraries"
sed -n 's/.*=> \(\/[^ ]*\).*/\1/p' "$staging/libraries" | while read -r library; do
    owner=$(dpkg-query -S "$(readlink -f "$library")" "/usr$(readlink -f "$library")" 2>/dev/null | head -n 1 | cut -d : -f 1)
    [ -z "$owner" ] || cp -L "/usr/share/doc/$owner/copyright" "$project/licences/$owner"
done

python3 -m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation -w "$staging/plain" "$project" >&2
wheel tags --remove --platform-tag "linux_$(uname -m)" "$staging"/plain/*.whl >/dev/null
LD_LIBRARY_PATH=$staging auditwheel repair -z 9 -w "$folder" "$staging"/plain/*.whl >&2
wheel=$(find "$folder" -maxdepth 1 -name "earshot_judge-$version-*.whl" -newer "$staging/tools/pyvenv.cfg" | head -n 1)
[ -n "$wheel" ] || { echo "wheel: auditwheel wrote no wheel of $version" >&2; exit 1; }
echo "$(du -k --apparent-size "$wheel" | cut -f 1) kB, $(unzip -l "$wheel" | grep -c '\.libs/.') libraries" >&2
echo "$wheel"
