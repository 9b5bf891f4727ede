import time, resource, pytest
from support.mysql_settings import settings_for
from support.snapshotting import begun
from tailrace.connectors.base import Lane
from tailrace.connectors.mysql.reader import MySqlConnector
def rss(): 
    return int(open('/proc/self/statm').read().split()[1])*4096/1e6
@pytest.mark.mysql
@pytest.mark.parametrize("key", ["", ", PRIMARY KEY (n)"])
def test_perf(mysql_server, database, key):
    mysql_server.sql(f"CREATE TABLE t (n INT NOT NULL, v VARCHAR(60), d DOUBLE, m DATETIME(3) {key})", database)
    mysql_server.sql("INSERT INTO t SELECT a.n*1000+b.n, CONCAT('some text of a row ', a.n, ' ', b.n), a.n/7, NOW(3) FROM (WITH RECURSIVE s(n) AS (SELECT 0 UNION ALL SELECT n+1 FROM s WHERE n<799) SELECT n FROM s) a, (WITH RECURSIVE s(n) AS (SELECT 0 UNION ALL SELECT n+1 FROM s WHERE n<999) SELECT n FROM s) b", database)
    settings = settings_for(mysql_server, database_include_list=database, snapshot_mode="initial", key_converter_schemas_enable=False, value_converter_schemas_enable=False)
    for turn in range(2):
        s = begun(settings, 1)
        mysql_server.sql("UPDATE t SET d = d + 1 WHERE n % 10 = 0", database)
        began=time.time(); n=0; top=0
        for batch in MySqlConnector(settings).snapshot(Lane(0,1), s.progress, tuple(s.history)):
            n += sum(len(r) for r in batch.records); top=max(top,rss())
        print(key, n, "rows", round(time.time()-began,2), "s, rss", top)
