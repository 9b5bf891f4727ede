"""The files in `deploy/` are what their readers take: hadolint, the Spark operator's schema, Spark's own names, our command line."""

import copy
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path, PurePosixPath

import fastjsonschema
import pyspark
import pytest
import typer
import yaml

from tailrace.cli.main import app
from tailrace.connectors.load import from_mapping

DEPLOY = Path(__file__).parents[2] / "deploy"
SCHEMAS = Path(__file__).with_name("schemas")
SUBMIT = DEPLOY / "yarn" / "submit.sh"
HADOLINT = Path(sys.executable).with_name("hadolint")
NAMES_OF_SPARK = ("internal/config", "launcher", "deploy/yarn", "deploy/k8s", "network", "deploy/SparkSubmit")


def documents(name):
    return list(yaml.safe_load_all((DEPLOY / name).read_text()))


@pytest.fixture(scope="module")
def schema():
    return _strict(json.loads((SCHEMAS / "spark-application.json").read_text()))


@pytest.fixture(scope="module")
def checked(schema):
    """Raises what is wrong with a `SparkApplication`."""
    return fastjsonschema.compile(schema)


@pytest.fixture(scope="module")
def application():
    return documents("kubernetes/spark-application.yaml")[0]


@pytest.fixture(scope="module")
def single():
    return {each["kind"]: each for each in documents("kubernetes/tailrace.yaml")}


