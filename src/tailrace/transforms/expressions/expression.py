"""An expression of a transform: read and checked once, then evaluated over the columns of records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from tailrace.changes.source_records import Mask, SourceRecords
from tailrace.config.values import NotYetError
from tailrace.transforms.expressions.evaluation import Evaluation
from tailrace.transforms.expressions.failed import Failed
from tailrace.transforms.expressions.groovy import GroovyEvaluation
from tailrace.transforms.expressions.javascript import JavaScriptEvaluation
from tailrace.transforms.expressions.running import result
from tailrace.transforms.expressions.sql import sql_program
from tailrace.transforms.expressions.sql_evaluation import SqlEvaluation
from tailrace.transforms.expressions.statements import program
from tailrace.transforms.expressions.syntax import Program
from tailrace.transforms.expressions.texts import Texts
from tailrace.transforms.expressions.values import NOTHING, Booleans, Cases, Value, described
from tailrace.transforms.expressions.words import GROOVY, JAVASCRIPT

SQL: Final = "sql"
LANGUAGES: Final = ("jsr223.groovy", "jsr223.graal.js", SQL)
_INSTEAD: Final = f"write the expression in one of {', '.join(LANGUAGES)}"


@dataclass(frozen=True, slots=True)
class Topics:
    """What an expression gives as topics.

    Attributes:
        places: for each record the index in `names`, or -1 where it stays in its own, shape (n,).
        names: the topics.

    """

    places: npt.NDArray[np.int64]
    names: tuple[str, ...]


class Expression:
    """An expression in one of `LANGUAGES`."""

    def __init__(self, language: str, text: str) -> None:
        """Raises `NotYetError` for another language, `ExpressionError` for a text that can't be used."""
        self._language = language
        self._program, self._evaluation = _read(language, text)

    def condition(self, records: SourceRecords) -> tuple[Mask, Failed]:
        """For which records the expression is true, shape (n,), and which fail."""
        evaluation, cases = self._evaluated(records)
        true = np.zeros(len(records), np.bool_)
        for mask, value in cases:
            if isinstance(value, Booleans):
                true |= mask & value.data
            elif not (isinstance(value, NOTHING) and self._language == SQL):
                evaluation.fail(
                    mask, f"the condition gives {described(value)}: it must give true or false{_advice(value)}"
                )
        return true & ~evaluation.failed.mask, evaluation.failed

    def topics(self, records: SourceRecords) -> tuple[Topics, Failed]:
        """The topics that the expression gives, and which records fail."""
        evaluation, cases = self._evaluated(records)
        places, names = np.full(len(records), -1, np.int64), dict[str, int]()
        for mask, value in cases:
            if isinstance(value, Texts):
                codes, texts = value.coded()
                used = np.unique(codes[mask])
                ranks = np.zeros(len(texts), np.int64)
                ranks[used] = [names.setdefault(texts[i], len(names)) for i in used.tolist()]
                places[mask] = ranks[codes[mask]]
            elif not isinstance(value, NOTHING):
                evaluation.fail(mask, f"the expression gives {described(value)}: it must give a topic's name, or null")
        if "" in names:
            evaluation.fail(
                places == names[""], "the expression gives '', and no topic has that name: give null to leave the topic"
            )
        return Topics(places, tuple(names)), evaluation.failed

    def _evaluated(self, records: SourceRecords) -> tuple[Evaluation, Cases]:
        evaluation = self._evaluation(records)
        return evaluation, result(evaluation, self._program)


def _read(language: str, text: str) -> tuple[Program, type[Evaluation]]:
    if language == SQL:
        return sql_program(text), SqlEvaluation
    if language == "jsr223.groovy":
        return program(text, GROOVY), GroovyEvaluation
    if language == "jsr223.graal.js":
        return program(text, JAVASCRIPT), JavaScriptEvaluation
    raise NotYetError(f"language is {language!r}, which can't run here: {_INSTEAD}")


def _advice(value: Value) -> str:
    return ", and == null asks for it" if isinstance(value, NOTHING) else ""
