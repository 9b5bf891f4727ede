"""The errors of change data capture, with their texts.

Source: "Database Engine events and errors (22000 to 22999)",
https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors-22000-to-22999
"""

from __future__ import annotations

from typing import Final

from tailrace_standins.sqlserver.session import Notice, SqlError

_AGAIN: Final = "Specify a valid name. See the topic 'Identifiers' in SQL Server Books Online for object name rules."
_TEXTS: Final[dict[int, str]] = {
    313: "An insufficient number of arguments were supplied for the procedure or function cdc.{0} ... .",
    4711: "Cannot truncate table '{0}' because it is published for replication or enabled for Change Data Capture.",
    4928: "Cannot alter column '{0}' because it is '{1}'.",
    22850: (
        "The threshold value specified for the Change Data Capture cleanup process must be greater than 0. "
        "When creating or modifying the cleanup job, specify a positive threshold value. If this error is "
        "encountered when executing the sys.sp_cdc_cleanup_change_table stored procedure, reset the threshold"
        " value associated with the job to a non-negative value by using the sp_cdc_change_job stored "
        "procedure."
    ),
    22857: (
        "Warning: The @allow_partition_switch parameter must be 1 for tables that are not partitioned. The "
        "explicit setting of the parameter to 0 was ignored. Refer to books online for more information about"
        " partition switching behavior when using Change Data Capture."
    ),
    22901: (
        "The database '{0}' is not enabled for Change Data Capture. Ensure that the correct database context "
        "is set and retry the operation. To report on the databases enabled for Change Data Capture, query "
        "the is_cdc_enabled column in the sys.databases catalog view."
    ),
    22902: "Caller is not authorized to initiate the requested action. Sysadmin privileges are required.",
    22904: "Caller is not authorized to initiate the requested action. DBO privileges are required.",
    22905: (
        "Database '{0}' is already enabled for Change Data Capture. Ensure that the correct database context "
        "is set, and retry the operation. To report on the databases enabled for Change Data Capture, query "
        "the is_cdc_enabled column in the sys.databases catalog view."
    ),
    22906: (
        "The database '{0}' cannot be enabled for Change Data Capture because a database user named 'cdc' or "
        "a schema named 'cdc' already exists in the current database. These objects are required exclusively "
        "by Change Data Capture. Drop or rename the user or schema and retry the operation."
    ),
    22907: (
        "Parameter @role_name cannot be empty. Specify a value for @role_name and retry the operation. Supply"
        " null as the value if no role is to be used to gate access to captured change data."
    ),
    22920: "The named capture instance {0} does not exist for database {1}.",
    22925: (
        "The number of columns captured by capture instance '{0}' exceeds the maximum allowed number: {1}. "
        "Use the @captured_columns_list parameter to specify a subset of the columns less than or equal to "
        "the maximum allowed and resubmit the request."
    ),
    22926: (
        "Could not create a capture instance because the capture instance name '{0}' already exists in the "
        "current database. Specify an explicit unique name for the parameter @capture_instance."
    ),
    22927: (
        "Capture instance name '{0}' exceeds the length limit of 100 characters. Specify a name that "
        "satisfies the length constraint."
    ),
    22928: "Index name '{0}' is not an index for table '{1}.{2}'. Specify a valid index name for the table.",
    22929: (
        "Index '{0}' must be either a primary key or a unique index for table '{1}.{2}'. Specify an index "
        "that meets at least one of these requirements."
    ),
    22930: "Could not locate '{0}' as a column of source table '{1}.{2}'. Specify a valid column name.",
    22931: (
        "Source table '{0}.{1}' does not exist in the current database. Ensure that the correct database "
        "context is set. Specify a valid schema and table name for the database."
    ),
    22932: "Capture instance name '{0}' is invalid. " + _AGAIN,
    22939: (
        "The parameter @supports_net_changes is set to 1, but the source table does not have a primary key "
        "defined and no alternate unique index has been specified."
    ),
    22943: (
        "Columns used to uniquely identify a row for net change tracking must be included in the list of "
        "captured columns. Add either the primary key columns of the source table, or the columns defined for"
        " the index specified in the parameter @index_name to the list of captured columns and retry the "
        "operation."
    ),
    22838: (
        "All columns of a CDC unique index must be defined as NOT NULL. Index '{0}' selected as the CDC "
        "unique index for source table '{1}.{2}' does not meet this requirement. Define all columns of the "
        "selected index as NOT NULL or select another unique index as the CDC index and resubmit the request."
    ),
    22960: (
        "Change data capture instance '{0}' has not been enabled for the source table '{1}.{2}'. Use "
        "sys.sp_cdc_help_change_data_capture to verify the capture instance name and retry the operation."
    ),
    22962: (
        "Two capture instances already exist for source table '{0}.{1}'. A table can have at most two capture"
        " instances. If the current tracking options are not appropriate, disable change tracking for the "
        "obsolete instance by using sys.sp_cdc_disable_table and retry the operation."
    ),
    22963: (
        "Parameter '{0}' cannot be null or empty. Specify a value for the named parameter and retry the operation."
    ),
    22964: (
        "LSN {0}, specified as the new low end point for change table cleanup must represent the start_lsn "
        "value of a current entry in the cdc.lsn_time_mapping table. Choose an LSN value that satisfies this "
        "requirement."
    ),
    22965: (
        "A quoted column in the column list is not properly terminated. Verify that columns are correctly "
        "delimited and retry the operation. For more information, see 'Delimited Identifiers' in Books "
        "Online."
    ),
    22970: "The value for parameter @maxscans specified for the Change Data Capture job must be greater than 0.",
    22972: (
        "When calling stored procedure [sys].sp_cdc_help_change_data capture, if either @source_schema or "
        "@source_name is non-null and non-empty, the other parameter must also be non-null and non-empty."
    ),
    22973: (
        "The specified filegroup '{0}' is not a valid filegroup for database '{1}'. Specify a valid existing "
        "filegroup or create the named filegroup, and retry the operation."
    ),
    22974: "Tables contained in the cdc schema cannot be enabled for Change Data Capture.",
    22975: (
        "Source table '{0}' contains one of the following reserved column names: __$start_lsn, __$end_lsn, "
        "__$seqval, __$operation, and __$update_mask. To enable Change Data Capture for this table, specify a"
        " captured column list and ensure that these columns are excluded from the list."
    ),
    22979: (
        "The unique index '{0}' on table '{1}' is used by Change Data Capture. The constraint using this "
        "index cannot be dropped or disabled."
    ),
    22981: "Object does not exist or access is denied.",
    22983: (
        "The unique index '{0}' on source table '{1}' is used by Change Data Capture. To alter or drop the "
        "index, you must first disable Change Data Capture on the table."
    ),
    22985: (
        "Change data capture has not been enabled for source table '{0}.{1}'. Specify the name of a table "
        "enabled for Change Data Capture. To report on the tables enabled for Change Data Capture, query the "
        "is_tracked_by_cdc column in the sys.tables catalog view."
    ),
    22989: (
        "Could not enable Change Data Capture for database '{0}'. Change data capture is not supported on "
        "system databases, or on a distribution database."
    ),
    22990: (
        "The value specified for the parameter @pollinginterval cannot exceed 24 hours or be less than 0. "
        "Specify a polling interval (in seconds) that is less than or equal to 24 hours (86,400 seconds)."
    ),
    22991: "The value specified for the parameter @maxtrans must be greater than 0.",
    22992: (
        "The specified @job_type, {0}, is not supported. The value specified for the parameter @job_type must"
        " be N'capture' to indicate a capture job, or N'cleanup' to indicate a cleanup job."
    ),
    22994: (
        "The retention value specified for the Change Data Capture cleanup process must be greater than 0 and"
        " less than or equal to 52594800. When creating or modifying the cleanup job, specify a retention "
        "value (in minutes) that is within that range. If this error is encountered when executing the "
        "sys.sp_cdc_cleanup_change_table stored procedure, reset the retention value associated with the job "
        "to a non-negative value less than 52594800 by using the sp_cdc_change_job stored procedure."
    ),
    22995: (
        "A value for the parameter @retention cannot be specified when the job type is 'capture'. Specify "
        "NULL for the parameter, or omit the parameter from the statement."
    ),
    22996: (
        "When adding or modifying the CDC cleanup job, @pollinginterval, @maxtrans, @maxscans, and "
        "@continuous may not be assigned non-null values."
    ),
    22997: (
        "The Change Data Capture '{0}' job does not exist in the system table 'msdb.dbo.cdc_jobs'. Use the "
        "stored procedure 'sys.sp_cdc_add_job' to add the Change Data Capture job."
    ),
}


def failure(number: int, *values: object, procedure: str = "") -> SqlError:
    """The error of that number with its placeholders filled in."""
    return SqlError(number, _TEXTS[number].format(*values), procedure=procedure)


def warning(number: int, *values: object) -> Notice:
    """The same as a message of severity 10, which does not end the statement."""
    return Notice(number, _TEXTS[number].format(*values), severity=10)
