"""Which machine is meant, and why one is not found: facts of the system in, a machine or a diagnosis out.

May import: `driver.transport` (what lists ports), `driver.errors`, `driver.catalogue`, `protocol`.
Read next: `facts.py` (what is known), `gather.py` (asks the system), `candidates.py` and `diagnosis.py` (pure).
"""
