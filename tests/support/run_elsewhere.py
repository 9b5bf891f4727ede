"""`tailrace` as if the loopback were a network: tasks get nothing that only one machine has, and report over the network."""

import os

from attrs import evolve

from tailrace.cli.main import main
from tailrace.source.job import Job
from tailrace.streaming import clusters

to_json = Job.to_json


def with_a_socket_for_this_folder_only(job):
    """The planner starts in this process's folder, and tasks start in the executor's."""
    return to_json(evolve(job, link=os.path.relpath(job.link)))


if __name__ == "__main__":
    clusters._is_loopback = lambda host: False
    Job.to_json = with_a_socket_for_this_folder_only
    main()
