"""Writes the page of the command line from the commands themselves.

python docs/command_line.py > docs/command-line.md
"""

import sys
from typing import Any

import click

from nabi.cli.app import app, function_of
from nabi.cli.command import Command, examples
from nabi.cli.help import default_of, panels
from nabi.cli.listing import COMMANDS
from nabi.cli.options.source import PANEL as DATA

INTRODUCTION = """\
# The command line

This page is written by `python docs/command_line.py` from the commands themselves, and a test runs its examples.
`nabi --help` lists the commands, `nabi COMMAND --help` the options that are used most, `nabi COMMAND --help-all` all of them,
`nabi --version` the version.
New here? Begin with `nabi demo` or with the [tutorial](tutorial.md).
"""  # noqa: E501

MORE = """\
## What is read

| format | taken where | columns |
|---|---|---|
| CSV | the name ends in `.csv`, or nothing else fits | those of the header. The delimiter is found: comma, tab, `;` or `\\|` |
| TSV | `.tsv`, `.tab` | as CSV, with tabs |
| JSONL | `.jsonl`, `.ndjson`, `.json`, or it begins with `{` | the keys. A `.json` file may be one array of objects |
| Parquet | it begins with `PAR1` | its own |
| Excel, OpenDocument | it is a workbook: `.xlsx`, `.xlsm`, `.xlsb`, `.xls`, `.ods` | those of the first row that is not blank. The first sheet is read; `'book.xlsx#Mail'` names another. Needs the extra `excel` |
| SQLite | it begins with `SQLite format 3` | those of its table. If there are several tables, `'mail.db#mail'` names one. The database is opened to be read only |
| fastText | it begins with `__label__` | `label`, `text` |
| lines | `--format lines`, or in `predict`: standard input that looks like nothing else, and a file of one column whose name does not end in `.csv` or `.tsv` | `text`: one a line, blank or not |
| mailbox | the name ends in `.mbox`, it begins as a mailbox does, or `--format mbox` | `mail`: its number; `text`: as of a mail. Of several mailboxes, `label`: the name of the mailbox |
| mail | the name ends in `.eml`, or `--format eml` | `path`, `text`: the subject, and the body as plain text, without attachments |
| folder | it is a folder | `path`, `label`, `text`: one text or mail a file, the label is the name of the sub-folder. A mailbox (`.mbox`) has many mails; beside the sub-folders, its name is the label |
| text | `--format text`, or in `predict`: DATA that is no file and does not look like one | `text`: DATA itself |

`--format` overrules this. Files compressed by gzip or Zstandard are known by their first bytes; in a name, `.gz`
and `.zst` are passed over: `mail.csv.gz` is CSV. A pattern in quotes, `'mail/*.csv'`, is expanded by nabi. Text is
UTF-8, or UTF-16 where a byte order mark says so; `--encoding latin-1` names any other.

For `predict`, a folder needs no sub-folders: each file in it, and in folders in it, is a text. Files whose names end in `.eml` are mails, those in
`cur` and `new` of a Maildir are, and with `--format eml` all files are. HTML in a mail becomes plain text. No mail is an error: what is malformed is read as far as it goes.

In a folder, a pipe, a device or a link to nothing is a bad row; a pattern that finds one is an error. A pipe that is named by itself is
read. Standard input, pipes and files in other encodings are copied to the temporary folder (`TMPDIR`) while they are read: at most half
of its free space is taken, and the copy is gone when the command ends, also by an error or a signal.

`--sql` takes a query of [DuckDB](https://duckdb.org) in place of files, and so whatever DuckDB can read:

```console
$ printf 'body,folder,year\\nwin a prize,spam,2024\\nlunch at noon,ham,2025\\n' > mail.csv
$ nabi train --sql "select body as text, folder as label from 'mail.csv' where year > 2000" -o mail.nabi
2 rows read = 2 used + 0 rejected
...
$ nabi train --sql "copy (select 1) to 'mail.csv'" -o mail.nabi
nabi: --sql: COPY is not allowed: a query reads only; --sql-unsafe (sql_unsafe=True) lets it write files and fetch extensions
```

A query of DuckDB can do more than read: `COPY` and `EXPORT` write files, `ATTACH` makes databases, `INSTALL` and `LOAD` fetch and run
extensions, some functions (`read_xlsx`, addresses of the web) fetch theirs by themselves, and some (`query(...)`) run SQL of a string.
So a query may read files, change tables in memory, and `ATTACH 'FILE' AS NAME (READ_ONLY)` a database of DuckDB; all else is refused
unless `--sql-unsafe` is given. Give it to queries that you trust.
It can read every file that you can read, with or without that flag.

## Columns

By default, the texts are in the column `text` and the labels in `label`, in upper or lower case. Other columns are named by
`--text` and `--label`; those of a file without a header (`--no-header`) are called 1, 2, and so on. Where a
column is not there, nabi proposes one and reads nothing (unless it is a table: see below):

```console
$ nabi train mail.csv
nabi: mail.csv: no column 'text' and no column 'label'; try --text body --label folder; the columns are 'body', 'folder', 'year'
$ nabi train mail.csv --text body --label floder
nabi: mail.csv: no column 'floder' (did you mean 'folder'?); the columns are 'body', 'folder', 'year'
```

The model file remembers the columns, and `nabi info` shows them. `predict`, `evaluate`, `learn`, `forget`, `calibrate`, `versus` and `prune` then take
them by default; `--text` and `--label` name others. A file without them may have the columns `text` and `label`, or one column only (beside
that of the labels), which is then the text.

```console
$ nabi train mail.csv --text body --label folder -o mail.nabi --quiet
$ nabi predict mail.nabi mail.csv
body,folder,year,predicted
win a prize,spam,2024,spam
lunch at noon,ham,2025,ham
```

## Tables

Where no column is called `text` and there are several beside the label, or with `--columns`, nabi learns from all of
them: strings of several words are texts, short ones and few whole numbers categories, other numbers normally
distributed, `true` and `false` what they are. `--columns` names it otherwise, or leaves a column out with `ignore`; `--best` takes it as it is, and
searches for the event models of the other columns. Where one column is the text, `train`, `tune` and `crossval` say which others are left out.
Empty fields are missing, and say nothing. All commands take them; `explain` takes a row as JSON:

```console
$ printf 'age,about,job\\n41,I teach maths,teacher\\n38,I teach at a school,teacher\\n' > people.csv
$ printf '23,I drive a lorry,driver\\n29,I drive by night,driver\\n' >> people.csv
$ nabi train people.csv --label job -o people.nabi
4 rows read = 4 used + 0 rejected
2 classes: driver 2, teacher 2
  about                text
  age                  gaussian
...
$ printf 'age,about\\n25,I teach driving\\n' | nabi predict people.nabi -
age,about,predicted
25,I teach driving,driver
$ nabi explain people.nabi '{"age": 40}'
teacher  (probability 1.0000)

evidence: above 0 for teacher, below 0 for driver
...
age      40          +...   gaussian: driver mean 26 sd 3; teacher mean 39.5 sd 1.5
...
```

Numbers may be written with a decimal comma (`2,5`, `1.250,5`), with commas between thousands (`1,250.5`), with `%` or with `$`, `€`, `£`, `¥` or `₩`, and `NA`, `N/A`, `n.a.`, `#N/A`, `null`,
`none`, `?`, `.` and dashes in a column of numbers are missing values; a note tells of both. `1,250` may be two numbers, and is none.

In a column that is known to hold numbers, by `--columns age=gaussian` or from the rows before, a field such as `old` is a bad
row when learning; when predicting it counts as missing, and is told. Where a column is still to be inferred, one such field
makes categories of all its values, and a note says so.

```console
$ printf 'size;year;sold\\n2,5;1999;yes\\n3,75;NA;no\\n2,25;2004;yes\\n4,0;2011;no\\n' > houses.csv
$ nabi train houses.csv --label sold -o houses.nabi
4 rows read = 4 used + 0 rejected
...
nabi: column 'size': '2,5' is read as 2.5
nabi: column 'year': 'NA' is read as missing
```

## Bad rows

A row with too many or too few columns, a quote that is never closed, a line that is not JSON, bytes that are not
UTF-8, an empty label: nabi stops at the first of them, names file and line, and writes nothing. With `--skip-bad`
such rows are set aside in a CSV file, with file, line and reason: `--rejects FILE`, otherwise NAME`.rejects.csv`
beside the output NAME, or named after the command that writes none. Neither may be a file that the command reads or writes,
by whatever name or link; and a file that is there already is replaced only if it is such a file of bad rows: anything
else is an error before the first row is read. Bad rows are kept on disk while the data is read, so that their number costs
no memory. Every row that was read is used or rejected:

```console
$ printf 'text,label\\nwin a prize,spam\\nlunch, at noon,ham\\nat noon,ham\\n' > rows.csv
$ nabi train rows.csv -o rows.nabi
nabi: rows.csv:3: expected 2 columns, found 3; --skip-bad sets such rows aside
$ nabi train rows.csv -o rows.nabi --skip-bad
3 rows read = 2 used + 1 rejected (see rows.rejects.csv)
...
$ cat rows.rejects.csv
file,line,reason,row
rows.csv,3,"expected 2 columns, found 3","lunch, at noon,ham"
```

## Standard input and output

`-` as DATA is standard input. `predict` writes CSV to standard output, or JSON lines with `--json`, unless `-o`
names a file; the extension of that file is its format (`.csv`, `.tsv`, `.xlsx`, `.jsonl` or `.parquet`; `.csv.gz` and the like
too). In JSON, which has no NaN and no infinity, such a number of another column is null. Files that are labelled together
are of one format and have the same columns. `explain` without a text reads
one; with a file, it explains the first rows (`--rows N`; with `--json` all, as JSON lines). Results go to standard output; progress (on a terminal only), notes and errors go to standard error. Colours are
for terminals only. Control characters in labels, words and names, which a terminal would obey (and what turns the direction of
writing), are written out: `\\x1b`. Rows of `predict` in a file or a pipe, and JSON, hold them for programs.

For a spreadsheet, `-o labelled.xlsx` writes a workbook: Excel and others open it with every letter as it is, whatever delimiter and encoding they expect of
CSV. Texts are texts there, never formulas, and what is written as a spreadsheet would write the number (`12`, but not `007`) is one. A sheet holds 1,048,576 rows, a
cell 32,767 characters; more is an error. No extra is needed to write it.

In CSV, a spreadsheet runs a field such as `=HYPERLINK(...)` as a formula, and whoever wrote the text may have meant it to. Where the output of `predict` is
opened by one, `--safe-csv` puts an apostrophe before fields that begin with `=`, `+`, `-`, `@`, a tab or a return, numbers excepted. Without it,
strings go out as they came in.

`predict` takes texts in quotes. A file of that name wins; what looks like a file that is not there (it has a slash and no blank, or a known extension, or is
nearly the name of a file) is an error, and `--format text` makes a text of it.

```console
$ nabi predict rows.nabi "win now" "at noon" --proba
text,predicted,proba
win now,spam,...
at noon,ham,...
$ nabi predict rows.nabi win.csv
nabi: win.csv: no such file; if it is a text, add --format text
```

On standard input, `predict` answers a line as soon as it comes, within a few milliseconds (`python -m bench.speed.live`): `tail -f mail.log | nabi predict
mail.nabi -`. Lines that come faster are answered many at a time. So are rows of CSV, for models of texts and of tables, if the header has one kind of delimiter (comma,
semicolon or bar) and no quotes. Other formats, and lines in other encodings, are read to their end first. Ctrl-C ends it without a word.

```console
$ printf 'win now\\n\\nat noon\\n' | nabi predict rows.nabi -
text,predicted
win now,spam
,ham
at noon,ham
```

## JSON

With `--json` a command prints its result as one JSON value, for programs. `predict --json` prints a JSON
object a row; with `-o` it prints what became of the rows.

```console
$ nabi classes rows.nabi --json
{
  "ham": 1.0,
  "spam": 1.0
}
```

## Exit codes

| code | meaning |
|---|---|
| 0 | done |
| 1 | an error: one line on standard error says what came, what was expected and what to type next |
| 2 | the command was typed wrongly; nothing was read |
| 130 | stopped by Ctrl-C (143 by SIGTERM, 129 by SIGHUP); the line says which file was written before, if any |
| 141 | who read the output closed it, as `head` does |

Files are replaced whole or not at all: after an error, Ctrl-C or a power cut, the old one or the new one is there.

```console
$ nabi info nothing.nabi; echo "exit code $?"
nabi: ...nothing.nabi...
exit code 1
$ nabi info; echo "exit code $?"
nabi: Missing argument 'MODEL'. Try `nabi info --help`.
exit code 2
```

## Completion

`nabi --install-completion` makes the shell (bash, zsh, fish) complete commands and options from its next start on;
`nabi --show-completion` prints what it would install.
"""  # noqa: E501


