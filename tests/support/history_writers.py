"""Writers of one schema history, of which each may have stood still while others wrote."""


def written_in_turns(new_writer, records, chance):
    """Have writers that begin at a restart position, or go on, append all records, each in order, in any turns."""
    writers, reached = [], 0
    while reached < len(records):
        if not writers or chance.random() < 0.3:
            writers.append([new_writer(), chance.randint(0, reached)])
            writers[-1][0].load()
        writer = chance.choice(writers)
        end = writer[1] + chance.randint(1, 2)
        writer[0].append(records[writer[1] : end])
        writer[1] = min(end, len(records))
        reached = max(reached, writer[1])
