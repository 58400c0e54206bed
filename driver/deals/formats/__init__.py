"""One module for each deal file format: bytes to records, and for those that we write, a deal set to bytes.

May import: `driver.deals.records`, `model`, `hands`, `encoding`, `driver.errors`, `protocol.cards`; construct for the
binary ones. Nothing here opens a file. Read next: `registry.py`, which lists them.
"""
