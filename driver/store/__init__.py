"""What outlives the program: the journal, deal sets, register of used deals, decisions.

May import: `driver.deals.model`, `driver.errors`, `protocol.cards`, `platformdirs` and `cryptography` (both inside
functions, so that a command that stores nothing does not pay for them). Read next: `database.py`, the one way in.
"""
