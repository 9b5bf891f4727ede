"""Post processors: what is done to row changes behind the log and before their shape, custom converters and rules of columns.

There is one, Debezium's `ReselectColumnsPostProcessor`. `reselecting` finds the values that it reads again and puts them in
place, `conditions` says in SQL which rows are meant, and a connector selects these (`SelectsRows`).
"""
