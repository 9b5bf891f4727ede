"""The settings of a connector: one typed, immutable object that everything else reads.

Each property that tailrace knows by name is an attribute, dots and hyphens turned into underscores. Lists
are tuples of texts, enumerations are texts as Debezium spells them, durations are numbers in the unit of
the name. Defaults stand in the property tables, not here: `load` makes these objects. Settings pickle, and
go to the executors as they are.

`Settings` has what all connectors have; what is one connector's own is in a class of its own.
"""

from tailrace.config.settings.common import Settings
from tailrace.config.settings.mysql import MySqlSettings
from tailrace.config.settings.sqlserver import SqlServerSettings

__all__ = ["MySqlSettings", "Settings", "SqlServerSettings"]
