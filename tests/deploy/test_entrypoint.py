"""The image's entry point does what Spark asks of one on Kubernetes."""

import os
import re
import subprocess
import zipfile
from pathlib import Path

import pyspark
import pytest

DEPLOY = Path(__file__).parents[2] / "deploy"
ENTRYPOINT = DEPLOY / "entrypoint.sh"
SAYS = '#!/bin/sh\nprintf "%s\\n" "$0" "$@"\n'
EXECUTOR = {
    "SPARK_DRIVER_URL": "spark://CoarseGrainedScheduler@driver:7078",
    "SPARK_EXECUTOR_ID": "3",
    "SPARK_EXECUTOR_CORES": "2",
    "SPARK_EXECUTOR_MEMORY": "1024m",
    "SPARK_APPLICATION_ID": "spark-1",
    "SPARK_EXECUTOR_POD_IP": "10.0.0.7",
    "SPARK_EXECUTOR_POD_NAME": "tailrace-exec-3",
    "SPARK_RESOURCE_PROFILE_ID": "0",
    "SPARK_CONF_DIR": "/opt/spark/conf",
    "SPARK_JAVA_OPT_0": "-Dspark.driver.port=7078",
    "SPARK_JAVA_OPT_1": '-Da=with space, "quotes" and \\backslash',
}


@pytest.fixture
def spark_home(tmp_path):
    """A home of Spark, and a java on the path, that only say how they were called."""
    for place in ("bin/spark-submit", "java/java"):
        program = tmp_path / place
        program.parent.mkdir()
        program.write_text(SAYS)
        program.chmod(0o755)
    return tmp_path


def ran(spark_home, *arguments, **environment):
    path = f"{spark_home / 'java'}:{os.environ['PATH']}"
    given = {"PATH": path, "SPARK_HOME": str(spark_home), "TMPDIR": str(spark_home), **environment}
    done = subprocess.run(["sh", str(ENTRYPOINT), *arguments], env=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_an_executor_is_started_as_its_environment_says(spark_home):
    program, options, *rest = ran(spark_home, "executor", **EXECUTOR)
    assert program == str(spark_home / "java" / "java")
    assert rest == [
        "-Dspark.master=k8s://executor",
        "-Xms1024m",
        "-Xmx1024m",
        "-cp",
        f"/opt/spark/conf:{spark_home}/jars/*",
        "org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend",
        "--driver-url",
        "spark://CoarseGrainedScheduler@driver:7078",
        "--executor-id",
        "3",
        "--cores",
        "2",
        "--app-id",
        "spark-1",
        "--hostname",
        "10.0.0.7",
        "--resourceProfileId",
        "0",
        "--podName",
        "tailrace-exec-3",
    ]
    assert Path(options.removeprefix("@")).read_text().splitlines() == [
        '"-Dspark.driver.port=7078"',
        '"-Da=with space, \\"quotes\\" and \\\\backslash"',
    ]


def test_java_takes_the_options_from_the_file_as_they_are(spark_home):
    (spark_home / "java" / "java").unlink()  # the real one
    file = spark_home / "options"
    text = '-Da=with space, "quotes" and \\backslash'
    file.write_text('"-Da=with space, \\"quotes\\" and \\\\backslash"\n')
    from tailrace.java import java_home

    java = java_home()
    if java is None:
        pytest.skip("no Java")
    done = subprocess.run(
        [java / "bin" / "java", f"@{file}", "-XshowSettings:properties", "-version"], capture_output=True, text=True, check=True
    )
    assert f"    a = {text.removeprefix('-Da=')}" in done.stderr.splitlines()


def test_a_driver_is_submitted_in_client_mode_at_its_address(spark_home):
    said = ran(spark_home, "driver", "--properties-file", "/p", "local:///x.py", "a b", SPARK_DRIVER_BIND_ADDRESS="10.0.0.5")
    assert said == [
        str(spark_home / "bin" / "spark-submit"),
        "--conf",
        "spark.driver.bindAddress=10.0.0.5",
        "--conf",
        "spark.executorEnv.SPARK_DRIVER_POD_IP=10.0.0.5",
        "--deploy-mode",
        "client",
        "--properties-file",
        "/p",
        "local:///x.py",
        "a b",
    ]


def test_anything_else_is_a_command(spark_home):
    assert ran(spark_home, "java", "a b", "c") == [str(spark_home / "java" / "java"), "a b", "c"]


def test_the_variables_and_options_are_those_of_sparks_kubernetes_jar():
    jar = next((Path(pyspark.__file__).parent / "jars").glob("spark-kubernetes_*.jar"))
    with zipfile.ZipFile(jar) as archive:
        names = [name for name in archive.namelist() if re.search(r"k8s/(Constants|KubernetesExecutorBackend)[^/]*\.class", name)]
        known = b"".join(map(archive.read, names)).decode("latin-1")
    text = ENTRYPOINT.read_text()
    used = set(re.findall(r"\$\{?(SPARK_\w+)", text)) - {"SPARK_HOME"} | set(re.findall(r"--[a-zA-Z-]+(?= \"\$SPARK)", text))
    assert len(used) >= 15
    assert [name for name in sorted(used) if name not in known] == []
