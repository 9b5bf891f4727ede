"""Spark's workers, as the command line's session starts them."""

import pyspark
import pytest


@pytest.mark.spark
def test_they_take_pyspark_from_where_it_is_installed(spark):
    def where(_):
        import pyspark

        return pyspark.__file__

    assert spark.sparkContext.parallelize([0], 1).map(where).collect() == [pyspark.__file__]
