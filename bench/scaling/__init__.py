"""How tailrace scales: planning by simulation, and a model of time and load made of measured costs."""
