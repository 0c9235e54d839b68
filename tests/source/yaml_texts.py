"""YAML texts by chance: datasets in every style, as authors and programs write them, and broken.

`whole(chance)` writes a dataset that is meant to be fine; `broken(chance)` changes a few places of
one, or of a small text. The same seed gives the same text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

_ESCAPE = re.compile(r"\\(?:x..|u....|.)")
_NAMED = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\"}


def texts(written: str) -> list[str]:
    """Return texts that are separated by bars, one of which may end a line; escapes are read."""
    parts = written.removeprefix("\n").replace("¦\n", "¦").split("¦")
    return [_ESCAPE.sub(_unescaped, part) for part in parts]


def _unescaped(found: re.Match[str]) -> str:
    escape = found[0]
    return _NAMED.get(escape[1]) or bytes.fromhex(escape[2:].zfill(4)).decode("utf-16-be")


#: Plain texts: words, numbers of every spelling, what other readers take for more than text.
SCALARS = texts(r"""
a¦word¦two words¦it's so¦say "no"¦a#b¦a:b¦http://a.b/c?d=e&f=g#h¦x: y¦a #b¦-¦--¦-a¦?a¦:a¦a:¦
a b: c¦0¦1¦-1¦+1¦007¦0o17¦0O17¦0x1F¦0X1F¦0b11¦0B11¦1_000¦1_¦_1¦1e3¦1E3¦1.e3¦.5¦5.¦-.5¦+.5¦
.5e-3¦1.5.2¦1,000¦1.0¦1.10¦1e400¦-1e400¦12345678901234567890¦123456789012345678901234567890¦
-9223372036854775809¦.inf¦-.inf¦+.inf¦.Inf¦.INF¦.iNF¦inf¦Infinity¦nan¦.nan¦.NaN¦.NAN¦+.nan¦
-.nan¦NaN¦0x¦0o¦0o8¦0xg¦-0x1F¦+0o7¦-0¦+0¦-0.0¦00¦0_1¦1__0¦1e¦e1¦1e+¦1e1_0¦0.1_0¦.¦..¦...¦---¦
-.¦+¦+.¦+-1¦--1¦1-1¦.e1¦0.0e0¦٣¦~¦null¦Null¦NULL¦nULL¦true¦True¦TRUE¦tRUE¦false¦False¦FALSE¦
yes¦No¦on¦OFF¦y¦n¦2026-05-08¦2026-05-08T12:30:00Z¦2026-05-08 12:30:00¦12:30¦1:30:00¦
190:20:30¦<<¦=¦!¦&¦*¦@a¦`a`¦%a¦é¦😀¦日本語¦a\xa0b¦\xa0¦a\u2028b¦a\x85b¦\u200b¦\ufeffa¦a\ufeffb¦
\u3000a¦\x7f¦\x80¦\ufffe¦\ud7ff¦a\x1bb¦[a]¦{a}¦{{ a }}¦a, b¦a]b¦a}b¦[¦]¦{¦}¦,¦a,¦>¦'¦>a¦
a > b¦a & b¦a * b¦a!¦!a¦!!str¦"¦'a'b¦"a"b¦a\tb¦a\t#b""")
CLEAN = texts(r"""
a¦word¦two words¦it's so¦12¦1.5¦a:b¦a#b¦true¦null¦é😀¦-1""")
TAGS = texts(r"""
!!str¦!!int¦!!float¦!!bool¦!!null¦!!map¦!!seq¦!¦!foo¦!!binary¦!!set¦!!omap¦!!timestamp¦
!<tag:yaml.org,2002:str>¦!!foo¦!a!b¦!%61""")
KEYS = texts(r"""
id¦input¦criteria¦expected¦tags¦metadata¦a b¦x_y¦a-b¦a.b¦a/b¦'k'¦"k"¦"k\\n"¦1¦1.0¦true¦null¦
~¦é¦<<¦=¦yes¦-a¦?k¦!!str k¦&n k¦0x1¦2026-05-08¦¦""¦k#k¦k:k¦*n ¦"1"¦? k\n¦.5""")
ESCAPES = texts(r"""
\\n¦\\t¦\\"¦\\\\¦\\/¦\\x41¦\\u00e9¦\\U0001F600¦\\ud83d\\ude00¦\\e¦\\0¦\\a¦\\_¦\\N¦\\L¦\\P¦
\\ ¦\\\t¦\\q¦\\u12¦\\ud800¦\\\n   ¦\\U00110000¦\\'¦\\x¦\\xe9¦\\u2028¦\\uFEFF¦\\uFFFE¦\\v""")
WORDS = texts(r"""
a¦word¦two words¦it's¦say "x"¦a: b¦# no¦- no¦é😀¦¦¦ in""")
HEADERS = texts(r"""
|¦|¦>¦|-¦>-¦|+¦>+¦|2¦>1¦|2-¦|-2¦>+1¦|1+¦|9¦|0¦| # c¦|# c¦>\t¦|- #c¦|10¦|--¦> a¦|  ¦!!str |¦
&a |¦|2 # c""")
ENDS = texts(r"""
\n¦\n¦\n¦\n\n¦¦\n# c¦\n# c\n¦ ¦\n  ¦\n...¦\n...\n¦\n---\n""")
HEADS = texts(r"""
¦¦¦¦---\n¦--- ¦# c\n¦\n¦%YAML 1.2\n---\n¦%YAML 1.1\n---\n¦%TAG ! !a\n---\n¦%FOO\n---\n¦
--- # c\n¦---\t\n¦ \n¦\t\n¦\ufeff¦--- !!map\n""")
PIECES = texts(r"""
 ¦\n¦\t¦-¦:¦?¦,¦[¦]¦{¦}¦#¦&¦*¦!¦|¦>¦'¦"¦%¦@¦`¦\\¦~¦=¦.¦0¦1¦_¦a¦\n\n¦\r\n¦\r¦: ¦ :¦- ¦? ¦ #¦
# ¦#¦  ¦    ¦\n  ¦\n\t¦ \t¦\t ¦\n#c\n¦\n---\n¦\n...\n¦--- ¦...¦\xa0¦\u2028¦\x85¦\x7f¦\ufeff¦
é¦😀¦\x07¦\ufffe¦&a ¦*a¦*a ¦!!str ¦!foo ¦<<: ¦<<: *a¦[¦]¦{¦}¦[]¦{}¦, ¦,¦''¦""¦'¦"¦|\n¦>\n¦
|-\n¦|2\n¦null¦true¦0x1¦1_0¦0b1¦1¦.5¦\\¦\\n¦a: ¦a:¦- a¦-\n¦-\t¦:\t¦?¦?\n¦:\n¦"a"¦'a'¦"a":¦
"a":b¦::¦:,¦&¦*¦!¦!!int """)
#: Small texts, each with something that readers do not agree on.
SMALL = texts(r"""
{?a: b}\n¦[?a]\n¦{? a: b}\n¦&an:chor x\n¦a: &b:c d\ne: *b:c\n¦"a"# c\n¦[a]#c\n¦a: [b]# c\n¦
a: 'b'#c\n¦[-, a]\n¦[-]\n¦[- a]\n¦{a: -}\n¦[a,-]\n¦a: |# c\n  b\n¦a: [\nb]\n¦a: "b\nc"\n¦
a: 'b\n\tc'\n¦a: [\n\tb]\n¦-\ta\n¦a:\tb\n¦a: |\n  b¦a: >\n  b\n   ¦a: |+\n  b¦
- |\n \n  \n   a\n¦a: |\n\tb\n¦a: b\n\tc\n¦a:\n  b\n\n  c\n¦? a\n: b\n¦? a\n¦? [a]\n: b\n¦
- ? a\n  : b\n¦[a: b]\n¦[a: b, c]\n¦["a":b]\n¦{a: b, c}\n¦{a, b: }\n¦[a, , b]\n¦[,]\n¦[a,]\n¦
{a: b,}\n¦{,}\n¦{: a}\n¦: a\n¦a: :b\n¦[:a]\n¦{a: :b}\n¦{a:b}\n¦--- a\n¦--- |\n  a\n¦
---\na\n...\n¦a: !!int 1\n¦a: !!int '1'\n¦!!map {a: b}\n¦a: !!float 1\n¦a: !!str\n¦
a: !foo b\n¦a: ! 1\n¦<<: {a: 1}\nb: 2\n¦a: &a {b: 1}\nc: {<<: *a, b: 2}\n¦- &a b\n- *a\n¦
a: *b\n¦&a a: b\nc: *a\n¦a: 1\na: 2\n¦1: a\n'1': b\n¦a: {b: 1, b: 2}\n¦a:\n- b\n- c\n¦
a:\n - b\n - c\nd: e\n¦- - a\n  - b\n-\n  - c\n¦-\n  a: b\n  c: d\n¦a: 'b''c'\n¦
a: "b\\\n  c"\n¦a: "b\\  \n  c"\n¦a: b # c\n# d\n\n  # e\nf: g\n¦a: 'b\n\n\n  c'\n¦
a: >\n\n  b\n\n\n  c\n    d\n  e\n¦a: |2\n    b\n   c\n¦a: |\n   b\n  c\n¦
a: >-\n  b\n  # c\n# d\ne: f\n¦a: |+\n\n\nb: c\n¦a: b\r\nc: |\r\n  d\r\n  e\r\n¦a: b\rc: d\r¦
a: "b\r\n  c"\r\n¦\ufeffa: b\n¦a: b\u2028c\n¦a: 'b\x85c'\n¦a: |\n  b\u2028  c\n¦{a: b}: c\n¦
[a]: b\n¦a: [b\n  ,c]\n¦a: {b\n : c}\n¦a: [b]\n  \n¦a: {b: c\n}\n¦a:\n  [b,\n  c]\n¦
a: b: c\n¦a: [b: c: d]\n¦a: 'b': c\n¦'a\n b': c\n¦[a\n b: c]\n¦{a\n b: c}\n¦{'a\n b': c}\n¦
a:\n\n\n  b\n¦a: b\n ---\n¦a: b\n---c\n¦a: |\n  b\n---\n¦a: 'b\n--- c'\n¦a: b\n...\n# c\n¦
# c\n¦¦\n¦...\n¦%YAML 1.2\n---\na\n¦%YAML 1.2 \t# c\n---\na\n¦%a b\n¦a: %b\n¦a: @b\n¦a: &b\n¦
a: &b c: d\n¦&b a: c\n¦&a\nb: c\n¦- &a\n- b\n¦a: !!str &b c\n¦a: &b !!str c\n¦a: &b &c d\n¦
a: &b *c\n¦a: "\\ud83d\\ude00"\n¦a: "\\x41\\/"\n¦a: "b\\tc\td"\n¦a: 'b\\nc'\n¦- a\n -b\n¦
- a\n - b\n¦a: -\n¦a: ?\n¦a: - b\n¦a: -b\n¦-a: b\n¦- -a\n¦-\n¦- \n- \n¦a:\nb:\n¦a: ~\n""")


