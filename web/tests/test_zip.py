"""The page reads zip archives, and finds in them what the command line does."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import struct
import subprocess
import zipfile
import zlib
from pathlib import Path

import pytest

from pyale_ma.games import archives
from pyale_ma.games.rom_files import SUFFIXES

WEB = Path(__file__).parents[1]
READ = """
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { romsInZip } from './zip.js';

const found = [];
const refused = [];
const bytes = new Uint8Array(readFileSync('archive.zip'));
const refuse = (path, why) => refused.push([['archive.zip', ...path].join(': '), why]);
for await (const rom of romsInZip(bytes, refuse)) {
  const md5 = createHash('md5').update(rom.bytes).digest('hex');
  found.push([['archive.zip', ...rom.path].join(': '), md5]);
}
console.log(JSON.stringify([found, refused]));
"""
Read = tuple[list[list[str]], list[list[str]]]  # ROM files and their MD5; what is refused, and why


def _node_unpacks() -> bool:
    probe = "new DecompressionStream('deflate-raw')"
    node = shutil.which("node")
    if not node:
        return False
    return not subprocess.run([node, "-e", probe], capture_output=True).returncode


pytestmark = pytest.mark.skipif(not _node_unpacks(), reason="needs Node that unpacks deflate-raw")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("zip.js", "libale.js"):
        (tmp_path / name).write_text((WEB / name).read_text())
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "read.js").write_text(READ)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read_by_page(folder: Path, archive: bytes) -> Read:
    (folder / "archive.zip").write_bytes(archive)
    done = subprocess.run(
        ["node", "read.js"], cwd=folder, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    found, refused = json.loads(done.stdout)
    return found, refused


def read_by_both(folder: Path, archive: bytes) -> Read:
    """Read an archive with page and command line, which must find the same ROM files.

    The command line takes files whatever their names are.  What is refused is the page's.
    """
    found, refused = read_by_page(folder, archive)
    images = archives.images_in("archive.zip", lambda name, why: None)
    assert found == [
        [name, hashlib.md5(image).hexdigest()]
        for name, image in images
        if Path(name).suffix.lower() in SUFFIXES
    ]
    return found, refused


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", method) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return archive.getvalue()


def deflated(content: bytes) -> bytes:
    packer = zlib.compressobj(9, wbits=-15)
    return packer.compress(content) + packer.flush()


def made(
    data: bytes,
    count: int = 1,
    *,
    name: bytes = b"a.bin",
    flags: int = 0,
    method: int = zipfile.ZIP_DEFLATED,
    crc: int = 0,
    packed: int | None = None,
    size: int = 1,
) -> bytes:
    """An archive of entries that are all in the same place, and of which it says what it likes."""
    packed = len(data) if packed is None else packed
    about = struct.pack("<3H4I2H", 20, flags, method, 0, crc, packed, size, len(name), 0)
    head = b"PK\3\4" + about + name + data
    directory = count * (b"PK\1\2\0\0" + about + bytes(14) + name)
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, count, count, len(directory), len(head), 0)
    return head + directory + end


ROM = bytes(range(256)) * 16
CRC = zlib.crc32(ROM)


def test_archives_in_archives(folder: Path) -> None:
    deep = zipped({"d.bin": ROM})
    for name in ("c.zip", "b.zip", "a.ZIP"):
        deep = zipped({name: deep, f"beside {name}.rom": ROM[::-1]}, zipfile.ZIP_STORED)
    files = {
        "folder/": b"",
        "folder/One (1977).BIN": ROM,
        "folder/._One (1977).bin": b"of macOS",
        "folder/.bin": b"no name",
        "read me.txt": b"Hello",
        "deep.zip": deep,
        "empty.zip": zipped({}),
        "none.zip": b"PK",
        "large.bin": bytes(2**19 + 1),
        "x" * 60_000 + ".a26": b"?",
    }
    found, refused = read_by_both(folder, zipped(files))
    assert [name for name, _ in found][1:] == [
        "archive.zip: deep.zip: a.ZIP: beside b.zip.rom",
        "archive.zip: deep.zip: beside a.ZIP.rom",
        f"archive.zip: {'x' * 50}\N{HORIZONTAL ELLIPSIS}{'x' * 46}.a26",
    ]
    assert [why for _, why in refused] == [
        "it lies too deep in other archives",
        "it is no zip file that can be read: it has no directory",
        "it has more than 524288 bytes",
    ]
    # A program that unpacks the archive may be before it, and a comment after it.
    archive = zipped({"a.bin": ROM})
    archive = archive[:-2] + struct.pack("<H", 9) + b"a comment"
    assert len(read_by_both(folder, b"MZ" + bytes(99) + archive)[0]) == 1


@pytest.mark.parametrize(
    ("archive", "why"),
    [
        (made(deflated(ROM), size=len(ROM), crc=CRC), ""),
        (made(ROM, size=len(ROM), crc=CRC, method=0), ""),
        (made(deflated(ROM), size=len(ROM), crc=CRC, flags=1), "it is encrypted"),
        (made(b"", method=12), "it is packed by a method other than deflate"),
        (made(deflated(ROM), size=len(ROM), crc=CRC ^ 1), "it is damaged"),
        (made(deflated(ROM), size=len(ROM) - 1, crc=CRC), "it is damaged"),
        (made(deflated(ROM)[:-9], size=len(ROM), crc=CRC), "it is damaged"),
        (made(b"\xff" * 99, size=len(ROM)), "it is damaged"),
        (made(ROM, size=len(ROM) - 1, crc=CRC, method=0), "it is damaged"),
        (made(ROM, size=len(ROM), crc=CRC, method=0, packed=9), "it is damaged"),
        (made(ROM, size=len(ROM), packed=2**32 - 2), "it is damaged"),
        (made(deflated(ROM), size=2**32 - 1), "it has more than 524288 bytes"),
        (b"NO" + made(ROM, size=len(ROM), crc=CRC, method=0)[2:], "it is damaged"),
    ],
)
def test_entries_that_are_refused(folder: Path, archive: bytes, why: str) -> None:
    found, refused = read_by_both(folder, archive)
    assert [reason for _, reason in refused] == [why] * bool(why)
    assert len(found) == (not why)


@pytest.mark.parametrize(
    ("archive", "why"),
    [
        (b"", "it has no directory"),
        (zipped({"a.bin": ROM})[:-30], "it has no directory"),
        (
            made(b"")[:-22] + struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 1, 1, 999, 0, 0),
            "its directory",
        ),
        (made(b"")[:-10] + struct.pack("<2IH", 2**22 + 1, 0, 0), "it lists too many entries"),
        (made(b"").replace(b"PK\1\2", b"PK\1\1"), "its directory is damaged"),
        (b"PK\6\7" + bytes(16) + zipped({}), "it is of the 64-bit kind"),
    ],
)
def test_archives_that_are_refused(folder: Path, archive: bytes, why: str) -> None:
    found, [[name, reason]] = read_by_both(folder, archive)
    assert (found, name) == ([], "archive.zip")
    assert reason.startswith(f"it is no zip file that can be read: {why}")


def test_work_has_bounds(folder: Path) -> None:
    """Whatever archives say, of entries that share their bytes too."""
    too_much = ["archive.zip", "more than 268435456 bytes are in this archive"]
    large = bytes(2**19)
    bomb = zipped({f"{number}.bin": large for number in range(600)})
    shared = made(deflated(large), 600, size=len(large), crc=zlib.crc32(large))
    # Of entries that share their bytes, later versions of Python read the first alone.
    for found, refused in read_by_both(folder, bomb), read_by_page(folder, shared):
        assert len(found) == 512
        assert refused == [too_much]

    many = made(b"", 26_000, name=b"a.txt")
    _, refused = read_by_page(folder, zipped({"a.zip": many, "b.zip": many}))
    assert refused == [["archive.zip", "more than 50000 entries are in this archive"]]

    # What unpacks to more than it says, or is long and unpacks to nothing.
    for lie, most in (deflated(bytes(2**22)), 64), (b"\xff" * (50 * 2**20), 5):
        found, refused = read_by_page(folder, made(lie, 100))
        assert not found
        assert refused[-1] == too_much
        assert all(why == "it is damaged" for _, why in refused[:-1])
        assert len(refused) <= most
