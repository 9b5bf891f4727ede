"""Custom converters of column values, as the property `converters` names them.

Who writes one in Python needs these names only; the guide "Custom converters" has an example:

- `RelationalColumn`: what is known of a column.
- `Conversion`: the schema that its field gets, and a function from its values to the new ones.
- `CustomConverter`: what a converter is.
- `Schema`, `Type`, `Field`: Kafka Connect's schemas.
"""

from tailrace.custom_converters.interface import Conversion, CustomConverter, RelationalColumn
from tailrace.schema.connect import Field, Schema, Type

__all__ = ["Conversion", "CustomConverter", "Field", "RelationalColumn", "Schema", "Type"]
