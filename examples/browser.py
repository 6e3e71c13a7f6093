"""A page that classifies in a browser, offline: the kernel as WebAssembly, the model, the page.

It writes the folder `film-page`; open its index.html. In a clone, `make wasm` compiles the kernel
first.
Run it: python examples/browser.py
"""

import nabi
from nabi.engines.web import web_export

model = nabi.TextClassifier().fit(
    ["a wonderful film", "what a dull film", "brilliant, I loved it", "awful and far too long"],
    ["good", "bad", "good", "bad"],
)
export = web_export(model, title="Film reviews")
print(f"{len(export.model):,} bytes of model: weights of {export.about['words']} words, no texts")
try:
    export.save("film-page")
    print("open film-page/index.html")
except nabi.NabiError as error:
    print(error)
