#!/bin/sh
# What Spark asks of an image on Kubernetes: `driver ARGUMENTS...` runs spark-submit in this container, `executor` runs an executor
# that is described by environment variables. Anything else is a command, such as `tailrace run ...`.
set -eu

java="${JAVA_HOME:+$JAVA_HOME/bin/}java"

# The options of Java that Spark sets, SPARK_JAVA_OPT_0, SPARK_JAVA_OPT_1, ..., each one argument, in a file for Java.
java_options() {
  file=$(mktemp)
  number=0
  while eval "option=\${SPARK_JAVA_OPT_$number-}" && [ -n "$option" ]; do
    # in such a file a backslash or a quote has to be escaped
    printf '"%s"\n' "$(printf '%s' "$option" | sed 's/[\\"]/\\&/g')" >>"$file"
    number=$((number + 1))
  done
  printf '%s' "$file"
}

case "${1:-}" in
  driver)
    shift
    exec "$SPARK_HOME/bin/spark-submit" \
      --conf "spark.driver.bindAddress=$SPARK_DRIVER_BIND_ADDRESS" \
      --conf "spark.executorEnv.SPARK_DRIVER_POD_IP=$SPARK_DRIVER_BIND_ADDRESS" \
      --deploy-mode client "$@"
    ;;
  executor)
    # Spark mounts its own configuration and Hadoop's where these say
    path="${SPARK_CLASSPATH:+$SPARK_CLASSPATH:}${SPARK_CONF_DIR:+$SPARK_CONF_DIR:}${HADOOP_CONF_DIR:+$HADOOP_CONF_DIR:}"
    # an executor looks at spark.authenticate.secret.file only where its master is Kubernetes, which nobody else tells it in time
    exec "$java" "@$(java_options)" -Dspark.master=k8s://executor \
      -Xms"$SPARK_EXECUTOR_MEMORY" -Xmx"$SPARK_EXECUTOR_MEMORY" -cp "$path$SPARK_HOME/jars/*" \
      org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend \
      --driver-url "$SPARK_DRIVER_URL" --executor-id "$SPARK_EXECUTOR_ID" --cores "$SPARK_EXECUTOR_CORES" \
      --app-id "$SPARK_APPLICATION_ID" --hostname "$SPARK_EXECUTOR_POD_IP" \
      --resourceProfileId "$SPARK_RESOURCE_PROFILE_ID" --podName "$SPARK_EXECUTOR_POD_NAME"
    ;;
  *) exec "$@" ;;
esac
