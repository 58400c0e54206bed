"""Random, cut and wounded bytes for every reader of deal files.

Read next: `test_readers_under_fire.py`, `corpus.py` (the whole files that are wounded), `wounds.py`, `judge.py`.
"""
