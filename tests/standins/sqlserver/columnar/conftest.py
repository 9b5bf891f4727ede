from tests.standins.sqlserver.engine.conftest import a, b, engine

__all__ = ["a", "b", "engine"]
