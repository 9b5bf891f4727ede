"""SQL Server's error numbers with their texts, for the errors that the engine makes.

Source: "Database Engine events and errors",
https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors
"""

# ruff: noqa: E501  # texts of SQL Server and lists of columns stand in one line
from __future__ import annotations

from typing import Final

from tailrace.standin.sqlserver.engine.definition_errors import DEFINITION_TEXTS
from tailrace.standin.sqlserver.engine.security_errors import SECURITY_TEXTS
from tailrace.standin.sqlserver.session import SqlError

UNSUPPORTED: Final = 50900  # no number of SQL Server's: what the stand-in does not do

TEXTS: Final[dict[int, tuple[int, str]]] = {
    102: (15, "Incorrect syntax near '{0}'."),
    103: (15, "The identifier that starts with '{0}' is too long. Maximum length is 128."),
    105: (15, "Unclosed quotation mark after the character string '{0}'."),
    107: (15, "The column prefix '{0}' does not match with a table name or alias name used in the query."),
    108: (16, "The ORDER BY position number {0} is out of range of the number of items in the select list."),
    109: (
        15,
        (
            "There are more columns in the INSERT statement than values specified in the VALUES clause. The number of values in the "
            "VALUES clause must match the number of columns specified in the INSERT statement."
        ),
    ),
    110: (
        15,
        (
            "There are fewer columns in the INSERT statement than values specified in the VALUES clause. The number of values in the "
            "VALUES clause must match the number of columns specified in the INSERT statement."
        ),
    ),
    116: (
        16,
        ("Only one expression can be specified in the select list when the subquery is not introduced with EXISTS."),
    ),
    120: (
        15,
        (
            "The select list for the INSERT statement contains fewer items than the insert list. The number of SELECT values must "
            "match the number of INSERT columns."
        ),
    ),
    121: (
        15,
        (
            "The select list for the INSERT statement contains more items than the insert list. The number of SELECT values must "
            "match the number of INSERT columns."
        ),
    ),
    127: (15, "A TOP N or FETCH rowcount value may not be negative."),
    134: (
        15,
        (
            "The variable name '{0}' has already been declared. Variable names must be unique within a query batch or stored procedure."
        ),
    ),
    137: (15, 'Must declare the scalar variable "{0}".'),
    155: (15, "'{0}' is not a recognized {1} option."),
    174: (15, "The {0} function requires {1} argument(s)."),
    195: (15, "'{0}' is not a recognized built-in function name."),
    201: (16, "Procedure or function '{0}' expects parameter '{1}', which was not supplied."),
    205: (
        16,
        (
            "All queries combined using a UNION, INTERSECT or EXCEPT operator must have an equal number of expressions in their target lists."
        ),
    ),
    206: (16, "Operand type clash: {0} is incompatible with {1}"),
    207: (16, "Invalid column name '{0}'."),
    208: (16, "Invalid object name '{0}'."),
    209: (16, "Ambiguous column name '{0}'."),
    213: (16, "Column name or number of supplied values does not match table definition."),
    220: (16, "Arithmetic overflow error for data type {0}, value = {1}."),
    232: (16, "Arithmetic overflow error for type {0}, value = {1}."),
    235: (16, "Cannot convert a char value to money. The char value has incorrect syntax."),
    241: (16, "Conversion failed when converting date and/or time from character string."),
    242: (16, "The conversion of a {0} data type to a {1} data type resulted in an out-of-range value."),
    245: (16, "Conversion failed when converting the {0} value '{1}' to data type {2}."),
    264: (16, "The column name '{0}' is specified more than once in the SET clause or column list of an INSERT."),
    266: (16, "Transaction count after EXECUTE indicates a mismatching number of BEGIN and COMMIT statements."),
    271: (
        16,
        'The column "{0}" cannot be modified because it is either a computed column or is the result of a UNION operator.',
    ),
    272: (16, "Cannot update a timestamp column."),
    273: (
        16,
        (
            "Cannot insert an explicit value into a timestamp column. Use INSERT with a column list to exclude the timestamp column, or insert a DEFAULT into the timestamp column."
        ),
    ),
    313: (16, "An insufficient number of arguments were supplied for the procedure or function {0} ... ."),
    402: (16, "The data types {0} and {1} are incompatible in the {2} operator."),
    512: (
        16,
        (
            "Subquery returned more than 1 value. This is not permitted when the subquery follows =, !=, <, <= , >, >= or when the "
            "subquery is used as an expression."
        ),
    ),
    515: (16, "Cannot insert the value NULL into column '{0}', table '{1}'; column does not allow nulls. {2} fails."),
    517: (16, "Adding a value to a '{0}' column caused an overflow."),
    529: (16, "Explicit conversion from data type {0} to {1} is not allowed."),
    535: (
        16,
        (
            "The datediff function resulted in an overflow. The number of dateparts separating two date/time instances is too large. Try to use datediff with a less precise datepart."
        ),
    ),
    544: (16, "Cannot insert explicit value for identity column in table '{0}' when IDENTITY_INSERT is set to OFF."),
    545: (
        16,
        (
            "Explicit value must be specified for identity column in table '{0}' either when IDENTITY_INSERT is set to ON or when a replication user is inserting into a NOT FOR REPLICATION identity column."
        ),
    ),
    547: (
        16,
        'The {0} statement conflicted with the {1} constraint "{2}". The conflict occurred in database "{3}", table "{4}"{5}.',
    ),
    628: (13, "Cannot issue SAVE TRANSACTION when there is no active transaction."),
    911: (16, "Database '{0}' does not exist. Make sure that the name is entered correctly."),
    1046: (15, "Subqueries are not allowed in this context. Only scalar expressions are allowed."),
    1087: (15, 'Must declare the table variable "{0}".'),
    1205: (
        13,
        (
            "Transaction (Process ID {0}) was deadlocked on lock resources with another process and has been chosen as the deadlock victim. Rerun the transaction."
        ),
    ),
    1222: (16, "Lock request time out period exceeded."),
    2601: (
        14,
        ("Cannot insert duplicate key row in object '{0}' with unique index '{1}'. The duplicate key value is {2}."),
    ),
    2627: (
        14,
        (
            "Violation of {0} constraint '{1}'. Cannot insert duplicate key in object '{2}'. The duplicate key value is {3}."
        ),
    ),
    2628: (16, "String or binary data would be truncated in table '{0}', column '{1}'. Truncated value: '{2}'."),
    2812: (16, "Could not find stored procedure '{0}'."),
    3902: (16, "The COMMIT TRANSACTION request has no corresponding BEGIN TRANSACTION."),
    3903: (16, "The ROLLBACK TRANSACTION request has no corresponding BEGIN TRANSACTION."),
    3930: (
        16,
        (
            "The current transaction cannot be committed and cannot support operations that write to the log file. Roll back the transaction."
        ),
    ),
    3951: (
        16,
        (
            "Transaction failed in database '{0}' because the statement was run under snapshot isolation but the transaction did not start in snapshot isolation. You cannot change the isolation level of the transaction to snapshot after the transaction has started unless the transaction was originally started under snapshot isolation level."
        ),
    ),
    3952: (
        16,
        (
            "Snapshot isolation transaction failed accessing database '{0}' because snapshot isolation is not allowed in this database. Use ALTER DATABASE to allow snapshot isolation."
        ),
    ),
    3960: (
        16,
        (
            "Snapshot isolation transaction aborted due to update conflict. You cannot use snapshot isolation to access table '{0}' "
            "directly or indirectly in database '{1}' to update, delete, or insert the row that has been modified or deleted by another "
            "transaction. Retry the transaction or change the isolation level for the update/delete statement."
        ),
    ),
    3998: (16, "Uncommittable transaction is detected at the end of the batch. The transaction is rolled back."),
    4104: (16, 'The multi-part identifier "{0}" could not be bound.'),
    4121: (
        16,
        'Cannot find either column "{0}" or the user-defined function or aggregate "{1}", or the name is ambiguous.',
    ),
    6401: (16, "Cannot roll back {0}. No transaction or savepoint of that name was found."),
    8101: (
        16,
        (
            "An explicit value for the identity column in table '{0}' can only be specified when a column list is used and IDENTITY_INSERT is ON."
        ),
    ),
    8102: (16, "Cannot update identity column '{0}'."),
    8106: (16, "Table '{0}' does not have the identity property. Cannot perform SET operation."),
    8107: (16, "IDENTITY_INSERT is already ON for table '{0}'. Cannot perform SET operation for table '{1}'."),
    8114: (16, "Error converting data type {0} to {1}."),
    8115: (16, "Arithmetic overflow error converting {0} to data type {1}."),
    8120: (
        16,
        (
            "Column '{0}' is invalid in the select list because it is not contained in either an aggregate function or the GROUP BY clause."
        ),
    ),
    8134: (16, "Divide by zero error encountered."),
    8144: (16, "Procedure or function {0} has too many arguments specified."),
    8145: (16, "{1} is not a parameter for procedure {0}."),
    8152: (16, "String or binary data would be truncated."),
    8155: (16, "No column name was specified for column {0} of '{1}'."),
    8156: (16, "The column '{0}' was specified multiple times for '{1}'."),
    8158: (16, "'{0}' has more columns than were specified in the column list."),
    8159: (16, "'{0}' has fewer columns than were specified in the column list."),
    8169: (16, "Conversion failed when converting from a character string to uniqueidentifier."),
    8178: (16, "The parameterized query '{0}' expects the parameter '{1}', which was not supplied."),
    10700: (16, 'The table-valued parameter "{0}" is READONLY and cannot be modified.'),
    10709: (16, "The number of columns for each row in a table value constructor must be the same."),
    **DEFINITION_TEXTS,
    **SECURITY_TEXTS,
}


def error(number: int, *values: object, state: int = 1, line: int = 1) -> SqlError:
    """The error of that number with its placeholders filled in."""
    severity, text = TEXTS[number]
    return SqlError(number, text.format(*values), severity=severity, state=state, line=line)


def unsupported(what: str) -> SqlError:
    """What SQL Server does and the stand-in does not; `what` names it."""
    return SqlError(UNSUPPORTED, f"The stand-in does not support {what}.")
