"""The first call of compiled code takes seconds: no deadlines here."""

from hypothesis import settings

settings.register_profile("values", deadline=None)
settings.load_profile("values")
