"""The command line, `reasonenv`: one file per group of commands."""

# In the order of `reasonenv --help`.
from reasonenv._cli import tasks as tasks, evaluation as evaluation, running as running  # isort: skip
from reasonenv._cli import benchmarking as benchmarking  # isort: skip
from reasonenv._cli import judging as judging, code as code  # isort: skip
from reasonenv._cli import games as games  # isort: skip
from reasonenv._cli import dataset as dataset, report as report  # isort: skip
from reasonenv._cli import serving as serving  # isort: skip
from reasonenv._cli import play as play, bench as bench, health as health, demo as demo  # isort: skip
from reasonenv._cli._app import app as app
