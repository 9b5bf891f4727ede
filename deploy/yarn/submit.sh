#!/bin/sh
# tailrace on YARN: `submit.sh CONNECTOR.json kafka:HOST:PORT` runs deploy/stream.py in cluster mode.
# Nodes need no Python of their own: `tailrace pack` has packed this environment, and YARN unpacks it beside every container.
set -eu

[ $# -ge 2 ] || { echo "usage: $0 CONNECTOR.json kafka:HOST:PORT [SPARK-SUBMIT OPTIONS...]" >&2; exit 2; }
connector=$1 to=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
environment=${TAILRACE_ENVIRONMENT:-environment.tar.gz}
[ -f "$environment" ] || { echo "no $environment: make it with 'tailrace pack $environment'" >&2; exit 2; }

exec "${SPARK_HOME:+$SPARK_HOME/bin/}spark-submit" \
  --master yarn --deploy-mode cluster --name tailrace \
  --archives "$environment#environment" \
  --files "$connector" \
  --num-executors "${TAILRACE_EXECUTORS:-2}" --executor-cores "${TAILRACE_EXECUTOR_CORES:-2}" \
  --driver-memory 1g --executor-memory 1g \
  --conf spark.driver.memoryOverhead=1g --conf spark.executor.memoryOverhead=2g \
  --conf spark.pyspark.python=./environment/bin/python \
  --conf spark.yarn.appMasterEnv.PYSPARK_PYTHON=./environment/bin/python \
  --conf spark.authenticate=true --conf spark.network.crypto.enabled=true \
  --conf spark.speculation=false --conf spark.dynamicAllocation.enabled=false \
  --conf spark.yarn.maxAppAttempts=10 --conf spark.yarn.am.attemptFailuresValidityInterval=1h \
  "$@" "$here/../stream.py" "$(basename "$connector")" "$to"
