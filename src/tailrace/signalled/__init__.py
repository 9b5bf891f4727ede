"""What signals asked a lane to do, as its progress keeps it, and what each signal changes of that.

Knows no database: a connector reads the tables, and tells the signals that it came by.
"""