def _strict(schema):
    """A structural schema of Kubernetes as JSON Schema: unknown fields are errors; some things are a number or a text."""
    if isinstance(schema, list):
        return [_strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {name: _strict(value) for name, value in schema.items() if name != "format"}
    if schema.pop("x-kubernetes-int-or-string", False):
        return {"type": ["integer", "string"]}
    if "properties" in schema:
        if schema["properties"].keys() == {"apiVersion", "kind", "metadata", "spec"}:
            schema["properties"]["metadata"] = {"type": "object"}
        schema.setdefault("additionalProperties", False)
    return schema


# -- Docker


def linted(text, tmp_path):
    file = tmp_path / "Dockerfile"
    file.write_text(text)
    return subprocess.run([HADOLINT, "--no-color", file], capture_output=True, text=True, check=False)


def test_the_dockerfile_pleases_hadolint(tmp_path):
    done = linted((DEPLOY / "Dockerfile").read_text(), tmp_path)
    assert done.returncode == 0, done.stdout


def test_hadolint_sees_what_is_wrong(tmp_path):
    done = linted((DEPLOY / "Dockerfile").read_text().replace("--no-cache-dir", ""), tmp_path)
    assert "DL3042" in done.stdout


def test_what_the_image_is_made_of_is_in_the_checkout():
    copied = re.findall(r"^COPY (?!--)(.*) \S+$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    assert copied
    assert [name for names in copied for name in names.split() if not (DEPLOY.parent / name).exists()] == []


# -- Kubernetes


def test_the_spark_application_is_what_the_operator_takes(checked, application):
    checked(application)


def test_a_misspelt_field_is_not(checked, application):
    wrong = copy.deepcopy(application)
    wrong["spec"]["driver"]["memoryOverhed"] = "1g"
    with pytest.raises(fastjsonschema.JsonSchemaException, match="memoryOverhed"):
        checked(wrong)


def test_the_single_pod_has_containers_and_volumes_that_kubernetes_knows(schema, single):
    pod = single["Deployment"]["spec"]["template"]["spec"]
    known = schema["properties"]["spec"]["properties"]
    for container in pod["containers"]:
        fastjsonschema.compile(known["driver"]["properties"]["sidecars"]["items"])(container)
    for volume in pod["volumes"]:
        fastjsonschema.compile(known["volumes"]["items"])(volume)


def test_what_is_mounted_is_there(single, application):
    pod, spec = single["Deployment"]["spec"]["template"]["spec"], application["spec"]
    for volumes, holders in ((pod["volumes"], pod["containers"]), (spec["volumes"], [spec["driver"]])):
        named = {each["name"] for each in volumes}
        assert all({mount["name"] for mount in holder["volumeMounts"]} == named for holder in holders)
        sources = {each.get("configMap", {}).get("name") or each["secret"]["secretName"] for each in volumes}
        assert sources - {"tailrace-inventory-spark"} == {single["ConfigMap"]["metadata"]["name"], single["Secret"]["metadata"]["name"]}


def test_sparks_own_secret_is_in_a_file_of_driver_and_executors_which_have_no_other(application):
    spec = application["spec"]
    file = PurePosixPath(spec["sparkConf"]["spark.authenticate.secret.file"])
    (volume,) = [each for each in spec["volumes"] if each.get("secret", {}).get("secretName") == "tailrace-inventory-spark"]
    (of_driver,) = [each for each in spec["driver"]["volumeMounts"] if each["name"] == volume["name"]]
    assert spec["executor"]["volumeMounts"] == [of_driver]
    assert (of_driver["mountPath"], of_driver["readOnly"]) == (str(file.parent), True)
    text = (DEPLOY / "kubernetes" / "spark-application.yaml").read_text()
    assert f"secret generic tailrace-inventory-spark --from-literal={file.name}=" in text


def test_the_connectors_configuration_is_accepted_and_its_password_is_a_mounted_secret(single):
    document = json.loads(single["ConfigMap"]["data"]["connector.json"])
    folder, key = re.fullmatch(r"\$\{directory:(.*):(.*)\}", document["config"]["database.password"]).groups()
    container = single["Deployment"]["spec"]["template"]["spec"]["containers"][0]
    assert folder in {mount["mountPath"] for mount in container["volumeMounts"]}
    assert key in single["Secret"]["stringData"]
    settings = from_mapping({**document, "config": {**document["config"], "database.password": "x"}})
    assert settings.topic_prefix == "shop"


# -- Databricks


def test_the_databricks_job_has_a_cluster_of_fixed_size_that_is_not_shared():
    bundle = documents("databricks/databricks.yml")[0]
    job = bundle["resources"]["jobs"]["tailrace"]
    clusters = {each["job_cluster_key"]: each["new_cluster"] for each in job["job_clusters"]}
    task = job["tasks"][0]
    assert "autoscale" not in clusters[task["job_cluster_key"]]
    assert clusters[task["job_cluster_key"]]["data_security_mode"] == "SINGLE_USER"
    assert job["max_concurrent_runs"] == 1


# -- YARN


def submitted(tmp_path, *arguments, files=("environment.tar.gz", "shop.json"), **more):
    """What a spark-submit is called with that only says so."""
    program = tmp_path / "spark-submit"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    program.chmod(0o755)
    for name in files:
        (tmp_path / name).touch()
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", **more}
    command = ["sh", str(SUBMIT), "shop.json", "kafka:b:9092", *arguments]
    return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)


def test_yarn_gets_the_job_the_connector_and_the_environment(tmp_path):
    words = submitted(tmp_path, "--queue", "cdc").stdout.splitlines()
    assert words[-5:] == ["--queue", "cdc", str(DEPLOY / "yarn" / ".." / "stream.py"), "shop.json", "kafka:b:9092"]
    assert words[words.index("--archives") + 1] == "environment.tar.gz#environment"
    assert words[words.index("--files") + 1] == "shop.json"
    assert "spark.pyspark.python=./environment/bin/python" in words


def test_nodes_with_a_python_of_their_own_get_no_environment(tmp_path):
    words = submitted(tmp_path, files=["shop.json"], TAILRACE_PYTHON="/opt/tailrace/bin/python").stdout.splitlines()
    assert "--archives" not in words
    assert "spark.pyspark.python=/opt/tailrace/bin/python" in words
    assert "spark.yarn.appMasterEnv.PYSPARK_PYTHON=/opt/tailrace/bin/python" in words


@pytest.mark.parametrize(
    ("properties", "is_told"),
    [
        ({"database.password": "hunter2"}, True),
        ({"producer.override.sasl.jaas.config": 'a.PlainLoginModule required username="me" password="hunter2";'}, True),
        ({"database.password": "${file:/etc/tailrace/login:password}"}, False),
        ({"producer.override.sasl.jaas.config": 'a.PlainLoginModule required password="${file:/etc/l:p}";'}, False),
        ({"database.password": "", "database.user": "me"}, False),
    ],
)
def test_a_literal_password_in_what_the_nodes_get_is_told(tmp_path, properties, is_told):
    (tmp_path / "shop.json").write_text(json.dumps({"name": "shop", "config": properties}, indent=2))
    done = submitted(tmp_path)
    assert ("shop.json has a password" in done.stderr) == is_told
    assert "hunter2" not in done.stderr + done.stdout
    assert "--files" in done.stdout


@pytest.mark.parametrize(
    ("files", "why"),
    [(["shop.json"], "tailrace pack environment.tar.gz"), (["environment.tar.gz"], "no file shop.json")],
    ids=["no environment", "no connector"],
)
def test_yarn_is_not_asked_where_something_is_missing(tmp_path, files, why):
    done = submitted(tmp_path, files=files)
    assert done.returncode == 2
    assert why in done.stderr


# -- names of others, and ours


def test_the_commands_are_tailraces():
    texts = [path.read_text() for path in DEPLOY.rglob("*") if path.is_file()]
    lines = [line for text in texts for line in text.splitlines()]
    used = {name for line in lines for name in re.findall(r"(?:RUN |\[|'|`)tailrace,? ([a-z]+)", line)}
    assert used == {"compile", "pack", "run"}
    assert used <= typer.main.get_command(app).commands.keys()


def test_the_properties_are_sparks():
    known = _strings_of_spark()
    texts = [path.read_text() for path in DEPLOY.rglob("*") if path.is_file() and path.name != "entrypoint.sh"]
    used = {name for text in texts for name in re.findall(r"\bspark(?:\.[a-zA-Z_]+)+", text)}
    assert len(used) > 8
    of_environments = "spark.yarn.appMasterEnv.", "spark.executorEnv."
    unknown = [name for name in sorted(used) if name not in known and not name.startswith(of_environments)]
    assert unknown == []


def _strings_of_spark():
    found = []
    for jar in (Path(pyspark.__file__).parent / "jars").glob("spark-*.jar"):
        with zipfile.ZipFile(jar) as archive:
            names = [name for name in archive.namelist() if any(part in name for part in NAMES_OF_SPARK)]
            found += map(archive.read, names)
    return b"".join(found).decode("latin-1")
