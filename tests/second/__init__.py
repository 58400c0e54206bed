"""What we write, read back by programs of other people.

Read next: `test_second_readers.py`, `tests/support/second_readers.py`.
"""
