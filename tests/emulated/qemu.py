"""`make qemu`: boots Debian's kernel in QEMU and runs the tests marked `qemu` there, against its own cdc_acm and usbfs.

The guest sees this computer's files through 9p, read-only, under a layer that vanishes with it: so it has this Python,
this checkout and this udev. No KVM: it may be there and not work. May import: the standard library.
Read next: `usbip.py`, the device; `test_kernel.py`, what runs inside; `guest.sh`, the guest's first program.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
CACHE: Final = ROOT / "build" / "qemu"
BUSYBOX: Final = Path("/bin/busybox")
TIMEOUT: Final = 300.0
PASSED: Final = "guest: tests ended with 0"
NEEDED: Final = {
    "qemu-system-x86_64": "qemu-system-x86",
    "busybox": "busybox-static",
    "cpio": "cpio",
    "depmod": "kmod",
    "udevadm": "udev",
    "apt-get": "apt",
    "dpkg": "dpkg",
}
"""Program -> the Debian package that has it."""
EVERY_KERNEL: Final = "linux-image-amd64"
"""Depends on the newest one; the cloud kernels have no USB."""
MODULES: Final = ("virtio_pci", "9pnet_virtio", "9p", "overlay", "vhci-hcd", "cdc-acm")
KEPT: Final = ("drivers/usb", "drivers/virtio", "fs/9p", "fs/fscache", "fs/netfs", "fs/overlayfs", "net/9p")
"""Where those and what they need lie among the modules."""

INIT: Final = """#!/bin/busybox sh
set -e
/bin/busybox mkdir -p /proc /sys /dev /host /layer /root
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
for module in {modules}; do insmod "/$module"; done
mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,cache=loose,ro root /host
mount -t tmpfs layer /layer
mkdir /layer/upper /layer/work
mount -t overlay -o lowerdir=/host,upperdir=/layer/upper,workdir=/layer/work root /root
mount --move /dev /root/dev
mount --move /proc /root/proc
mount --move /sys /root/sys
exec switch_root /root /bin/sh {guest} {root} {python} {arguments}
"""


class CannotRun(Exception):
    """Something is missing; the text says what, and how to get it."""


def main(arguments: list[str]) -> int:
    """Boots once; 0 when the tests in there passed. `arguments` go to pytest."""
    try:
        missing = sorted({package for name, package in NEEDED.items() if shutil.which(name) is None})
        if missing:
            raise CannotRun(
                "This needs Debian or its kin, with:\n"
                f"  apt-get update && apt-get install -y --no-install-recommends {' '.join(missing)}"
            )
        kernel = the_kernel()
        initramfs = pack_initramfs(kernel, arguments)
    except CannotRun as error:
        print(f"make qemu cannot run. {error}", file=sys.stderr)
        return 2
    return boot(kernel, initramfs)


def the_kernel() -> Path:
    """The unpacked kernel package (boot/ and lib/modules/ in it); fetched once, never installed."""
    unpacked = CACHE / "kernel"
    if not unpacked.is_dir():
        package = _fetch()
        partly = CACHE / "partly"
        shutil.rmtree(partly, ignore_errors=True)
        _unpack(package, partly)
        package.unlink()
        partly.rename(unpacked)
    return unpacked


def _fetch() -> Path:
    CACHE.mkdir(parents=True, exist_ok=True)
    depends = _run("apt-cache", "depends", "--important", EVERY_KERNEL)
    names = [line.partition(":")[2].strip() for line in depends.splitlines() if "Depends: linux-image-" in line]
    if not names:
        raise CannotRun(f"The package lists do not name {EVERY_KERNEL}; `apt-get update` fetches them.")
    _run("apt-get", "download", "-o", "APT::Sandbox::User=root", names[0])
    found = sorted(CACHE.glob(f"{names[0]}_*.deb"))
    if not found:
        raise CannotRun(f"The package {names[0]} could not be fetched.")
    return found[-1]


def _unpack(package: Path, into: Path) -> None:
    """Only the kernel itself and the modules that are used: the rest is 300 MB."""
    with (
        subprocess.Popen(["dpkg", "--fsys-tarfile", str(package)], stdout=subprocess.PIPE) as unpacking,
        tarfile.open(fileobj=unpacking.stdout, mode="r|") as archive,
    ):
        for member in archive:
            name = member.name.removeprefix("./")
            if name.startswith("boot/vmlinuz-") or _is_kept_module(name):
                archive.extract(member, into, filter="data")
    if unpacking.returncode:
        raise CannotRun(f"The package {package.name} is damaged; run `make clean` and try again.")


def _is_kept_module(name: str) -> bool:
    top, _, rest = name.removeprefix("lib/modules/").partition("/")
    return (
        bool(rest)
        and name != top
        and (rest.startswith("modules.") or any(rest.startswith(f"kernel/{folder}/") for folder in KEPT))
    )


def pack_initramfs(kernel: Path, arguments: list[str]) -> Path:
    """Busybox, the modules in the order in which they go in, and `INIT`, packed."""
    (modules,) = (kernel / "lib" / "modules").iterdir()
    _run("depmod", "-b", str(kernel), modules.name)
    tree = CACHE / "initramfs"
    shutil.rmtree(tree, ignore_errors=True)
    (tree / "bin").mkdir(parents=True)
    shutil.copy(BUSYBOX, tree / "bin" / "busybox")
    names: dict[str, None] = {}
    for module in MODULES:
        for line in _run("modprobe", "-d", str(kernel), "-S", modules.name, "--show-depends", module).splitlines():
            action, _, path = line.strip().partition(" ")
            if action == "insmod":
                names[Path(path).name] = None
                shutil.copy(path, tree)
    text = INIT.format(
        modules=" ".join(names),
        guest=Path(__file__).with_name("guest.sh"),
        root=ROOT,
        python=sys.executable,
        arguments=" ".join(arguments),
    )
    (tree / "init").write_text(text, encoding="utf-8")
    (tree / "init").chmod(0o755)
    packed = CACHE / "initramfs.cpio"
    listing = "\0".join(str(path.relative_to(tree)) for path in [tree, *sorted(tree.rglob("*"))])
    done = subprocess.run(
        ["cpio", "--null", "--create", "--format=newc", "--quiet"],
        input=listing.encode(), stdout=subprocess.PIPE, cwd=tree, check=True,
    )  # fmt: skip
    packed.write_bytes(done.stdout)
    return packed


def boot(kernel: Path, initramfs: Path) -> int:
    """Runs the guest to its end and shows its console; 0 when it said that the tests passed."""
    (image,) = (kernel / "boot").glob("vmlinuz-*")
    command = [
        "qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max", "-m", "1024", "-smp", "2",
        "-nographic", "-nodefaults", "-serial", "stdio", "-no-reboot", "-kernel", str(image), "-initrd", str(initramfs),
        "-append", "console=ttyS0 quiet panic=1 mitigations=off",
        "-virtfs", "local,path=/,mount_tag=root,security_model=none,readonly=on,multidevs=remap",
    ]  # fmt: skip
    passed = False
    with subprocess.Popen(
        ["timeout", f"{TIMEOUT:.0f}", *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
        encoding="utf-8", errors="replace",
    ) as guest:  # fmt: skip
        assert guest.stdout is not None
        for line in guest.stdout:
            print(line.rstrip(), flush=True)
            passed = passed or PASSED in line
    if not passed:
        print(f"make qemu: the guest did not say {PASSED!r} within {TIMEOUT:.0f} s", file=sys.stderr)
    return 0 if passed else 1


def _run(*command: str) -> str:
    """What the command printed. Raises CannotRun with its complaint."""
    done = subprocess.run(
        command, cwd=CACHE, capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"}
    )
    if done.returncode:
        raise CannotRun(f"`{' '.join(command)}` failed:\n{done.stderr.strip()}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
