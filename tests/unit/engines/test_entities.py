"""The table of HTML entities is whole: what is not in it is the character of its code point."""

from html import unescape

from nabi.engines.entities import entity_values


def test_every_number_that_is_not_its_character_is_in_the_table():
    values = entity_values()
    codes = [*range(0xD800), *range(0xE000, 0x110000)]
    numbered = {i: text for i in codes if (text := unescape(f"&#{i};")) != chr(i)}
    assert {name: text for name, text in values.items() if name[0] == "#"} == {
        f"#{i}": text for i, text in numbered.items()
    }


def test_names_have_their_text():
    values = entity_values()
    assert (values["amp;"], values["NotEqualTilde;"], values["#150"]) == ("&", "≂̸", "–")
    assert "amp" not in values
