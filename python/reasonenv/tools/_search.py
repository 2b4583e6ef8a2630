"""A search over documents, ranked by BM25."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from reasonenv import _checks
from reasonenv._native import InvalidArgument, ReasonEnvError
from reasonenv.tools._tool import Tool, from_function
from reasonenv.tools._wiki import Page, shown_pages

_WORD = re.compile(r"[぀-ヿ㐀-鿿가-힯]|[^\W぀-ヿ㐀-鿿가-힯]+")
"""A word, or a character of a script that puts no spaces between words."""

_MOST_WORDS = 256
"""Different words of a query that count."""

_FORMS = 'must be one or more texts, mappings with "title" and "text", or a mapping of titles to texts'


def make(*, documents: Iterable[str | Mapping[str, Any]] | Mapping[str, str], shown: int = 3) -> Tool:
    """The tool `search`, over documents of your own; needs the extra `search`.

    Args:
        documents: Texts, mappings with `title` and `text`, or a mapping of titles to texts.
        shown: Number of documents that a search shows.

    Raises:
        InvalidArgument: An argument is invalid.
        ReasonEnvError: bm25s is not installed.
    """
    return from_function(_Index(_pages(documents), _checks.whole("shown", shown, 1, 100)).search)


class _Index:
    def __init__(self, pages: tuple[Page, ...], shown: int) -> None:
        self.pages, self.shown = pages, shown
        self._ranking = _library().BM25()
        self._ranking.index([_words(" ".join(page)) for page in pages], show_progress=False)

    def __repr__(self) -> str:
        return f"{len(self.pages)} documents"

    def search(self, query: str) -> str:
        """Searches the documents and shows those that fit best.

        Args:
            query: Words to look for.
        """
        known = self._ranking.vocab_dict
        words = [word for word in dict.fromkeys(_words(query)) if word in known][:_MOST_WORDS]
        if not words:
            return shown_pages([])
        scores = self._ranking.get_scores(words)
        count = min(self.shown, len(scores))
        least = max(np.partition(scores, -count)[-count], np.finfo(scores.dtype).tiny)
        best = np.flatnonzero(scores >= least)
        # Equal scores keep the order of the documents.
        ranked = best[np.argsort(-scores[best], kind="stable")][:count]
        return shown_pages([self.pages[at] for at in ranked])


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def _pages(documents: object) -> tuple[Page, ...]:
    given: Any = documents
    if isinstance(documents, Mapping):
        given = [{"title": title, "text": text} for title, text in documents.items()]
    if isinstance(documents, str) or not isinstance(given, Iterable):
        raise InvalidArgument(f"`documents` is {_checks.shown(documents)}, but {_FORMS}")
    pages = tuple(_page(at, one) for at, one in enumerate(given))
    if not any(_words(" ".join(page)) for page in pages):
        raise InvalidArgument(f"`documents` has no words, but {_FORMS}")
    return pages


def _page(at: int, given: object) -> Page:
    if isinstance(given, str):
        return Page("", given)
    title, text = (given.get("title", ""), given.get("text")) if isinstance(given, Mapping) else (None, None)
    if not isinstance(title, str) or not isinstance(text, str):
        raise InvalidArgument(f"`documents[{at}]` is {_checks.shown(given)}, but {_FORMS}")
    return Page(title, text)


def _library() -> Any:
    try:
        import bm25s  # noqa: PLC0415, an extra
    except ImportError as error:
        msg = f"the tool `search` needs the package bm25s ({error}); install reasonenv[search]"
        raise ReasonEnvError(msg) from None
    return bm25s
