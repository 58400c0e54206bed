"""The simulated dealing machine. It imports protocol only; nothing but tests and its own entry point imports it.

Read next: `core.py`.
"""
