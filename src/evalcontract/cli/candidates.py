"""What may be typed as the value of an argument or option, for the completion of shells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import click

    Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def files(*media: str) -> Complete:
    """Offer the files of some file formats, such as `yaml`, or of all of them; and folders."""

    def offer(
        context: click.Context, parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        del context, parameter
        from evalcontract.source.external import MEDIA  # slow to import

        suffixes = " ".join(name for name, medium in MEDIA.items() if not media or medium in media)
        return [CompletionItem(incomplete, type="file", suffixes=suffixes)]

    return offer


def codes(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offer codes in a list with commas: first their kinds, and then those of a kind."""
    del context, parameter
    from evalcontract.workspace.catalogue import KnownCodes  # slow to import

    done, comma, name = incomplete.rpartition(",")
    return [_after(f"{done}{comma}", item) for item in parts_of_codes(name, KnownCodes())]


def topics(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offer what `explain` explains: kinds, artifacts and keys, and codes by their kinds."""
    del context, parameter
    from evalcontract.report.reference import names_of_topics  # slow to import
    from evalcontract.workspace.catalogue import KnownCodes

    names = names_of_topics() if "/" not in incomplete else []
    found = [CompletionItem(name) for name in names if name.startswith(incomplete)]
    return [*parts_of_codes(incomplete, KnownCodes()), *found]


def parts_of_codes(name: str, known: Iterable[str]) -> list[CompletionItem]:
    """Return the kinds of codes that a name may begin; once it names one, the codes."""
    if "/" not in name:
        kinds = dict.fromkeys(f"{code.partition('/')[0]}/" for code in known)
        return [CompletionItem(kind, type="part") for kind in kinds if kind.startswith(name)]
    return [CompletionItem(code) for code in known if code.startswith(name)]


def dialects(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offer the dialects of datasets."""
    del context, parameter
    from evalcontract.formats import OURS, formats_in_use  # slow to import
    from evalcontract.formats._format import dialects_of

    offered = {OURS: "evalcontract"}
    for format_ in formats_in_use():
        offered |= {str(dialect): format_.title for dialect in dialects_of((format_,))}
    return chosen(offered, incomplete)


def formats(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offer the output formats."""
    del context, parameter
    from evalcontract.report import format_names

    return chosen(dict.fromkeys(format_names()), incomplete)


def report_files(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offer `FORMAT:`, and after it, or without it, files."""
    del context, parameter
    from evalcontract.report import format_names

    name, colon, file = incomplete.partition(":")
    if colon and name in format_names():
        return [CompletionItem(file, type="file", before=f"{name}:")]
    named = [f"{each}:" for each in format_names() if each.startswith(incomplete)]
    offered = [CompletionItem(each, type="part") for each in named] if incomplete else []
    return offered or [CompletionItem(incomplete, type="file")]


def schema_names(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offer the names of schemas."""
    del context, parameter
    from evalcontract.structure import schemas

    return chosen(
        {name: schemas.load(name).get("title") for name in schemas.every_name()}, incomplete
    )


def chosen(offered: Mapping[str, str | None], incomplete: str) -> list[CompletionItem]:
    """Return those of some words, with their descriptions, that begin with what is typed."""
    return [
        CompletionItem(word, help=text)
        for word, text in offered.items()
        if word.startswith(incomplete)
    ]


def _after(done: str, item: CompletionItem) -> CompletionItem:
    return CompletionItem(f"{done}{item.value}", type=item.type, help=item.help)
