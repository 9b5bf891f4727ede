"""Values that a driver gives as Arrow arrays, as vectors: whole columns at a time.

A connector's types say what is selected for each column, and its schema (`selected.ColumnType`); `vectors.vectors` converts
it. Each other module has a family of types.
"""
