#!/bin/sh
# The first program of the guest that `qemu.py` boots: brings udev up, runs the tests, switches the guest off.
# guest.sh CHECKOUT PYTHON [PYTEST ARGUMENTS]
checkout=$1 python=$2
shift 2
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8
export PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 CI=true
export PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 # the others take as long as the kernel to come up
unset LD_PRELOAD UMOCKDEV_DIR
mount -t tmpfs run /run
mkdir -p /dev/pts /dev/shm /run/udev/rules.d
mount -t devpts devpts /dev/pts
mount -t tmpfs shm /dev/shm
ln -sf /proc/self/fd /dev/fd
busybox ip link set lo up
/lib/systemd/systemd-udevd --daemon
cd "$checkout" && "$python" -m pytest -p pytest_timeout -m qemu -p no:cacheprovider --color=no tests/emulated/test_kernel.py "$@"
echo "guest: tests ended with $?"
echo o >/proc/sysrq-trigger
while :; do read -r _; done
