"""The text of a mail: subject and body, of mails of every kind, and never an exception."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nabi.errors import DataError
from nabi.readers import read
from nabi.readers.mails.text import mail_text, plain_text
from rows import rows_of, texts_of

PLAIN = b"Subject: Lunch\r\nFrom: a@b.example\r\n\r\nAt noon?\r\n"
PARTS = b"""Subject: =?utf-8?q?=C3=89t=C3=A9?= and =?iso-8859-1?B?6Q==?=
Content-Type: multipart/mixed; boundary=x

--x
Content-Type: multipart/alternative; boundary=y

--y
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

d=E9j=E0 vu
--y
Content-Type: text/html

<p>not this</p>
--y--
--x
Content-Type: text/plain
Content-Disposition: attachment; filename=a.txt

not that
--x
Content-Type: image/png

never
--x--
"""
HTML = (
    b"Subject: Win\nContent-Type: text/html; charset=utf-8\n\n<h1>A&nbsp;prize</h1> for <b>y</b>ou"
)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (PLAIN, "Lunch\n\nAt noon?"),
        (PARTS, "Été and é\n\ndéjà vu"),
        (HTML, "Win\n\nA prize for you"),
        ("Subject: Grüße\n\nhallo".encode(), "Grüße\n\nhallo"),
        (b"no mail at all", "no mail at all"),
        (b"", ""),
    ],
)
def test_subject_and_body(raw, text):
    assert mail_text(raw) == text


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (b"Content-Type: text/plain; charset=nonsense\n\ncaf\xc3\xa9", "café"),
        (b"Content-Type: text/plain; charset=utf-8\n\ncaf\xe9", "café"),
        (b"Content-Type: text/plain; charset=punycode\n\nabc", "abc"),
        (b"Content-Type: multipart/mixed\n\nno boundary", ""),
        (b"Content-Type: multipart/mixed; boundary=x\n\n--x\n\nnever closed", "never closed"),
        (b"Content-Transfer-Encoding: base64\n\nIWE=!!!", "!a"),
        (b"Content-Type: message/rfc822\n\nSubject: b\n\nc", ""),
    ],
)
def test_what_is_malformed_is_read_as_far_as_it_goes(part, text):
    assert mail_text(b"Subject: =?x?q?a?=\n" + part) == f"a\n\n{text}".strip()


def test_parts_nested_without_an_end_are_no_error():
    nested = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i) for i in range(2000)
    )
    assert isinstance(mail_text(nested), str)


@given(st.binary())
def test_no_bytes_are_an_error(raw):
    for start in (b"", b"Subject: ", b"Content-Type: ", PARTS, HTML):
        mail_text(start + raw).encode()


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<style>p {}</style>a<SCRIPT>b</Script >c<!-- d > -->e", "a c e"),
        ("<p>a<br>b</p>\n<td>c</td><td>d", "a b\nc d"),
        ("1 < 2 &lt;b&gt; <b", "1 < 2 <b>"),
        ("<script>never closed", ""),
        ("<![if x]>a<?php b ?>c<!doctype html>", "a c"),
    ],
)
def test_html_becomes_plain_text(html, text):
    assert plain_text(html) == text


# ---- as data ----


def test_a_mail_is_one_row(tmp_path):
    path = tmp_path / "1.eml"
    path.write_bytes(PLAIN)
    assert texts_of(read(path, labelled=False)) == ["Lunch\n\nAt noon?"]


def test_mails_in_folders_of_classes(tmp_path):
    for name, raw in [("ham/1.eml", PLAIN), ("spam/1.EML", HTML), ("spam/2.txt", b"Subject: a")]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(raw)
    expected = [("Lunch\n\nAt noon?", "ham"), ("Win\n\nA prize for you", "spam")]
    assert rows_of(read(tmp_path)) == [*expected, ("Subject: a", "spam")]
    assert rows_of(read(tmp_path, format="eml")) == [*expected, ("a", "spam")]


def test_parameters_of_a_header_without_an_end():
    kind = b'Content-Type: text/plain; a="' + b";" * 200_000
    assert mail_text(kind + b"\n\nwin now") == "win now"


def test_parameters_behind_a_hundred_are_not_looked_at():
    kind = b"Content-Type: text/plain" + b"; a=b" * 100 + b"; name=a.txt"
    assert mail_text(kind + b"\n\nwin now") == "win now"


def test_a_long_subject_is_cut():
    assert mail_text(b"Subject: " + b"a " * 40_000 + b"\n\nwin") == "a " * 32767 + "a\n\nwin"


def test_a_mailbox_has_a_row_for_each_mail(tmp_path):
    raw = b"From a@b Thu Nov 19 05:05:44 2026\r\nSubject: one\r\n\r\n"
    raw += b"hello\r\n>From you\r\nFrom here\r\n"
    (tmp_path / "inbox.mbox").write_bytes(raw + b"\r\n" + raw.replace(b"one", b"two"))
    for name in ("inbox.mbox", "Inbox"):
        (tmp_path / name).write_bytes((tmp_path / "inbox.mbox").read_bytes())
        reader = read(tmp_path / name, labelled=False, keep=True)
        (part,) = reader
        assert part.texts.to_list() == [
            "one\n\nhello\nFrom you\nFrom here",
            "two\n\nhello\nFrom you\nFrom here",
        ]
        assert (reader.names, reader.where(1)) == (["mail", "text"], f"{tmp_path / name}:8")


def test_a_text_that_begins_with_from_is_no_mailbox(tmp_path):
    (tmp_path / "texts.txt").write_text("From here to there in 2025\nanother text\n")
    (part,) = read(tmp_path / "texts.txt", labelled=False)
    assert len(part) == 2


# ---- mails of classes ----


def mailbox(*subjects):
    mail = "From a@b Thu Nov 19 05:05:44 2026\nSubject: {}\n\nhello\n\n"
    return "".join(map(mail.format, subjects)).encode()


def test_mailboxes_of_a_folder_stand_for_classes(tmp_path):
    (tmp_path / "ham").mkdir()
    (tmp_path / "ham" / "2025.mbox").write_bytes(mailbox("lunch", "noon"))
    (tmp_path / "spam.mbox").write_bytes(mailbox("prize"))
    expected = [("lunch\n\nhello", "ham"), ("noon\n\nhello", "ham"), ("prize\n\nhello", "spam")]
    reader = read(tmp_path)
    assert rows_of(reader) == expected
    assert reader.where(1) == f"{tmp_path}/ham/2025.mbox:6"
    (part,) = read(tmp_path, labelled=False, keep=True)
    paths, labels = (part.columns[i].to_list() for i in (0, 1))
    assert sorted(zip(labels, paths, strict=True)) == [
        ("ham", f"{tmp_path}/ham/2025.mbox:1"),
        ("ham", f"{tmp_path}/ham/2025.mbox:6"),
        ("spam", f"{tmp_path}/spam.mbox:1"),
    ]


def test_several_mailboxes_stand_for_classes_and_a_single_one_does_not(tmp_path):
    (tmp_path / "spam.mbox").write_bytes(mailbox("prize", "win"))
    (tmp_path / "Inbox").write_bytes(mailbox("lunch"))
    (tmp_path / "old.mbox.gz").write_bytes(gzip.compress(mailbox("noon")))
    reader = read(*(tmp_path / name for name in ("spam.mbox", "Inbox", "old.mbox.gz")))
    assert [label for _, label in rows_of(reader)] == ["spam", "spam", "Inbox", "old"]
    with pytest.raises(DataError, match=r"give a mailbox for each class, as in spam\.mbox ham"):
        read(tmp_path / "spam.mbox")


def test_mails_of_a_maildir_are_mails(tmp_path):
    for name in ("spam/cur/17.M1.host:2,S", "spam/new/18.M1.host", "ham/cur/19"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"Subject: =?utf-8?q?=C3=89t=C3=A9?=\n\nhello\n")
    (tmp_path / "spam" / "tmp").mkdir()
    plain = "Subject: =?utf-8?q?=C3=89t=C3=A9?=\n\nhello\n"
    expected = [(plain, "ham"), ("Été\n\nhello", "spam"), ("Été\n\nhello", "spam")]
    assert rows_of(read(tmp_path)) == expected
