"""Transforms in Python, as the property `transforms` names them: `transforms.a.type=python:package.module.Name`.

Who writes one needs these names only; the guide "Transforms" has an example:

- `ConnectRecords`: records of one topic as Arrow arrays, what a transform gets and gives.
- `Header`: a header of them.
- `CustomTransform`: what a transform is.
- `RecordsFailedError`: raised for records that can't be transformed.
- `Schema`, `Type`, `Field`: Kafka Connect's schemas.
"""

from tailrace.custom_transforms.interface import ConnectRecords, CustomTransform, Header, RecordsFailedError
from tailrace.schema.connect import Field, Schema, Type

__all__ = ["ConnectRecords", "CustomTransform", "Field", "Header", "RecordsFailedError", "Schema", "Type"]
