"""Which machine is meant, with none, one, two and twins plugged in; all from facts, and nothing is opened.

Read next: `driver/plugged_in/candidates.py`.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from driver.errors import MachineNotFound
from driver.plugged_in.candidates import Known, Likeness, Wanted, candidates, choose, likeness_of
from driver.plugged_in.facts import DeviceFacts, Facts
from driver.transport.sysfs import UsbDevice
from protocol.constants import USB_PRODUCT, USB_VENDOR
from protocol.usb import MANUFACTURER, PRODUCT
from tests.support.facts import adapter_device, computer, machine_device, node, port

TESTS_TOO = Wanted(test_machines=True)
ACM0 = port("/dev/ttyACM0", machine_device())
ACM1 = port("/dev/ttyACM1", machine_device("DM0043", "1-3"))
TWIN = port("/dev/ttyACM1", machine_device("DM0042", "1-3"))
USB0 = port("/dev/ttyUSB0", adapter_device())
USB1 = port("/dev/ttyUSB1", adapter_device(place="1-4"))
MAX = Known("DM0042", "Max", USB_VENDOR, USB_PRODUCT, "DM0042", "1-2")


def refused(facts: Facts, wanted: Wanted) -> tuple[str, str]:
    with pytest.raises(MachineNotFound) as error:
        choose(facts, wanted)
    return str(error.value), error.value.hint


def test_without_anything_plugged_in_there_is_none() -> None:
    assert candidates(computer()) == []
    assert refused(computer(), Wanted())[0] == "No port with a machine was found on this computer."


def test_the_private_test_numbers_are_taken_only_when_that_is_said() -> None:
    sentence, hint = refused(computer(ACM0), Wanted())

    assert "private test numbers" in sentence
    assert "--test-machine" in hint
    assert choose(computer(ACM0), TESTS_TOO).url == "serial:/dev/ttyACM0"
    assert choose(computer(ACM0), Wanted("/dev/ttyACM0")).url == "serial:/dev/ttyACM0"


@pytest.mark.parametrize(
    "changes",
    [{"vendor": 0x0403}, {"product": 0x6001}, {"manufacturer": "Somebody"}, {"name": "Blinker"}],
    ids=lambda changes: next(iter(changes)),
)
def test_other_numbers_or_other_texts_are_those_of_an_adapter(changes: dict[str, object]) -> None:
    assert likeness_of(machine_device()) is Likeness.TEST
    assert likeness_of(replace(machine_device(), **changes)) is Likeness.ADAPTER  # type: ignore[arg-type]


def test_where_the_system_tells_no_texts_the_numbers_stand_alone() -> None:
    assert likeness_of(replace(machine_device(), manufacturer="", name="")) is Likeness.TEST


@pytest.mark.parametrize("ports", [(USB0,), (USB0, USB1)], ids=["one", "two"])
def test_an_adapter_is_never_taken_by_itself_however_alone_it_is(ports: tuple[object, ...]) -> None:
    sentence, hint = refused(computer(*ports), TESTS_TOO)  # type: ignore[arg-type]

    assert "serial:/dev/ttyUSB0 (USB Serial" in sentence
    assert "--machine" in hint


def test_two_machines_are_refused_both_are_listed_and_the_option_is_named() -> None:
    sentence, hint = refused(computer(ACM0, ACM1, USB0), TESTS_TOO)

    assert sentence == (
        "There are several machines: serial:/dev/ttyACM0 (Card dealing machine DM0042), "
        "serial:/dev/ttyACM1 (Card dealing machine DM0043)."
    )
    assert "--machine ADDRESS" in hint
    assert choose(computer(ACM0, ACM1), Wanted("dm0043")).url == "serial:/dev/ttyACM1"


def test_twins_with_one_serial_number_are_listed_by_where_they_are_plugged_in() -> None:
    for wanted in (TESTS_TOO, Wanted("DM0042")):
        sentence, _ = refused(computer(ACM0, TWIN), wanted)
        assert "plugged in at /dev/serial/by-path/pci-0000:00:14.0-usb-0:2:1.0" in sentence
        assert "plugged in at /dev/serial/by-path/pci-0000:00:14.0-usb-0:3:1.0" in sentence

    by_path = Wanted("/dev/serial/by-path/pci-0000:00:14.0-usb-0:3:1.0")
    assert choose(computer(ACM0, TWIN), by_path).url == "serial:/dev/ttyACM1"


def test_twins_on_usb_alone_have_addresses_that_tell_them_apart() -> None:
    devices = [machine_device(place=place, bulk_only=True) for place in ("1-2", "1-3")]
    facts = replace(computer(), devices=tuple(DeviceFacts(one) for one in devices))

    assert [one.url for one in candidates(facts)] == ["usb:DM0042@1-2", "usb:DM0042@1-3"]
    assert choose(facts, Wanted("usb:DM0042@1-3")).device.location == "1-3"


@pytest.mark.parametrize("name", ["usb:DM0042", "usb:dm0042"])
def test_a_machine_with_a_port_that_is_named_by_its_address_on_usb_is_reached_by_that(name: str) -> None:
    found = choose(computer(ACM0, ACM1), Wanted(name))

    assert (found.url, found.port) == ("usb:DM0042", None)
    assert found.node is not None
    assert found.node.path == machine_device().node
    assert choose(computer(ACM0, TWIN), Wanted("usb:DM0042@1-3")).url == "usb:DM0042@1-3"
    assert "usb:DM0042@1-2" in refused(computer(ACM0, TWIN), Wanted(name))[0]


def test_a_port_of_windows_and_its_device_are_one_machine_though_their_places_are_told_differently() -> None:
    at_port = UsbDevice(USB_VENDOR, USB_PRODUCT, "1-2", "DM0042")
    by_name = UsbDevice(USB_VENDOR, USB_PRODUCT, "DM0042", "DM0042")
    without_port = UsbDevice(USB_VENDOR, USB_PRODUCT, "DM0043", "DM0043")
    facts = Facts("win32", ports=(port("COM5", at_port, links=False),), devices=(DeviceFacts(by_name),))

    assert choose(facts, TESTS_TOO).url == "serial:COM5"
    both = replace(facts, devices=(*facts.devices, DeviceFacts(without_port)))
    assert [one.url for one in candidates(both)] == ["serial:COM5", "usb:DM0043"]


def test_a_device_on_usb_alone_that_tells_no_serial_number_has_no_address() -> None:
    nameless = DeviceFacts(UsbDevice(USB_VENDOR, USB_PRODUCT, "6&2B7&0&2"))

    assert candidates(Facts("win32", devices=(nameless,))) == []


def test_a_machine_with_a_port_is_one_candidate_and_opened_by_its_port() -> None:
    (found,) = candidates(computer(ACM0))

    assert (found.url, found.likeness) == ("serial:/dev/ttyACM0", Likeness.TEST)


@pytest.mark.parametrize(
    "name",
    ["/dev/ttyACM0", "serial:/dev/ttyACM0", "ttyacm0", "DM0042", "/dev/dealing-machine-DM0042",
     "dealing-machine-dm0042", "Max"],
)  # fmt: skip
def test_a_machine_is_named_by_its_name_here_its_number_or_any_name_of_its_port(name: str) -> None:
    assert (
        choose(computer(ACM0, ACM1, USB0), Wanted(name, known=(MAX,))).port == ACM0 if name != "card dealing" else True
    )


def test_a_part_of_a_label_that_fits_two_is_refused() -> None:
    assert "Several machines fit the name 'card dealing'" in refused(computer(ACM0, ACM1), Wanted("card dealing"))[0]
    assert choose(computer(ACM0, USB0), Wanted("card dealing")).port == ACM0


def test_a_machine_that_has_a_name_here_is_the_only_one_whatever_else_is_plugged_in() -> None:
    found = choose(computer(ACM1, ACM0, USB0), Wanted(known=(MAX,)))

    assert (found.url, found.label) == ("serial:/dev/ttyACM0", "Max")


def test_an_adapter_that_has_a_name_here_is_known_by_its_number_wherever_it_is_plugged_in() -> None:
    known = Known("DM0042", "Max", 0x1A86, 0x7523, "A7", "1-1")
    moved = port("/dev/ttyUSB5", adapter_device("A7", "2-3"))

    assert choose(computer(moved, USB0), Wanted(known=(known,))).url == "serial:/dev/ttyUSB5"


def test_an_adapter_without_a_number_is_known_only_where_it_was() -> None:
    known = Known("DM0042", "Max", 0x1A86, 0x7523, "", "1-1")

    assert choose(computer(USB0, USB1), Wanted(known=(known,))).url == "serial:/dev/ttyUSB0"
    refused(computer(USB1), Wanted(known=(known,)))


@pytest.mark.parametrize("path", ["COM10", r"\\.\COM10"])
def test_ports_of_windows_are_named_with_and_without_the_prefix(path: str) -> None:
    device = UsbDevice(USB_VENDOR, USB_PRODUCT, "1-2", "DM0042")
    facts = replace(computer(port("COM10", device, links=False)), system="win32")

    assert choose(facts, Wanted(path)).url == "serial:COM10"


def test_the_texts_of_a_machine_are_those_of_the_page() -> None:
    assert (machine_device().manufacturer, machine_device().name) == (MANUFACTURER, PRODUCT)
    assert node("/dev/ttyACM0").may_open
