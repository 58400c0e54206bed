"""Every deal file format: who reads it and who writes it. A new format is one module and one line here.

May import: the formats. Read next: `driver/deals/records.py` (what a reader returns), `driver/deals/loader.py`.
"""

from __future__ import annotations

from typing import Final

from driver.deals.formats import (
    ber,
    bhg,
    bri,
    csv_text,
    dge,
    dlm,
    dup,
    gib,
    kops,
    lin,
    lin_export,
    one_line,
    pbn,
    pbn_export,
)
from driver.deals.records import Reader, Writer

READERS: Final = (
    Reader("PBN", pbn.recognise, pbn.read),
    Reader("DUP", dup.recognise, dup.read),
    Reader("DLM", dlm.recognise, dlm.read),
    Reader("BRI", bri.recognise, bri.read),
    Reader("DGE", dge.recognise, dge.read),
    Reader("RZD", kops.recognise_rzd, kops.read_rzd),
    Reader("CDS", kops.recognise_cds, kops.read_cds),
    Reader("BER", ber.recognise, ber.read),
    Reader("BHG", bhg.recognise, bhg.read),
    Reader("LIN", lin.recognise, lin.read),
    Reader("CSV", csv_text.recognise, csv_text.read),
    Reader("dealer text", one_line.recognise_lettered, one_line.read_lettered),
    Reader("deal text", one_line.recognise_barred, one_line.read_barred),
    Reader("GIB text", gib.recognise_gib, gib.read_gib),
    Reader("DDS list", gib.recognise_dds, gib.read_dds),
)

WRITERS: Final = (
    Writer("PBN", ".pbn", pbn_export.losses, pbn_export.write),
    Writer("DUP", ".dup", dup.losses, dup.write),
    Writer("DLM", ".dlm", dlm.losses, dlm.write),
    Writer("BRI", ".bri", bri.losses, bri.write),
    Writer("DGE", ".dge", dge.losses, dge.write),
    Writer("LIN", ".lin", lin_export.losses, lin_export.write),
    Writer("CSV", ".csv", csv_text.losses, csv_text.write),
)
