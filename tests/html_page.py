"""A parser that sees what a browser would: tags, attributes and text."""

from html.parser import HTMLParser


class Page(HTMLParser):
    """The tags of a page, its visible text, and whether all is closed in order."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.open, self.text, self.attributes = set(), [], "", set()
        self.texts = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data
        self.texts.append(data)
