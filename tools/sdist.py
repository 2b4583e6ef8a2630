"""Build the source distribution: maturin's, with the crates that a build needs, so that it builds offline."""

import re
import subprocess
import sys
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parent.parent
TESTS_ONLY = re.compile(r"^\[dev-dependencies\]\n(?:(?!\[).*\n?)*", re.MULTILINE)


def anonymous(file: tarfile.TarInfo) -> tarfile.TarInfo:
    """An archive member without the user and group that packed it."""
    file.uid = file.gid = 0
    file.uname = file.gname = ""
    return file


with TemporaryDirectory() as folder:
    subprocess.run([sys.executable, "-m", "maturin", "sdist", "--out", folder], cwd=ROOT, check=True)
    [made] = Path(folder).glob("*.tar.gz")
    with tarfile.open(made) as archive:
        archive.extractall(folder, filter="data")
    tree = made.with_name(made.name.removesuffix(".tar.gz"))
    # The crates of the Rust tests would double its size.
    for manifest in [tree / "Cargo.toml", *tree.glob("rust/**/Cargo.toml")]:
        manifest.write_text(TESTS_ONLY.sub("", manifest.read_text(encoding="utf-8")), encoding="utf-8")
    config = subprocess.check_output(["cargo", "vendor", "vendor"], cwd=tree, text=True)
    (tree / ".cargo/config.toml").write_text(config, encoding="utf-8")
    (ROOT / "dist").mkdir(exist_ok=True)
    with tarfile.open(ROOT / "dist" / made.name, "w:gz") as archive:
        archive.add(tree, tree.name, filter=anonymous)
