"""Reads messages with Confluent's own AvroDeserializer: `python confluents_reader.py URL < messages`.

It runs in a process of its own, with the packages of `confluents_packages`. It is given a message a line, in hexadecimal; it prints
each value's `repr`, a line each.
"""

import sys

from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer


def main(url: str) -> None:
    read = AvroDeserializer(SchemaRegistryClient({"url": url}))
    for line in sys.stdin:
        print(repr(read(bytes.fromhex(line), None)))


if __name__ == "__main__":
    main(sys.argv[1])
