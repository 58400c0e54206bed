"""Where a host reaches the simulated machine: memory (manual clock), pty and tcp (real clock), a fake USB (either).

Read next: `base.py`, the contract.
"""
