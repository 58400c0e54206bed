"""Paper beside the machine: sheets as HTML pages that print well on A4 and Letter. Blind (invariant I7).

Read next: `page.py`, then `control_sheet.py`, `box_label.py`, `fault_sheet.py`.
"""
