"""`python -m mailstop`: the same as the command `mailstop`."""

import sys

from mailstop.cli.entry import main

sys.exit(main())
