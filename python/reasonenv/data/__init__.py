"""Tasks and traces from outside and on disk: data sets, exports, splits, directory trees, published rows."""

from reasonenv.data.build import build_dataset, merge_datasets
from reasonenv.data.contamination import Contamination, find_contamination
from reasonenv.data.dataset import Dataset
from reasonenv.data.export import SHAPES, export
from reasonenv.data.roles import ROLES, HoldOut
from reasonenv.data.rows import Row, Rows, from_rows
from reasonenv.data.split import split_by_group
from reasonenv.data.synthetic2 import synthetic2
from reasonenv.data.traces import (
    annotate_difficulty,
    preference_pairs,
    read_traces,
    source_record,
    step_records,
    write_records,
)
from reasonenv.data.trees import directory_tree, directory_trees

__all__ = [
    "ROLES",
    "SHAPES",
    "Contamination",
    "Dataset",
    "HoldOut",
    "Row",
    "Rows",
    "annotate_difficulty",
    "build_dataset",
    "directory_tree",
    "directory_trees",
    "export",
    "find_contamination",
    "from_rows",
    "merge_datasets",
    "preference_pairs",
    "read_traces",
    "source_record",
    "split_by_group",
    "step_records",
    "synthetic2",
    "write_records",
]