def _scalar(chance: random.Random) -> str:
    return chance.choice(CLEAN if chance.random() < 0.8 else SCALARS)


def whole(chance: random.Random) -> str:
    """Write a dataset, in a style by chance."""
    text = "".join(_dataset(chance))
    text = (
        (chance.choice(HEADS) if chance.random() < 0.5 else "")
        + text.rstrip("\n")
        + (chance.choice(ENDS) if chance.random() < 0.5 else "\n")
    )
    return text.replace("\n", "\r\n") if chance.random() < 0.08 else text


def broken(chance: random.Random) -> str:
    """Write a text with a few places changed."""
    pick = chance.random()
    text = whole(chance) if pick < 0.3 else chance.choice(SMALL)
    if pick > 0.8:
        text = nested(chance.choice(SMALL), chance)
    for _ in range(chance.choice((0, 1, 1, 1, 2, 2, 3, 4))):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.choice((0, 0, 0, 1, 1, 2, 6)))
        piece = chance.choice(("", *[chance.choice(PIECES)] * 5, chance.choice(SCALARS)))
        text = text[:start] + piece + text[end:]
    return text


def nested(text: str, chance: random.Random) -> str:
    """Put a text below a key or a dash, or two beside each other."""
    head, pad = chance.choice((("a:\n", "  "), ("-\n", " "), ("- ", "  "), ("a:\n  -\n", "    ")))
    lines = text.split("\n")
    inside = "\n".join([lines[0], *(pad + each if each else "" for each in lines[1:])])
    below = head + (inside if head == "- " else pad + inside)
    return below if chance.random() < 0.5 else f"{below}\n{head.replace('a', 'z')}{pad}q\n"


