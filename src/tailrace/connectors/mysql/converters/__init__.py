"""Debezium's custom converters for MySQL: where each class is."""

from __future__ import annotations

from typing import Final

_MODULES: Final = {
    "TinyIntOneToBooleanConverter": "tinyint_one_to_boolean",
    "JdbcSinkDataTypesConverter": "jdbc_sink_data_types",
    "ZeroDateFallbackConverter": "zero_date_fallback",
}
_PACKAGES: Final = ("io.debezium.connector.binlog.converters.", "io.debezium.connector.mysql.converters.")

CONVERTERS: Final = {
    f"{package}{name}": f"tailrace.connectors.mysql.converters.{module}:SPEC"
    for package in _PACKAGES
    for name, module in _MODULES.items()
}
"""The module path of each class's `ConverterSpec`."""
