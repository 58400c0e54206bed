"""Section 14 of PROTOCOL.md against the code: ids, strings, interfaces, requests, and every descriptor byte by byte.

The bytes of the page stand there by themselves: what a host makes of them is read here without the code that built
ours. Read next: `protocol/usb.py`, `tests/unit/test_usb_transport.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from uuid import UUID

import pytest

from firmware_sim.profile import FULL
from protocol import usb
from protocol.constants import USB_PRODUCT, USB_TEST_PRODUCTS, USB_VENDOR
from protocol.usb import SERIAL, UsbIdentity
from tests.support.tables import page_table, section

WITH_CDC = UsbIdentity(FULL.serial)
ALONE = UsbIdentity(FULL.serial, composite=False)
KINDS = {"interrupt": 3, "bulk": 2}


def bytes_of_the_page() -> dict[str, bytes]:
    """The blocks below *USB bytes*, by their names."""
    text = section("USB bytes").partition("```\n")[2].partition("```")[0]
    blocks = [block.splitlines() for block in text.strip().split("\n\n")]
    return {lines[0]: bytes.fromhex("".join(line.partition("#")[0] for line in lines[1:])) for lines in blocks}


def parts(configuration: bytes) -> Iterator[bytes]:
    """A configuration descriptor, cut at the lengths that it tells."""
    at = 0
    while at < len(configuration):
        length = configuration[at]
        assert length >= 2
        yield configuration[at : at + length]
        at += length
    assert at == len(configuration)


def word(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 2], "little")


def test_each_request_of_the_page_is_answered_with_the_bytes_of_the_page() -> None:
    bytes_there = bytes_of_the_page()
    rows = page_table("USB requests")
    for row in rows:
        numbers = (int(row[name], 16) for name in ("bmRequestType", "bRequest", "wValue", "wIndex"))
        answer = WITH_CDC.control_in(*numbers)
        assert answer is not None
        assert answer.hex(" ") == bytes_there[row["answer"]].hex(" "), row["answer"]
    assert set(bytes_there) == set(rows.column("answer"))


@pytest.mark.parametrize(
    "request_", [(0x80, 6, 0x0101, 0), (0x80, 6, 0x0201, 0), (0x80, 6, 0x0309, 0x0409), (0x80, 6, 0x0600, 0),
                 (0x80, 0, 0, 0), (0xC0, 1, 0, 4), (0xC0, 2, 0, 7), (0x40, 1, 0, 7)]
)  # fmt: skip
def test_any_other_request_is_a_stall(request_: tuple[int, int, int, int]) -> None:
    assert WITH_CDC.control_in(*request_) is None


def test_the_ids_of_the_page_are_the_constants_and_stand_in_the_device_descriptor() -> None:
    values = {row["field"]: int(row["value"], 16) for row in page_table("USB ids")}
    device = bytes_of_the_page()["device"]
    assert values == {
        "idVendor": USB_VENDOR,
        "idProduct": USB_PRODUCT,
        "bcdUSB": usb.USB_VERSION,
        "bcdDevice": usb.DEVICE_VERSION,
        "bDeviceClass": device[4],
    }
    assert (len(device), device[0], device[1]) == (18, 18, 1)
    assert [word(device, at) for at in (8, 10, 2, 12)] == [USB_VENDOR, USB_PRODUCT, usb.USB_VERSION, usb.DEVICE_VERSION]
    assert usb.USB_VERSION >= 0x0201, "or Windows does not ask for the BOS"
    assert USB_PRODUCT in USB_TEST_PRODUCTS
    assert "private test" in page_table("USB ids").rows[1]["meaning"]


def test_the_strings_of_the_page_are_those_that_the_machine_gives() -> None:
    texts = {int(row["index"]): row["text"] for row in page_table("USB strings")}
    device = bytes_of_the_page()["device"]
    assert texts == WITH_CDC.strings
    assert [texts[device[at]] for at in (14, 15, 16)] == [usb.MANUFACTURER, usb.PRODUCT, FULL.serial]
    for index, text in texts.items():
        raw = WITH_CDC.string(index)
        assert raw is not None
        assert (raw[0], raw[1], raw[2:].decode("utf-16-le")) == (len(raw), 3, text)
    assert WITH_CDC.string(6) is None
    assert f"Language {usb.LANGUAGE:04x}." in section("USB strings")


def test_the_interfaces_and_endpoints_of_the_page_are_those_of_the_configuration() -> None:
    interfaces, endpoints = [], []
    for part in parts(WITH_CDC.configuration):
        if part[1] == 4:
            interfaces.append((part[2], part[5], part[6], part[7]))
            assert part[3] == 0
            left = part[4]
        elif part[1] == 5:
            endpoints.append((part[2], interfaces[-1][0], part[3], word(part, 4)))
            left -= 1
            assert left >= 0
    columns = ("number", "class", "subclass", "protocol")
    assert interfaces == [tuple(int(row[name], 16) for name in columns) for row in page_table("USB interfaces")]
    assert endpoints == [
        (int(row["address"], 16), int(row["interface"]), KINDS[row["kind"]], int(row["size"]))
        for row in page_table("USB endpoints")
    ]
    assert [row["protocol"] for row in page_table("USB interfaces")] == ["00"] * 3, "no AT protocol"


@pytest.mark.parametrize("identity", [WITH_CDC, ALONE], ids=["with CDC", "alone"])
def test_every_length_and_number_in_the_configuration_is_true(identity: UsbIdentity) -> None:
    first, *rest = parts(identity.configuration)
    assert word(first, 2) == len(identity.configuration)
    numbers = [part[2] for part in rest if part[1] == 4]
    assert numbers == list(range(first[4]))
    promised = sum(part[4] for part in rest if part[1] == 4)
    assert promised == sum(part[1] == 5 for part in rest)
    vendor = [part for part in rest if part[1] == 4 and part[5] == 0xFF]
    assert [part[2] for part in vendor] == [identity.vendor_interface] == [numbers[-1]]


@pytest.mark.parametrize("identity", [WITH_CDC, ALONE], ids=["with CDC", "alone"])
def test_windows_is_led_from_the_bos_to_winusb_for_the_vendor_interface(identity: UsbIdentity) -> None:
    bos = identity.bos
    assert (bos[:2], word(bos, 2), bos[4]) == (b"\x05\x0f", len(bos), 1)
    assert (bos[5], bos[6:9]) == (len(bos) - 5, b"\x10\x05\x00")
    assert UUID(bytes_le=bos[9:25]) == UUID("D8DD60DF-4589-4CC7-9CD2-659D9E648A9F")
    windows, length, request = bos[25:29], word(bos, 29), bos[31]
    found = identity.control_in(0xC0, request, 0, 7)
    assert found is not None
    assert (word(found, 0), word(found, 2), found[4:8], word(found, 8)) == (10, 0, windows, len(found))
    assert len(found) == length

    rest = found[10:]
    if identity.composite:
        assert (word(rest, 0), word(rest, 2), rest[4], word(rest, 6)) == (8, 1, 0, len(rest))
        rest = rest[8:]
        assert (word(rest, 0), word(rest, 2), rest[4], word(rest, 6)) == (8, 2, identity.vendor_interface, len(rest))
        rest = rest[8:]
    compatible, registry = rest[: word(rest, 0)], rest[word(rest, 0) :]
    assert (len(compatible), word(compatible, 2), compatible[4:12]) == (20, 3, b"WINUSB\0\0")
    assert (word(registry, 0), word(registry, 2), word(registry, 4)) == (len(registry), 4, 7)
    name = registry[8 : 8 + word(registry, 6)]
    value = registry[8 + len(name) + 2 :]
    assert word(registry, 8 + len(name)) == len(value)
    assert name.decode("utf-16-le") == "DeviceInterfaceGUIDs\0"
    assert re.fullmatch(r"\{[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}\}\0\0", value.decode("utf-16-le"))


def test_the_page_tells_how_long_the_set_is_without_cdc() -> None:
    assert f"{len(ALONE.ms_os_20)} ({len(ALONE.ms_os_20):04x})" in section("USB bytes")


@pytest.mark.parametrize("serial", ["DM0042", "SIM-0001", "a", "A.b_c-9", "0123456789abcdef"])
def test_a_serial_number_of_the_signs_of_the_page_can_be(serial: str) -> None:
    assert SERIAL.fullmatch(serial)


@pytest.mark.parametrize("serial", ["", "0123456789abcdefg", "DM 42", "DM,42", "DM/42", "DM@42", "D\u00c4", "x\n"])
def test_any_other_serial_number_can_not(serial: str) -> None:
    assert not SERIAL.fullmatch(serial)
