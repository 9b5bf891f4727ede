"""Notifications: what a connector tells of its snapshots, and the channels that it tells it through.

Names, fields and schemas are Debezium's, so that what listens to Debezium's notifications goes on listening.
"""
