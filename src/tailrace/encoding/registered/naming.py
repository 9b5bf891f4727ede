"""Names of schemas and fields in a format that does not allow all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tailrace.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Naming:
    """The names that a format allows.

    Attributes:
        format: its name, for messages.
        letters: which letters names may have, for messages.
        is_valid: whether a name is one.
        scrubbed: what Confluent's converter makes of a name with `scrub.invalid.names`.

    """

    format: str
    letters: str
    is_valid: Callable[[str], bool]
    scrubbed: Callable[[str], str]

    def split_name(self, name: str, *, scrub: bool) -> tuple[str, str]:
        """The namespace ("" if there is none) and the short name of a schema's name.

        Raises:
            ConfigError: the format forbids the short name.

        """
        parts = name.rstrip(".").split(".")
        if scrub:
            parts = [self.scrubbed(part) for part in parts]
        return ".".join(parts[:-1]), self.checked(parts[-1], f"the schema name {name}", "schema.name.adjustment.mode")

    def field_names(self, names: Sequence[str], schema: str | None, *, scrub: bool) -> list[str]:
        """The names of the fields of a schema of that name.

        Raises:
            ConfigError: the format forbids one, or two of them become the same.

        """
        whole = schema or "a struct without a name"
        made: dict[str, str] = {}
        for name in names:
            what = f"the field {name!r} of {whole}"
            new = self.checked(self.scrubbed(name) if scrub else name, what, "field.name.adjustment.mode")
            if new in made:
                raise ConfigError(
                    f"the fields {made[new]!r} and {name!r} of {whole} would both be {new} in {self.format}: leave one out "
                    "(column.exclude.list), rename one, or set field.name.adjustment.mode=avro_unicode"
                )
            made[new] = name
        return list(made)

    def checked(self, name: str, what: str, adjustment: str) -> str:
        """The name; `what` it names, and the property that adjusts such names, are for the message.

        Raises:
            ConfigError: the format forbids it.

        """
        if self.is_valid(name):
            return name
        raise ConfigError(
            f"{what} can't be a name in {self.format}: names consist of {self.letters}, digits and underscores and don't begin "
            f"with a digit. Set {adjustment}=avro (it changes the name in all formats) or scrub.invalid.names=true of the "
            "converter"
        )
