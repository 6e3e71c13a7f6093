"""`python -m nabi.cli`."""

import sys

from nabi.cli import main

sys.exit(main())
