"""Deals: what a deal is, the file formats it comes in, and the sets of boards that a file gives.

Imports only `protocol.cards`, `driver.errors` and the standard library; never a transport, link or connection. Read
next: `model.py` (a deal), `records.py` (what a format reader returns), `loader.py` (the only module that opens files).
"""