def page() -> str:
    """The page."""
    commands = {name: Command(name, function_of(name)) for name in COMMANDS}
    listed = [
        f"- [`nabi {name}`](#nabi-{name.replace(' ', '-')}): {command.help}"
        for name, command in commands.items()
    ]
    sections = [_section(name, command) for name, command in commands.items()]
    return "\n".join(
        [
            INTRODUCTION,
            *listed,
            "",
            *sections,
            _data_section({name: command.params for name, command in commands.items()}),
            MORE,
        ]
    ).rstrip("\n")


def _section(name: str, command: Command) -> str:
    """A command: what it does, how it is called, what it takes."""
    context = click.Context(command, info_name=name, parent=click.Context(app, info_name="nabi"))
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    lines = [f"## nabi {name}", "", f"{command.help}", "", f"    {usage}", ""]
    lines += ["```sh", *examples(command.function), "```", ""]
    groups = panels(command.params)
    plain = groups.pop("Arguments", []) + groups.pop("Options", [])
    lines += [*_table(plain), ""]
    for title, params in groups.items():
        if title != DATA:
            lines += [f"{title}:", "", *_table(params), ""]
    if DATA in groups:
        lines += ["And the options of [the data](#the-data).", ""]
    return "\n".join(lines)


def _data_section(params: dict[str, list[Any]]) -> str:
    """The options that several commands share, once."""
    shared: dict[str, Any] = {}
    takers: dict[str, list[str]] = {}
    for command, taken in params.items():
        for param in taken:
            if getattr(param, "panel", None) == DATA:
                shared.setdefault(param.name, param)
                takers.setdefault(param.name, []).append(command)
    everyone = max(takers.values(), key=len)
    fewer = [
        f"{_names(shared[name])} is for {_listed(them)} only."
        for name, them in takers.items()
        if them != everyone
    ]
    lines = ["## The data", "", f"Options of {_listed(everyone)}. {' '.join(fewer)}".strip(), ""]
    return "\n".join([*lines, *_table(list(shared.values())), ""])


def _listed(commands: list[str]) -> str:
    """['a', 'b', 'c'] -> '`a`, `b` and `c`'"""
    quoted = [f"`{name}`" for name in commands]
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]] if quoted[1:] else quoted)


def _table(params: list[Any]) -> list[str]:
    rows = [f"| {_names(param)} | {_help(param)} | {_default(param)} |" for param in params]
    return ["| | | default |", "|---|---|---|", *rows]


def _names(param: Any) -> str:
    """`MODEL`, or `-o`, `--output MODEL`"""
    value = (param.metavar or "").replace("|", "\\|")
    if param.param_type_name == "argument":
        return f"`{value}`"
    names = sorted(param.opts, key=len)
    names[-1] = f"{names[-1]} {value}".strip()
    return ", ".join(f"`{name}`" for name in names)


def _help(param: Any) -> str:
    more = " May be given several times." if getattr(param, "multiple", False) else ""
    return (param.help + more).replace("|", "\\|")


def _default(param: Any) -> str:
    if param.required:
        return "required"
    return f"`{default_of(param)}`" if default_of(param) else ""


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    print(page())
