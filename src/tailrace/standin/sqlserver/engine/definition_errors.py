"""Texts of errors about definitions: severity and text by number.

Source: "Database Engine events and errors",
https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors
"""

# ruff: noqa: E501  # texts of SQL Server stand in one line
from __future__ import annotations

from typing import Final

DEFINITION_TEXTS: Final[dict[int, tuple[int, str]]] = {
    1505: (
        16,
        (
            "The CREATE UNIQUE INDEX statement terminated because a duplicate key was found for the object name '{0}' and the index name '{1}'. The duplicate key value is {2}."
        ),
    ),
    1750: (16, "Could not create constraint or index. See previous errors."),
    1779: (16, "Table '{0}' already has a primary key defined on it."),
    1801: (16, "Database '{0}' already exists. Choose a different database name."),
    1902: (
        16,
        (
            "Cannot create more than one clustered index on table '{0}'. Drop the existing clustered index '{1}' before creating another."
        ),
    ),
    1911: (16, "Column name '{0}' does not exist in the target table or view."),
    1913: (16, "The operation failed because an index or statistics with name '{0}' already exists on table '{1}'."),
    2705: (
        16,
        ("Column names in each table must be unique. Column name '{0}' in table '{1}' is specified more than once."),
    ),
    2714: (16, "There is already an object named '{0}' in the database."),
    2715: (16, "Column, parameter, or variable #{0}: Cannot find data type {1}."),
    2716: (16, "Column, parameter, or variable #{0}: Cannot specify a column width on data type {1}."),
    2717: (15, "The size ({0}) given to the {1} '{2}' exceeds the maximum allowed ({3})."),
    2744: (16, "Multiple identity columns specified for table '{0}'. Only one identity column per table is allowed."),
    2759: (16, "CREATE SCHEMA failed due to previous errors."),
    2760: (16, 'The specified schema name "{0}" either does not exist or you do not have permission to use it.'),
    3701: (11, "Cannot {0} the {1} '{2}', because it does not exist or you do not have permission."),
    3702: (16, 'Cannot drop database "{0}" because it is currently in use.'),
    3708: (16, "Cannot drop the {0} '{1}' because it is a system {0}."),
    3723: (
        16,
        ("An explicit DROP INDEX is not allowed on index '{0}'. It is being used for {1} constraint enforcement."),
    ),
    3726: (16, "Could not drop object '{0}' because it is referenced by a FOREIGN KEY constraint."),
    3727: (16, "Could not drop constraint. See previous errors."),
    3728: (16, "'{0}' is not a constraint."),
    3729: (16, "Cannot {0} '{1}' because it is being referenced by object '{2}'."),
    4701: (16, 'Cannot find the object "{0}" because it does not exist or you do not have permissions.'),
    4712: (16, "Cannot truncate table '{0}' because it is being referenced by a FOREIGN KEY constraint."),
    4901: (
        16,
        (
            "ALTER TABLE only allows columns to be added that can contain nulls, or have a DEFAULT definition specified, or the column being added is an identity or timestamp column, or alternatively if none of the previous conditions are satisfied the table must be empty to allow addition of this column. Column '{0}' cannot be added to non-empty table '{1}' because it does not satisfy these conditions."
        ),
    ),
    4902: (16, 'Cannot find the object "{0}" because it does not exist or you do not have permissions.'),
    4922: (16, "{0} {1} failed because one or more objects access this column."),
    4924: (16, "ALTER TABLE {0} failed because column '{1}' does not exist in table '{2}'."),
    5011: (
        14,
        (
            "User does not have permission to alter database '{0}', the database does not exist, or the database is not in a state that allows access checks."
        ),
    ),
    5074: (16, "The {0} '{1}' is dependent on column '{2}'."),
    8111: (16, "Cannot define PRIMARY KEY constraint on nullable column in table '{0}'."),
    15009: (16, "The object '{0}' does not exist in database '{1}' or is invalid for this operation."),
    15225: (
        11,
        (
            "No item by the name of '{0}' could be found in the current database '{1}', given that @itemtype was input as '{2}'."
        ),
    ),
    15248: (11, "Either the parameter @objname is ambiguous or the claimed @objtype ({0}) is wrong."),
    15335: (
        11,
        (
            "Error: The new name '{0}' is already in use as a {1} name and would cause a duplicate that is not permitted."
        ),
    ),
    15336: (16, "Object '{0}' cannot be renamed because the object participates in enforced dependencies."),
}