def _dataset(chance: random.Random) -> Iterator[str]:
    dash = chance.choice(("- ", "  - ", "  - ", "    - ", "-   ", "  -\n    "))
    pad = " " * (len(dash) if "\n" not in dash else 4)
    yield "questions:\n" if chance.random() < 0.9 else "questions: # c\n\n"
    for number in range(chance.randint(1, 3)):
        yield f"{dash}id: {chance.choice(('q', 'a b', 'é', '#q', '1'))}{number}\n"
        for _ in range(chance.randint(0, 5)):
            yield from _pair(chance, pad, 0)
            if chance.random() < 0.1:
                yield chance.choice(("\n", "# c\n", f"{pad}# c\n", "   \n", "\t\n"))


def _pair(chance: random.Random, pad: str, depth: int) -> Iterator[str]:
    key = chance.choice(KEYS[:11] if chance.random() < 0.95 else KEYS)
    yield f"{pad}{key}{chance.choice((':', ':', ':', ':', ' :'))}"
    yield from _value(chance, pad, depth)


def _value(chance: random.Random, pad: str, depth: int) -> Iterator[str]:
    tag = f" {chance.choice(TAGS)}" if chance.random() < 0.03 else ""
    anchor = chance.choice((" &n", " &m")) if chance.random() < 0.04 else ""
    yield tag + anchor
    kind = chance.randrange(12 if depth < 3 else 9)
    end = chance.choice(("\n", "\n", "\n", "\n", " # c\n", "  \n", "\t\n", " #\n"))
    if kind < 4:
        yield chance.choice((*[" "] * 9, "  ", "\t", " \t")) + _scalar(chance) + end
    elif kind == 4:
        yield f" {_quoted(chance, pad)}{end}"
    elif kind == 5:
        yield f" {flow(chance, 0)}{end}"
    elif kind == 6:
        yield from _block_text(chance, pad)
    elif kind == 7:
        lines = [chance.choice(WORDS) for _ in range(chance.randint(1, 4))]
        yield f" {lines[0] or 'a'}"
        yield "".join(f"\n{pad}  {each}".rstrip(" ") for each in lines[1:]) + "\n"
    elif kind == 8:
        yield chance.choice((" *n\n", " *m\n", "\n", " ~\n", f" {end}", end))
    elif kind == 9:
        yield end
        for _ in range(chance.randint(1, 3)):
            yield f"{pad}{chance.choice(('', '  '))}-"
            yield from _value(chance, f"{pad}  ", depth + 1)
    else:
        yield end
        for _ in range(chance.randint(1, 3)):
            yield from _pair(chance, f"{pad}  ", depth + 1)


