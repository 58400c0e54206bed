"""Bytes to and from a machine: one narrow interface, one module for each way.

May import: `driver.errors`, `protocol` and, in its own module only, the library of that way.
Read next: `base.py`, then `url.py`.
"""
