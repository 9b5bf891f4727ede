"""Columns of text. What is asked of a text is asked once for each distinct one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import numpy as np
import numpy.typing as npt
import polars as pl

from tailrace.changes.source_records import Mask

Codes = npt.NDArray[np.int64]


def as_mask(array: object) -> Mask:
    """What numpy's operators give, as the masks that they are."""
    return np.asarray(array, np.bool_)


class Texts:
    """A text for each record; polars compares them, until something wants to see the distinct ones."""

    __slots__ = ("_coded", "_series")

    def __init__(self, series: pl.Series | None, coded: tuple[Codes, Sequence[str]] | None = None) -> None:
        """`series`: of strings, shape (n,); or `coded`: the index of each record's text in a sequence of them."""
        self._series = series
        self._coded = coded

    @classmethod
    def constant(cls, text: str, n: int) -> Texts:
        """The same text for n records."""
        return cls(None, (np.zeros(n, np.int64), (text,)))

    @classmethod
    def of_numbers(cls, numbers: npt.NDArray[np.generic], text: Callable[..., str]) -> Texts:
        """The text of each number; `text` is asked once for each distinct one."""
        bits = numbers.view(np.int64) if numbers.dtype == np.float64 else numbers  # minus zero has another text than zero
        kept, codes = np.unique(bits, return_inverse=True)
        distinct = kept.view(numbers.dtype) if numbers.dtype == np.float64 else kept
        return cls(None, (codes.reshape(-1).astype(np.int64), [text(each) for each in distinct.tolist()]))

    @property
    def only(self) -> str | None:
        """The text that all records have, if that is known; else None."""
        return self._coded[1][0] if self._coded is not None and len(self._coded[1]) == 1 else None

    def coded(self) -> tuple[Codes, Sequence[str]]:
        """The index of each record's text, shape (n,), and the texts."""
        if self._coded is None:
            series = cast("pl.Series", self._series).fill_null("")
            distinct = series.unique(maintain_order=True)
            places = series.to_frame("v").join(
                distinct.to_frame("v").with_row_index("i"), on="v", how="left", maintain_order="left"
            )
            self._coded = places["i"].cast(pl.Int64).to_numpy(), distinct.to_list()
        return self._coded

    def series(self) -> pl.Series:
        """As a series of polars."""
        if self._series is None:
            codes, distinct = self.coded()
            self._series = pl.Series(distinct, dtype=pl.String).gather(codes)
        return self._series

    def tested(self, test: Callable[[str], bool]) -> Mask:
        """For which records a test is true of the text, shape (n,)."""
        codes, distinct = self.coded()
        return np.array([test(text) for text in distinct], np.bool_)[codes]

    def integers(self, number: Callable[[str], int]) -> npt.NDArray[np.int64]:
        """A whole number for each text, shape (n,)."""
        codes, distinct = self.coded()
        return np.array([number(text) for text in distinct], np.int64)[codes]

    def floats(self, number: Callable[[str], float]) -> npt.NDArray[np.float64]:
        """A number for each text, shape (n,)."""
        codes, distinct = self.coded()
        return np.array([number(text) for text in distinct], np.float64)[codes]

    def mapped(self, change: Callable[[str], str]) -> Texts:
        """Another text for each."""
        codes, distinct = self.coded()
        return Texts(None, (codes, [change(text) for text in distinct]))

    def joined(self, other: Texts) -> Texts:
        """Both texts of each record, one behind the other."""
        if other.only is not None:
            return self.mapped(lambda text: text + str(other.only))
        if self.only is not None:
            return other.mapped(lambda text: str(self.only) + text)
        return Texts(self.series() + other.series())

    def equal(self, other: Texts) -> Mask:
        """For which records both texts are equal, shape (n,)."""
        if self.only is not None and other.only is None:
            return other.equal(self)
        if other.only is not None:
            only = other.only
            if self._coded is not None:
                return self.tested(lambda text: text == only)
            found = self.series() == only
        else:
            found = self.series() == other.series()
        return cast("Mask", found.fill_null(value=False).to_numpy())

    def signs(self, other: Texts) -> npt.NDArray[np.int8]:
        """-1, 0 or 1 for each record, by UTF-16 as Java and JavaScript compare, shape (n,)."""
        (mine, my_texts), (theirs, their_texts) = self.coded(), other.coded()
        ranks = {text: rank for rank, text in enumerate(sorted({*my_texts, *their_texts}, key=utf_16))}
        left = np.array([ranks[text] for text in my_texts], np.int64)[mine]
        right = np.array([ranks[text] for text in their_texts], np.int64)[theirs]
        return (left > right).astype(np.int8) - (left < right).astype(np.int8)

    def test_pairs(self, other: Texts, test: Callable[[str, str], bool]) -> Mask:
        """For which records a test of both texts is true, shape (n,); asked once for each pair."""
        if (only := other.only) is not None:
            return self.tested(lambda text: test(text, only))
        (mine, my_texts), (theirs, their_texts) = self.coded(), other.coded()
        pairs, codes = np.unique(mine * len(their_texts) + theirs, return_inverse=True)
        results = [
            test(my_texts[pair // len(their_texts)], their_texts[pair % len(their_texts)]) for pair in pairs.tolist()
        ]
        return as_mask(np.array(results, np.bool_)[codes.reshape(-1)])


def utf_16(text: str) -> bytes:
    """A text's code units, big-endian, so that bytes sort as Java's texts do."""
    return text.encode("utf-16-be", "surrogatepass")


def length(text: str) -> int:
    """Java's length of a text: its code units."""
    return len(text) if text.isascii() else len(utf_16(text)) // 2
