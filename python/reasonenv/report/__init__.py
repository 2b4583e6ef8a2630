"""Reports: a run as one page, and two runs compared task by task.

`write_report` and `write_comparison` need the extra `report`, which is jinja2.
"""

from reasonenv.report._compare import Comparison, compare
from reasonenv.report._comparison_page import write_comparison
from reasonenv.report._page import write_report

__all__ = ["Comparison", "compare", "write_comparison", "write_report"]
