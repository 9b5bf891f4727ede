"""Requested work: what signals asked a lane to do, as its progress stores it, and how each signal changes it.

Knows no database: a connector reads the tables, and passes on the signals that it reads.
"""
