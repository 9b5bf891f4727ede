"""Notifications: a connector's reports about its snapshots, and the channels that they go through.

Names, fields and schemas are Debezium's, so that consumers of Debezium's notifications keep working.
"""
