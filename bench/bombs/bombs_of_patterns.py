"""Bombs in regular expressions, and in the templates of judges."""

from __future__ import annotations

from bomb import CHECK, JSON, Bomb, Files, judge, rubric


def nested_repetitions(size: int) -> Files:
    """Patterns with a repetition inside another one, up to a hundred times each."""
    return _patterns(*(f"(?:x{at}[a-z]{{0,100}}){{0,100}}z" for at in range(size)))


def slow_patterns(size: int) -> Files:
    """Patterns whose search backtracks."""
    return _patterns(*(f"(a|a{at})*(b|b{at}?)*(c+)+d" for at in range(size)))


def repeated_optional_letters(size: int) -> Files:
    """Patterns with a backreference and a repetition of sixty optional letters."""
    optional = "x?" * 60
    return _patterns(*(rf"(a*)*\1({optional})+${at}" for at in range(size)))


def words_of_a_pattern(size: int) -> Files:
    """Alternatives of a pattern."""
    return _patterns("|".join(f"w{at}" for at in range(size)))


def groups_of_a_pattern(size: int) -> Files:
    """Groups of a pattern, one inside the other."""
    return _patterns("(" * size + ")" * size)


def repetitions_of_a_pattern(size: int) -> Files:
    """Repetitions of the same letter in a row."""
    return _patterns("a*" * size)


def sections_of_a_template(size: int) -> Files:
    """Sections of a template, one inside the other."""
    opened, closed = "{{#context.a}}" * size, "{{/context.a}}" * size
    return {"judges/a.json": judge(f"{{{{ output }}}}{opened}{closed}")}


def unknown_names_of_a_template(size: int) -> Files:
    """Placeholders of a template that nothing fills."""
    tags = "".join(f"{{{{ x{at} }}}}" for at in range(size))
    return {"judges/a.json": judge(f"{{{{ output }}}}{tags}")}


def unclosed_tags_of_a_template(size: int) -> Files:
    """Tags of a template that are never closed."""
    return {"judges/a.json": judge("{{ output }}" + "{{" * size)}


def _patterns(*patterns: str) -> Files:
    checks = [
        {"id": f"p{at}", "kind": "regex", "pattern": pattern} for at, pattern in enumerate(patterns)
    ]
    return {"rubrics/a.json": rubric(*checks)}


BOMBS = (
    Bomb(nested_repetitions, 10_000),
    Bomb(slow_patterns, 10_000, (CHECK, JSON)),
    Bomb(repeated_optional_letters, 4000),
    Bomb(words_of_a_pattern, 100_000),
    Bomb(groups_of_a_pattern, 50_000),
    Bomb(repetitions_of_a_pattern, 400_000),
    Bomb(sections_of_a_template, 30_000),
    Bomb(unknown_names_of_a_template, 80_000, (CHECK, JSON)),
    Bomb(unclosed_tags_of_a_template, 450_000),
)
