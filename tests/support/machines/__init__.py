"""Machines on one machine: each has addresses, a /tmp, a home, a host name and processes of its own (Linux, as root).

    with Network() as network:
        with network.at("mysql"):
            server = MySqlServer(address=network.address("mysql")).start()
        worker = network.machine("worker1")
        worker.start(["sleep", "60"])
        network.cut("worker1")

Nothing here touches an interface of the host: the switch that connects the machines has a network namespace too.
"""
