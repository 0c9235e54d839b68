"""A code: the name of a fault, with its severities; tables of codes, and their manual pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Never, Self, TypedDict

from evalcontract.model.diagnostic import Severity
from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from evalcontract.model.page import Page


class ModeSeverities(NamedTuple):
    """The severities in soft and in strict mode; None reports nothing in that mode."""

    soft: Severity | None
    strict: Severity | None


class Code(str):
    """The name of a fault, such as `dataset/duplicate-id`, declared where it is reported.

    A code is a string, so it can be used like its name. By default, a finding is a warning in soft
    mode and an error in strict mode. Findings are certain unless the code is a `guess`: then they
    depend on what the author probably meant, and may be wrong. `page` is the manual page in the
    form of a rule's docstring; without it, the page is a file of the package (see `read_page`).
    `url` is the address where a code of another package is documented, or None.
    """

    __slots__ = ("docstring", "is_guess", "severities", "url")

    severities: ModeSeverities
    is_guess: bool
    docstring: str | None
    url: str | None

    def __new__(
        cls,
        name: str,
        *,
        soft: Severity = Severity.WARNING,
        strict: Severity = Severity.ERROR,
        guess: bool = False,
        page: str | None = None,
        url: str | None = None,
    ) -> Self:
        """Declare a code."""
        code = super().__new__(cls, name)
        object.__setattr__(code, "severities", ModeSeverities(soft, strict))
        object.__setattr__(code, "is_guess", guess)
        object.__setattr__(code, "docstring", page)
        object.__setattr__(code, "url", url)
        return code

    def __setattr__(self, name: str, value: object) -> Never:
        raise AttributeError(f"a code cannot be changed: {name}")

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        """Return the arguments that recreate the code when it is unpickled."""
        soft, strict = self.severities
        options = {"soft": soft, "strict": strict, "guess": self.is_guess, "page": self.docstring}
        return (str(self),), {**options, "url": self.url}

    def __getstate__(self) -> None:
        """Return no state: the arguments are enough."""

    @property
    def confidence(self) -> str:
        """The confidence of a finding: `guess` or `certain`."""
        return "guess" if self.is_guess else "certain"

    @property
    def page(self) -> Page:
        """The manual page, read on each access."""
        from evalcontract.model.page import parse_page, read_page  # only `explain` shows pages

        return read_page(self) if self.docstring is None else parse_page(self, self.docstring)


class CodeOptions(TypedDict, total=False):
    """The options of `Code` that codes without a page in their module may have."""

    soft: Severity
    strict: Severity
    guess: bool


class CodeTable(Mapping[str, Code]):
    """The codes that a package declares, by name; each is made when it is first looked up.

    `declared` are names of codes, each with the options that these share.

    Raises:
        ValueError: a name is declared twice.

    """

    def __init__(self, *declared: tuple[Iterable[str], CodeOptions]) -> None:
        self._options: dict[str, CodeOptions] = {}
        self._made: dict[str, Code] = {}
        for names, options in declared:
            for name in names:
                if name in self._options:
                    raise ValueError(f"the code {name} is declared twice")
                self._options[name] = options

    def __getitem__(self, name: str) -> Code:
        code = self._made.get(name)
        if code is None:
            code = self._made[name] = Code(name, **self._options[name])
        return code

    def __iter__(self) -> Iterator[str]:
        return iter(self._options)

    def __len__(self) -> int:
        return len(self._options)
