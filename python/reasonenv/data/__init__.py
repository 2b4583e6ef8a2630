"""Data sets of tasks and traces on disk, exports, splits, directory trees, and published rows as tasks."""

from reasonenv.data._build import build_dataset, merge_datasets
from reasonenv.data._contamination import Contamination, find_contamination
from reasonenv.data._critiques import critiques
from reasonenv.data._dataset import Dataset
from reasonenv.data._export import SHAPES, export
from reasonenv.data._formats import FORMATS, RowFormat
from reasonenv.data._roles import ROLES, HoldOut, Roles
from reasonenv.data._rows import Row, Rows, from_rows
from reasonenv.data._sources import TaskSource
from reasonenv.data._split import split_by_group
from reasonenv.data._synthetic2 import synthetic2, synthetic2_trees
from reasonenv.data._traces import (
    annotate_difficulty,
    preference_pairs,
    read_traces,
    source_record,
    step_records,
    write_records,
)
from reasonenv.data._tree_rows import run_records
from reasonenv.data._trees import directory_tree, directory_trees
from reasonenv.data._warmup import few_shot, warmup_records

__all__ = [
    "FORMATS",
    "ROLES",
    "SHAPES",
    "Contamination",
    "Dataset",
    "HoldOut",
    "Roles",
    "Row",
    "RowFormat",
    "Rows",
    "TaskSource",
    "annotate_difficulty",
    "build_dataset",
    "critiques",
    "directory_tree",
    "directory_trees",
    "export",
    "few_shot",
    "find_contamination",
    "from_rows",
    "merge_datasets",
    "preference_pairs",
    "read_traces",
    "run_records",
    "source_record",
    "split_by_group",
    "step_records",
    "synthetic2",
    "synthetic2_trees",
    "warmup_records",
    "write_records",
]
