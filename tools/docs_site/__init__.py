"""Pages of the documentation site; `make docs` writes them with `python -m docs_site`."""
