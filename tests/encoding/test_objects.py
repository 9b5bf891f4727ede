"""Objects in templates."""

from functools import partial

import numpy as np
import orjson

from tailrace.changes.vectors import integers
from tailrace.encoding.objects import write_object
from tailrace.encoding.render import Op, Template


def rendered(template, vectors, n):
    roles = np.arange(n, dtype=np.int32).reshape(1, n)
    found = template.program().render(vectors, roles)
    return [bytes(found.data[found.offsets[i] : found.offsets[i + 1]]) for i in range(n)]


def test_members_stand_in_their_order_under_quoted_names():
    template = Template()
    write_object(
        template,
        [('a "quoted" name', partial(template.value, Op.INT, 0, 0)), ("b", partial(template.const, b"[]"))],
    )
    lines = rendered(template, [integers(np.array([1, -2]))], 2)
    assert lines == [rb'{"a \"quoted\" name":1,"b":[]}', rb'{"a \"quoted\" name":-2,"b":[]}']


def test_objects_stand_within_objects_and_may_be_empty():
    template = Template()
    inner = [("x", partial(template.value, Op.INT, 0, 0))]
    write_object(
        template, [("o", partial(write_object, template, inner)), ("e", partial(write_object, template, []))]
    )
    assert [orjson.loads(line) for line in rendered(template, [integers(np.array([7]))], 1)] == [{"o": {"x": 7}, "e": {}}]
