"""Everything from elsewhere that the product is built of, with its licence: what the lock files name."""
import base64
import json
import pathlib
import subprocess
import tomllib
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# The web app, and what tests talk to.
NPM_FOLDERS = [ROOT / "web", ROOT / "crates/fhir/tests/peers"]


@dataclass(frozen=True)
class Component:
    """One version of a crate or an npm package."""

    kind: str
    name: str
    version: str
    licence: str
    # Name of the algorithm and hexadecimal digits, where the lock file says them.
    checksum: tuple[str, str] | None
    # Part of what is installed, and not of building and testing alone.
    is_shipped: bool

    def __str__(self):
        return f"{'crate' if self.kind == 'cargo' else 'package'} {self.name} {self.version}"

    @property
    def purl(self):
        """Its package URL (https://github.com/package-url/purl-spec)."""
        return f"pkg:{self.kind}/{self.name.replace('@', '%40')}@{self.version.replace('+', '%2B')}"


def rust():
    command = ["cargo", "metadata", "--format-version", "1", "--locked"]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)
    shipped = shipped_crates(metadata)
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    checksums = {(p["name"], p["version"]): ("SHA-256", p["checksum"]) for p in lock if "checksum" in p}
    for package in metadata["packages"]:
        if package["source"]:
            name, version = package["name"], package["version"]
            checksum = checksums.get((name, version))
            yield Component("cargo", name, version, package.get("license") or "", checksum, package["id"] in shipped)


def shipped_crates(metadata):
    """What the server reaches without tests and without what only builds."""
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    waiting = [package["id"] for package in metadata["packages"] if package["name"] == "server" and not package["source"]]
    seen = set()
    while waiting:
        one = waiting.pop()
        if one not in seen:
            seen.add(one)
            for dependency in nodes[one]["deps"]:
                if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                    waiting.append(dependency["pkg"])
    return seen


def npm():
    for folder in NPM_FOLDERS:
        yield from locked(folder)


def locked(folder):
    for path, entry in json.loads((folder / "package-lock.json").read_text())["packages"].items():
        # The web app itself, and the folder of its generator.
        if "node_modules/" not in path or entry.get("link"):
            continue
        # Optional packages of other platforms are never installed.
        if entry.get("optional") and entry.get("license") in (None, "UNKNOWN"):
            continue
        manifest = folder / path / "package.json"
        licence = entry.get("license")
        if not licence and manifest.exists():
            licence = json.loads(manifest.read_text()).get("license")
        name = entry.get("name") or path.rpartition("node_modules/")[2]
        yield Component("npm", name, str(entry.get("version")), licence or "", integrity(entry), not entry.get("dev"))


def integrity(entry):
    """The checksum of an entry of a lock file, in hexadecimal digits."""
    algorithm, _, digest = entry.get("integrity", "").split(" ")[0].partition("-")
    names = {"sha512": "SHA-512", "sha384": "SHA-384", "sha256": "SHA-256", "sha1": "SHA-1"}
    return (names[algorithm], base64.b64decode(digest).hex()) if algorithm in names else None
