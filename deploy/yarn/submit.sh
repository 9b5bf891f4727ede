#!/bin/sh
# tailrace on YARN: `submit.sh CONNECTOR.json kafka:HOST:PORT [SPARK-SUBMIT OPTIONS...]` runs deploy/stream.py in cluster mode.
# The nodes need a Python with tailrace: TAILRACE_PYTHON says where theirs is. Without it they get an environment that `tailrace
# pack` has packed, TAILRACE_ENVIRONMENT or environment.tar.gz, and YARN unpacks it beside every container.
# CONNECTOR.json is copied as it is: into the application's staging folder, and to the node of every container. No secret may stand
# in it: write ${file:/path:key} or ${directory:/path:file} for a file on the nodes, or ${env:NAME}, which the driver replaces.
set -eu

[ $# -ge 2 ] || { echo "usage: $0 CONNECTOR.json kafka:HOST:PORT [SPARK-SUBMIT OPTIONS...]" >&2; exit 2; }
connector=$1 to=$2
shift 2
[ -f "$connector" ] || { echo "no file $connector" >&2; exit 2; }
literal='"[^"]*(password|passphrase|secret|token)"[[:space:]]*:[[:space:]]*"[^"$]'
if grep -Eiq -e "$literal" -e 'password=\\*"[^"\$]' "$connector"; then
  echo "warning: $connector has a password, and is copied to the staging folder and to every node: write \${file:...} instead" >&2
fi
here=$(cd "$(dirname "$0")" && pwd)

python=${TAILRACE_PYTHON:-./environment/bin/python}
if [ -z "${TAILRACE_PYTHON:-}" ]; then
  environment=${TAILRACE_ENVIRONMENT:-environment.tar.gz}
  [ -f "$environment" ] || { echo "no $environment: make it with 'tailrace pack $environment'" >&2; exit 2; }
  set -- --archives "$environment#environment" "$@"
fi

# For the driver for Db2, which reads the environment that a process began with (docs/guides/db2-setup.md).
go=schedtrace=2147483647

# Passwords go to executors, so Spark's processes know one another and encrypt. The work is done in Python processes, outside Java's
# memory. A task that runs twice, or whose executor is taken away while it waits, would only be fenced and begin again.
exec "${SPARK_HOME:+$SPARK_HOME/bin/}spark-submit" \
  --master yarn --deploy-mode cluster --name tailrace --files "$connector" \
  --num-executors "${TAILRACE_EXECUTORS:-2}" --executor-cores "${TAILRACE_EXECUTOR_CORES:-2}" \
  --driver-memory 1g --executor-memory 1g \
  --conf spark.driver.memoryOverhead=1g --conf spark.executor.memoryOverhead=2g \
  --conf "spark.pyspark.python=$python" --conf "spark.yarn.appMasterEnv.PYSPARK_PYTHON=$python" \
  --conf spark.yarn.appMasterEnv.GODEBUG=$go --conf spark.executorEnv.GODEBUG=$go \
  --conf spark.authenticate=true --conf spark.network.crypto.enabled=true --conf spark.io.encryption.enabled=true \
  --conf spark.speculation=false --conf spark.dynamicAllocation.enabled=false \
  --conf spark.yarn.maxAppAttempts=10 --conf spark.yarn.am.attemptFailuresValidityInterval=1h \
  "$@" "$here/../stream.py" "$(basename "$connector")" "$to"
