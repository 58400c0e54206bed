"""The command line `dealctl`: parse, call, show; no logic of dealing.

Read next: `main.py` (entry), `parser.py` (commands and options), `deal.py` (the daily path), `console.py` (a job on a
screen). Each command is a module with `run(args) -> int`, imported only when it is called.
"""
