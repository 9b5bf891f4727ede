"""The first call of compiled code takes seconds: no deadlines here."""

from hypothesis import settings

settings.register_profile("selecting", deadline=None, print_blob=True)
settings.load_profile("selecting")
