"""What a captured table does not allow."""

import pytest
from tests.standins.sqlserver.cdc.servers import Session


@pytest.mark.parametrize(
    ("sql", "number"),
    [
        ("TRUNCATE TABLE dbo.things", 4711),
        ("ALTER TABLE dbo.things DROP CONSTRAINT things_pk", 22979),
        ("DROP INDEX things_code ON dbo.things", 22983),
        ("ALTER INDEX things_code ON dbo.things DISABLE", 22983),
        ("EXEC sp_rename 'dbo.things.name', 'title', 'COLUMN'", 4928),
    ],
)
def test_what_pulls_the_ground_from_under_an_instance_is_refused(shop: Session, sql: str, number: int) -> None:
    _captured_twice(shop)
    assert shop.error(sql) == number
    shop.run("EXEC sys.sp_cdc_disable_table N'dbo', N'things', N'all'")
    shop.run(sql)


def test_a_constraint_whose_index_identifies_rows_is_not_disabled(shop: Session) -> None:
    shop.run("CREATE TABLE dbo.things (id int CONSTRAINT things_pk PRIMARY KEY NONCLUSTERED)")
    shop.run("EXEC sys.sp_cdc_enable_table @source_schema = N'dbo', @source_name = N'things', @role_name = NULL")
    assert shop.error("ALTER INDEX things_pk ON dbo.things DISABLE") == 22979
    shop.run("ALTER INDEX things_pk ON dbo.things REBUILD")


def test_other_indexes_and_columns_may_change(shop: Session) -> None:
    _captured_twice(shop)
    shop.run("DROP INDEX things_name ON dbo.things")
    shop.run("EXEC sp_rename 'dbo.things.other', 'another', 'COLUMN'")
    shop.run("ALTER TABLE dbo.things DROP COLUMN another")
    assert shop.rows("SELECT name FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.things') ORDER BY 1") == [
        ("things_code",),
        ("things_pk",),
    ]


def _captured_twice(shop: Session) -> None:
    """By its primary key, and by another index; not all of its columns."""
    shop.run(
        "CREATE TABLE dbo.things (id int CONSTRAINT things_pk PRIMARY KEY, code int NOT NULL, name nvarchar(20), other int)"
    )
    shop.run("CREATE UNIQUE INDEX things_code ON dbo.things (code)")
    shop.run("CREATE INDEX things_name ON dbo.things (name)")
    for instance, index in (("a", ""), ("b", ", @index_name = N'things_code'")):
        shop.run(
            "EXEC sys.sp_cdc_enable_table @source_schema = N'dbo', @source_name = N'things', @role_name = NULL, "
            f"@capture_instance = N'{instance}', @captured_column_list = N'id, code, name'{index}"
        )
