"""A page that tells a person how good a text classifier is, where it fails, and why.

One HTML file that fetches nothing: it can be mailed, kept beside the model, and opened anywhere.

>>> import nabi
>>> from nabi import report
>>> texts = ["good film", "bad film", "so good", "so bad", "good good", "bad bad"]
>>> page = report.of_crossval(nabi.TextClassifier(), texts, ["pos", "neg"] * 3)
>>> page.data["totals"]["accuracy"][0]
1.0

`page.write("films.html")` writes it.
"""

from nabi.report.reports import Report, of_crossval, of_test

__all__ = ["Report", "of_crossval", "of_test"]