def _quoted(chance: random.Random, pad: str) -> str:
    parts = [
        chance.choice(ESCAPES) if chance.random() < 0.1 else chance.choice(WORDS)
        for _ in range(chance.randint(1, 4))
    ]
    gap = chance.choice(
        (" ", " ", "", f"\n{pad}  ", f"\n\n{pad}  ", f" \n{pad}\t", f"\n{pad[:-2]}")
    )
    if chance.random() < 0.5:
        return "'" + gap.join(parts).replace("'", "''") + "'"
    return (
        '"' + gap.join(part if "\\" in part else part.replace('"', '\\"') for part in parts) + '"'
    )


def flow(chance: random.Random, depth: int) -> str:
    """Write a collection in brackets or braces."""
    parts = [_part(chance, depth) for _ in range(chance.randint(0, 3))]
    comma = chance.choice((", ", ", ", ",", " , ", ",\n      ", ", # c\n     ", "\n      ,"))
    last = chance.choice(("", "", "", ",", " ", ", ", "\n     "))
    if chance.random() < 0.5:
        return f"[{comma.join(parts)}{last}]"
    keys = [chance.choice((*KEYS[:14], *SCALARS[:20])) for _ in parts]
    colon = chance.choice((": ", ": ", ": ", ":", " : ", " :", ":\n      "))
    pairs = (f"{key}{colon}{part}" for key, part in zip(keys, parts, strict=True))
    return f"{{{comma.join(pairs)}{last}}}"


def _part(chance: random.Random, depth: int) -> str:
    pick = chance.random()
    if pick < 0.2 and depth < 2:
        return flow(chance, depth + 1)
    if pick < 0.35:
        return _quoted(chance, "      ")
    return _scalar(chance)


def _block_text(chance: random.Random, pad: str) -> Iterator[str]:
    yield f" {chance.choice(HEADERS[:5] if chance.random() < 0.7 else HEADERS)}\n"
    for _ in range(chance.randint(0, 4)):
        deeper = chance.choice(("  ", "  ", "  ", "   ", "    ", "  \t", "", " "))
        word = chance.choice(WORDS)
        yield f"{pad}{deeper}{word}\n" if word or chance.random() < 0.3 else "\n"
