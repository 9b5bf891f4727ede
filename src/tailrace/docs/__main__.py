"""`python -m tailrace.docs`."""

import sys

from tailrace.docs import main

sys.exit(main(sys.argv[1:]))
