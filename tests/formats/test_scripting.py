"""Filter and ContentBasedRouter beside the real ones, with real Groovy and GraalJS, on golden lines and generated expressions."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.formats.comparing import assert_same
from tests.formats.connect_parts import Transform
from tests.formats.golden_lines import golden_lines
from tests.formats.recording_expressions import LANGUAGES, real_outcomes, recorded

from support.every_scenario import only_with_all
from support.expression_rows import LINES
from support.unit_settings import unit_settings
from tailrace.encoding.json import JsonEncoder, JsonFormat
from tailrace.events.pipeline import transforms_of
from tailrace.transforms.chain import transformed

pytestmark = [pytest.mark.debezium, pytest.mark.slow]
FILTER, ROUTER = "io.debezium.transforms.Filter", "io.debezium.transforms.ContentBasedRouter"
GROOVY, JAVASCRIPT = LANGUAGES
PLAIN = JsonFormat(schemas=False)
ENCODER = JsonEncoder(PLAIN, PLAIN, PLAIN)
GOLDEN = ("mysql: transactions", "sqlserver: heartbeats", "db2: changes-with-schemas")


def same(parts, lines, type_, **options):
    """Fails where tailrace gives other records than the real transform."""
    options = {name.replace("_", "."): value for name, value in options.items()}
    given_ = {"transforms": "t", "transforms.t.type": type_} | {f"transforms.t.{name}": value for name, value in options.items()}
    chain = transforms_of(unit_settings(given_))
    return assert_same(
        parts, lines, lambda records: [ENCODER.encode(each) for each in transformed(records, chain)], [Transform(type_, options)]
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_recorded_is_what_the_engine_says(server_parts, language):
    for text, outcomes in list(recorded(language))[::7]:
        assert real_outcomes(server_parts, language, text) == outcomes, text


@pytest.mark.parametrize(
    ("source", "mode"),
    [
        *((source, "evaluate") for source in GOLDEN),
        (GOLDEN[0], "keep"),
        *(pytest.param(source, "keep", marks=only_with_all) for source in GOLDEN[1:]),
    ],
)
@pytest.mark.parametrize(
    "condition",
    [
        "value.op == 'c' || value.op == 'u'",
        "valueSchema.field('op') && value.op == 'u' && value.before != value.after",
        "valueSchema.name.endsWith('.Envelope') && value.source.table ==~ /.*[a-m]/",
        "topic.contains('heartbeat') || !valueSchema.field('op') || value.source.snapshot in ['false', 'true']",
        "value?.ts_ms > 0",
    ],
)
def test_golden_lines_are_filtered_alike(server_parts, source, condition, mode):
    found = same(server_parts, golden_lines(source), FILTER, language=GROOVY, condition=condition, null_handling_mode=mode)
    assert found.records + found.dropped + found.failed == len(golden_lines(source))


@pytest.mark.parametrize("mode", ["keep", "drop", "evaluate"])
@pytest.mark.parametrize("topics", [r".*", r"nothing"])
def test_javascript_filters_golden_lines_alike(server_parts, mode, topics):
    options = {"language": JAVASCRIPT, "condition": "value.op === 'u' || value.source?.db != 'd_keys'"}
    same(server_parts, golden_lines(GOLDEN[0]), FILTER, **options, null_handling_mode=mode, topic_regex=topics)


@pytest.mark.parametrize("source", GOLDEN)
@pytest.mark.parametrize(
    "expression",
    [
        "valueSchema.field('op') ? topic + '.' + value.op : null",
        "value.op == 'd' ? topic + '.deleted' : topic",
        "value.source.table",
        "if (!valueSchema.field('op')) { return 'others' }\nif (value.op == 'c') { return value.source.db + '-new' }\nreturn null",
    ],
)
def test_golden_lines_are_routed_alike(server_parts, source, expression):
    same(server_parts, golden_lines(source), ROUTER, language=GROOVY, topic_expression=expression)


NUMBERS = ["value.after?.i32", "value.after?.id", "value.before?.i16", "value.after?.d", "value.after?.f", "value.after?.amt"]
NUMBERS += ["7", "1.5", "100", "-1", "0", "100.50", "49L", "1.5d", "null"]
TEXTS = ["value.op", "value.after?.name", "value.before?.name", "value.source.db", "topic", "header.h?.value", "'abc'", "'c'", "''"]
OTHERS = ["value.after?.flag", "true", "false", "value.after", "value.before", "value.after.name", "value.nope", "null", "valueSchema.name"]
ANY = st.sampled_from([*NUMBERS, *TEXTS, *OTHERS])
ORDERS = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
TEST = st.sampled_from(["startsWith", "endsWith", "contains", "equals", "equalsIgnoreCase"])


def joined(pattern, *parts):
    """Text of a pattern with generated parts."""
    return st.builds(pattern.format, *parts)


LEAVES = st.one_of(
    joined("{} {} {}", st.sampled_from(NUMBERS), ORDERS, st.sampled_from(NUMBERS)),
    joined("{} {} {}", st.sampled_from(TEXTS), ORDERS, st.sampled_from(TEXTS)),
    joined("{} {} {}", ANY, st.sampled_from(["==", "!="]), ANY),
    joined("{} {} {}", ANY, ORDERS, ANY),
    joined("{} in [{}, {}]", ANY, ANY, ANY),
    joined("{}?.{}({})", st.sampled_from(TEXTS), TEST, st.sampled_from(TEXTS)),
    joined("{} ==~ /{}/", ANY, st.sampled_from(["a.*", "[a-c]+", "x?", r"\d+(\.\d+)?"])),
    joined("{} + {} == 'cabc'", st.sampled_from(TEXTS), st.sampled_from([*TEXTS, *NUMBERS])),
    ANY,
)
CONDITIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        joined("({} && {})", inner, inner),
        joined("({} || {})", inner, inner),
        joined("!({})", inner),
        joined("({} ? {} : {})", inner, inner, inner),
        joined("({} ?: {})", inner, inner),
    ),
    max_leaves=5,
)


@only_with_all
@given(condition=CONDITIONS)
@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
def test_generated_conditions_have_groovys_outcomes(server_parts, condition):
    same(server_parts, LINES, FILTER, language=GROOVY, condition=condition, null_handling_mode="evaluate")


OF_JAVASCRIPT = st.sampled_from(["==", "!=", "===", "!==", "<", "<=", ">", ">="])
PRIMITIVE = st.sampled_from(
    [each for each in (*NUMBERS, *TEXTS) if not each.endswith(("L", "1.5d", "amt"))] + ["value.nope", "undefined", "true", "value.after?.flag"]
)
CONDITIONS_OF_JAVASCRIPT = st.recursive(
    st.one_of(
        joined("{} {} {}", PRIMITIVE, OF_JAVASCRIPT, PRIMITIVE),
        joined("value.after?.amt {} {}", OF_JAVASCRIPT, PRIMITIVE.filter(lambda each: each not in {"''", "value.after?.name"})),
        joined("[{}, {}].includes({})", PRIMITIVE, PRIMITIVE, PRIMITIVE),
        joined("/^a/.test({})", PRIMITIVE),
        PRIMITIVE,
    ),
    lambda inner: st.one_of(
        joined("({} && {})", inner, inner),
        joined("({} || {})", inner, inner),
        joined("({} ?? {})", inner, inner),
        joined("!({})", inner),
        joined("({} ? {} : {})", inner, inner, inner),
    ),
    max_leaves=5,
)


@only_with_all
@given(condition=CONDITIONS_OF_JAVASCRIPT)
@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
def test_generated_conditions_have_javascripts_outcomes(server_parts, condition):
    same(server_parts, LINES, FILTER, language=JAVASCRIPT, condition=condition, null_handling_mode="evaluate")
