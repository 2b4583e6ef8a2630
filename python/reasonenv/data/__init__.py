"""Tasks from outside and on disk: directory trees, published rows, splits, answers in a file."""

from reasonenv.data.rows import Row, Rows, from_rows
from reasonenv.data.split import split_by_problem_id
from reasonenv.data.synthetic2 import synthetic2
from reasonenv.data.trees import directory_tree, directory_trees

__all__ = [
    "Row",
    "Rows",
    "directory_tree",
    "directory_trees",
    "from_rows",
    "split_by_problem_id",
    "synthetic2",
]
