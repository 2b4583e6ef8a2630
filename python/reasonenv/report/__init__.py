"""Reports: a run as one page, and two runs held against each other.

`write_report` needs the extra `report`: jinja2 for the page, matplotlib for its plots.
"""

from reasonenv.report._compare import Comparison, compare
from reasonenv.report._page import write_report

__all__ = ["Comparison", "compare", "write_report"]
