"""Settings of models that are added."""

import json
from collections.abc import Mapping
from typing import Any


def largest_setting(*given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the setting with the largest JSON text, in whatever order they come; none is least.

    So the sum of models does not depend on their order.
    """
    return max(given, key=lambda each: json.dumps(each, sort_keys=True) if each else "")
