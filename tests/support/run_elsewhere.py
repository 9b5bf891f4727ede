"""`tailrace` as if the loopback were a network: tasks get nothing that only one machine has, and report over the network."""

from attrs import evolve

from tailrace.cli.main import main
from tailrace.source.job import Job
from tailrace.streaming import clusters

to_json = Job.to_json


def without_the_socket(job):
    return to_json(evolve(job, link="/nowhere/link"))


if __name__ == "__main__":
    clusters._is_loopback = lambda host: False
    Job.to_json = without_the_socket
    main()
