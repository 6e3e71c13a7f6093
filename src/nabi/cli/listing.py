"""All commands, in the order in which `nabi --help` lists them, with a line on each."""

PANELS = {
    "First steps": {
        "train": "Train a model on labelled texts or a table, and save it.",
        "predict": "Predict labels of texts or rows; all columns are kept.",
        "explain": "Explain a decision: every word with its weight.",
        "label": "Label texts in a browser: from no labels to a model.",
        "demo": "Try nabi on text that is already on this machine.",
    },
    "How good is it?": {
        "crossval": "Estimate how good a model will be on new data.",
        "evaluate": "Measure how good a model is on data it has not learned.",
        "calibrate": "Calibrate the probabilities by the learned texts.",
        "versus": "Compare two models; test if the difference is chance.",
        "suspects": "Find labels that are probably wrong, and copies.",
    },
    "Find a better one": {
        "tune": "Search for the best settings of a counting model.",
        "compare": "Train models of several kinds, and compare them.",
        "rules": "Check hand-written rules, alone or on labelled data.",
    },
    "Look into a model, and change it": {
        "words": "Show the word weights: the most telling words.",
        "info": "Show what is in a model file.",
        "learn": "Learn more texts, also of new words and classes.",
        "forget": "Remove learned texts from a model, exactly.",
        "merge": "Merge models: the counts of one trained on all texts.",
        "classes": "List, rename, join or drop classes without training.",
        "prune": "Keep only the most useful words: a small model.",
    },
    "Use it elsewhere": {
        "serve": "Answer by HTTP; with --data also learn and forget.",
        "store": "Look after the store of `nabi serve`.",
        "export": "Export a model to a database or a browser.",
    },
}
STORE = tuple(
    f"store {name}"
    for name in ("check", "backup", "restore", "scrub", "rebuild", "export", "copy", "undo")
)
PAST = ("store drift", "store model", "store without")
TOKEN = ("store token add", "store token list", "store token remove")
GROUPS = {"rules": ("rules check",), "store": (*TOKEN, *STORE, *PAST)}
COMMANDS = tuple(
    command for panel in PANELS.values() for name in panel for command in GROUPS.get(name, (name,))
)
# Of commands with another name than their module in `commands/`.
MODULES = {
    "forget": "learn",
    "rules check": "rules",
    **dict.fromkeys(STORE, "store"),
    **dict.fromkeys(PAST, "store_past"),
    **dict.fromkeys(TOKEN, "store_token"),
}
ABOUT_GROUPS = {
    "store": "Look after the store of `nabi serve`: tokens, check, back up, restore, drift.",
    "store token": "Add, list and remove the tokens of `nabi serve`, and their roles.",
}
