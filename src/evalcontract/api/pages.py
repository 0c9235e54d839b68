"""The page of what goes wrong in evalcontract itself."""

from __future__ import annotations

from evalcontract.model.page import Page, parse_page

PAGES: tuple[Page, ...] = (
    parse_page(
        "internal/rule-crashed",
        """
        A rule of evalcontract, or of a package that adds rules to it, crashed on this file. That is
        a bug of the rule; the file may be right or wrong.

        Why: What the rule looks for was not looked for here. The exit code is 3, so that nobody
        takes a check that did not happen for a check that found nothing.

        Bad:
            # Whatever the rule cannot cope with. Please report the file with the message.
            questions:
              - {id: france, input: What is the capital of France?}

        Good:
            # The same file, with the version of evalcontract in which the rule is mended.
            questions:
              - {id: france, input: What is the capital of France?}
        """,
    ),
)
