"""Statements as trees.

Names are tuples of their parts, folded as Db2 folds them: `("S", "T")`.
"""

from tailrace_standins.db2.engine.tree.expressions import (
    Between as Between,
)
from tailrace_standins.db2.engine.tree.expressions import (
    Binary as Binary,
)
from tailrace_standins.db2.engine.tree.expressions import (
    Call as Call,
)
from tailrace_standins.db2.engine.tree.expressions import (
    Case as Case,
)
from tailrace_standins.db2.engine.tree.expressions import (
    Cast as Cast,
)
from tailrace_standins.db2.engine.tree.expressions import (
    Column as Column,
)
from tailrace_standins.db2.engine.tree.expressions import (
    Duration as Duration,
)
from tailrace_standins.db2.engine.tree.expressions import (
    Exists as Exists,
)
from tailrace_standins.db2.engine.tree.expressions import (
    Expression as Expression,
)
from tailrace_standins.db2.engine.tree.expressions import (
    In as In,
)
from tailrace_standins.db2.engine.tree.expressions import (
    IsNull as IsNull,
)
from tailrace_standins.db2.engine.tree.expressions import (
    Like as Like,
)
from tailrace_standins.db2.engine.tree.expressions import (
    Literal as Literal,
)
from tailrace_standins.db2.engine.tree.expressions import (
    Names as Names,
)
from tailrace_standins.db2.engine.tree.expressions import (
    Order as Order,
)
from tailrace_standins.db2.engine.tree.expressions import (
    Parameter as Parameter,
)
from tailrace_standins.db2.engine.tree.expressions import (
    RowValue as RowValue,
)
from tailrace_standins.db2.engine.tree.expressions import (
    Scalar as Scalar,
)
from tailrace_standins.db2.engine.tree.expressions import (
    Special as Special,
)
from tailrace_standins.db2.engine.tree.expressions import (
    Star as Star,
)
from tailrace_standins.db2.engine.tree.expressions import (
    Unary as Unary,
)
from tailrace_standins.db2.engine.tree.expressions import (
    Window as Window,
)
from tailrace_standins.db2.engine.tree.queries import (
    Body as Body,
)
from tailrace_standins.db2.engine.tree.queries import (
    Combined as Combined,
)
from tailrace_standins.db2.engine.tree.queries import (
    Common as Common,
)
from tailrace_standins.db2.engine.tree.queries import (
    Derived as Derived,
)
from tailrace_standins.db2.engine.tree.queries import (
    Item as Item,
)
from tailrace_standins.db2.engine.tree.queries import (
    Join as Join,
)
from tailrace_standins.db2.engine.tree.queries import (
    Query as Query,
)
from tailrace_standins.db2.engine.tree.queries import (
    Select as Select,
)
from tailrace_standins.db2.engine.tree.queries import (
    Source as Source,
)
from tailrace_standins.db2.engine.tree.queries import (
    Table as Table,
)
from tailrace_standins.db2.engine.tree.queries import (
    Values as Values,
)
from tailrace_standins.db2.engine.tree.statements import (
    Alteration as Alteration,
)
from tailrace_standins.db2.engine.tree.statements import (
    AlterTable as AlterTable,
)
from tailrace_standins.db2.engine.tree.statements import (
    CallProcedure as CallProcedure,
)
from tailrace_standins.db2.engine.tree.statements import (
    ColumnDefinition as ColumnDefinition,
)
from tailrace_standins.db2.engine.tree.statements import (
    Comment as Comment,
)
from tailrace_standins.db2.engine.tree.statements import (
    CreateIndex as CreateIndex,
)
from tailrace_standins.db2.engine.tree.statements import (
    CreateSchema as CreateSchema,
)
from tailrace_standins.db2.engine.tree.statements import (
    CreateTable as CreateTable,
)
from tailrace_standins.db2.engine.tree.statements import (
    Delete as Delete,
)
from tailrace_standins.db2.engine.tree.statements import (
    Drop as Drop,
)
from tailrace_standins.db2.engine.tree.statements import (
    Identity as Identity,
)
from tailrace_standins.db2.engine.tree.statements import (
    Insert as Insert,
)
from tailrace_standins.db2.engine.tree.statements import (
    Key as Key,
)
from tailrace_standins.db2.engine.tree.statements import (
    LockTable as LockTable,
)
from tailrace_standins.db2.engine.tree.statements import (
    Nothing as Nothing,
)
from tailrace_standins.db2.engine.tree.statements import (
    Rename as Rename,
)
from tailrace_standins.db2.engine.tree.statements import (
    SelectStatement as SelectStatement,
)
from tailrace_standins.db2.engine.tree.statements import (
    Set as Set,
)
from tailrace_standins.db2.engine.tree.statements import (
    Statement as Statement,
)
from tailrace_standins.db2.engine.tree.statements import (
    Truncate as Truncate,
)
from tailrace_standins.db2.engine.tree.statements import (
    Unit as Unit,
)
from tailrace_standins.db2.engine.tree.statements import (
    Update as Update,
)
