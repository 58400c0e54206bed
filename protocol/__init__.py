"""What both ends of the cable agree on: bytes to typed messages and back; `PROTOCOL.md` is the normative text.

May import: construct and the standard library. No I/O, no clock, no threads.
Read next: `PROTOCOL.md`, then `framing.py`, `messages.py`, `codec.py`.
"""
