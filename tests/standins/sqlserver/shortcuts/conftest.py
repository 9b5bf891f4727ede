from tests.standins.sqlserver.cdc.conftest import capture, connect, inside, shop
from tests.standins.sqlserver.engine.conftest import a, b, engine

__all__ = ["a", "b", "capture", "connect", "engine", "inside", "shop"]
