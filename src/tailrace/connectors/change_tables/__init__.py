"""What is true of every database that writes its changes into tables; what only one of them knows is its `Dialect`."""
