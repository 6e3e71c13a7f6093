"""Texts and labels that would run, hide or break something where they are not shown as text."""

TEXTS = [
    "<script>window.ran = 1</script><img src=x onerror='window.ran = 1'>",
    "</textarea></script><svg onload=window.ran=1> javascript:window.ran=1",
    "\u202egnirts desrever\u202c \u2066isolated\u2069 \u200b\u200d\ufeff שלום مرحبا",
    "\x01\x02\x07\x1b[31m red \x7f \x85 {{constructor.constructor('window.ran=1')()}}",
    "=cmd|' /C calc'!A0 +1 -1 @SUM(1) \"quoted\", comma",
    "__proto__ constructor toString null undefined NaN",
    "long " + "line<b>" * 140_000,
    "𝕳𝖔𝖘𝖙𝖎𝖑𝖊 😀 e\u0301 \ud7ff 나비",
]
LABELS = ["<b onclick=window.ran=1>bold</b>", "\u202e=cmd\u202c __proto__"]
