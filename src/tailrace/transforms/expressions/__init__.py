"""Conditions and topics of transforms in Groovy, JavaScript or SQL, evaluated over columns.

    tokens.py, syntax.py, parser.py, statements.py, sql.py   text → tree, with places in the text
    words.py                        what Groovy and JavaScript have, and what to write instead of what they have not here
    values.py, texts.py, decimals.py, numbers.py             values of a part of the tree: columns of one type
    reading.py                      fields of keys, values and headers as such columns
    evaluation.py, running.py       what all languages share; groovy.py, javascript.py and sql_evaluation.py are the rest
    expression.py                   the whole: text in, a mask or topics out

A part of an expression has for some records a text, for others a null, for others a number: `Cases`, masks with a value of one
type each. What throws in the real language becomes an error of those records, and evaluation is as lazy as there.
"""
