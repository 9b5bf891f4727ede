"""A connector's job for spark-submit, a Spark operator, Databricks, YARN: `stream.py CONFIG TO [CHECKPOINT]`.

CONFIG is the connector's JSON file, TO is where events go (`kafka:HOST:PORT`). The platform makes the session and sets its
master and resources. A run that is killed is as safe as one that ends: the next one goes on from the last commit.
"""

import logging
import sys

from pyspark.sql import SparkSession

import tailrace


def main() -> None:
    """Run until the stream ends, which it does only by an error or with the job."""
    config, to, *rest = sys.argv[1:]
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    spark = SparkSession.builder.appName("tailrace").getOrCreate()
    with tailrace.stream(spark, config, to=to, checkpoint=rest[0] if rest else None) as stream:
        stream.await_termination()


if __name__ == "__main__":
    main()
