"""Texts of errors about logins, permissions and replicas: severity and text by number.

Source: "Database Engine events and errors",
https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors
"""

# ruff: noqa: E501  # texts of SQL Server stand in one line
from __future__ import annotations

from typing import Final

SECURITY_TEXTS: Final[dict[int, tuple[int, str]]] = {
    229: (14, "The {0} permission was denied on the object '{1}', database '{2}', schema '{3}'."),
    262: (14, "{0} permission denied in database '{1}'."),
    300: (14, "{0} permission was denied on object '{1}', database '{2}'."),
    596: (21, "Cannot continue the execution because the session is in the kill state."),
    916: (
        14,
        'The server principal "{0}" is not able to access the database "{1}" under the current security context.',
    ),
    976: (
        14,
        (
            "The target database, '{0}', is participating in an availability group and is currently not accessible for queries. Either data movement is suspended or the availability replica is not enabled for read access. To allow read-only access to this and other databases in the availability group, enable read access to one or more secondary availability replicas in the group. For more information, see the ALTER AVAILABILITY GROUP statement in SQL Server Books Online."
        ),
    ),
    978: (
        14,
        (
            "The target database ('{0}') is in an availability group and is currently accessible for connections when the application intent is set to read only. For more information about application intent, see SQL Server Books Online."
        ),
    ),
    979: (
        14,
        (
            "The target database ('{0}') is in an availability group and currently does not allow read only connections. For more information about application intent, see SQL Server Books Online."
        ),
    ),
    3906: (16, 'Failed to update database "{0}" because the database is read-only.'),
    4060: (11, 'Cannot open database "{0}" requested by the login. The login failed.'),
    15007: (16, "'{0}' is not a valid login or you do not have permission."),
    15023: (16, "User, group, or role '{0}' already exists in the current database."),
    15025: (16, "The server principal '{0}' already exists."),
    15063: (16, "The login already has an account under a different user name."),
    15144: (16, "The role has members. It must be empty before it can be dropped."),
    15151: (16, "Cannot {0} the {1} '{2}', because it does not exist or you do not have permission."),
    15247: (16, "User does not have permission to perform this action."),
    18456: (14, "Login failed for user '{0}'."),
}
