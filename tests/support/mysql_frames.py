"""The options of `format("mysql-cdc")`."""

from functools import partial

from tailrace.connectors.mysql.spec import SPEC
from tailrace.source import options

parse_options = partial(options.parse_options, connector_class=SPEC.connector_class)
