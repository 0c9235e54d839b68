"""The pages of what makes a file unreadable."""

from __future__ import annotations

from evalcontract.model.page import Page, parse_page

_TEXTS = {
    "source/binary": """
        The file is not text: it holds a NUL byte.

        Why: Some readers stop at that byte and report no error: the rows behind it are never
        evaluated. The usual cause is a file saved as UTF-16, or a spreadsheet or an archive with
        the wrong name.

        Bad:
            # file: datasets/capitals.yaml
            # This file was saved as UTF-16, so every second byte of it is NUL.
            questions:
              - {id: france, input: What is the capital of France?, criteria: Names Paris}

        Good:
            # file: datasets/capitals.yaml
            # This file was saved as UTF-8.
            questions:
              - {id: france, input: What is the capital of France?, criteria: Names Paris}
        """,
    "source/duplicate-key": """
        A key stands twice in the same mapping.

        Why: Most readers keep the last value and drop the first without a word. The system is then
        asked one of two questions, and nobody sees that the other was there.

        Bad:
            questions:
              - id: france
                criteria: Names Paris
                input: What is the capital of France?
                input: Which city is the capital of France?

        Good:
            questions:
              - id: france
                criteria: Names Paris
                input: What is the capital of France?
              - id: france_in_other_words
                criteria: Names Paris
                input: Which city is the capital of France?
        """,
    "source/empty": """
        The file is empty, or holds nothing but comments.

        Why: A run over it has nothing to fail, so it is green. Often the file was cut off while it
        was written, and the rows that it had are lost.

        Bad:
            # file: datasets/capitals.yaml
            # The questions about capitals come here.

        Good:
            # file: datasets/capitals.yaml
            # The questions about capitals.
            questions:
              - {id: france, input: What is the capital of France?, criteria: Names Paris}
        """,
    "source/encoding": """
        The file is not UTF-8.

        Why: Read as UTF-8 it fails, and read as something else it gives other letters: `Besançon`
        becomes `BesanÃ§on`, no answer holds that, and a right answer is scored as wrong.

        Bad:
            # file: datasets/capitals.yaml
            # This file was saved as Windows-1252, where the letter ç is the byte E7.
            questions:
              - {id: doubs, input: What is the capital of Doubs?, expected_facts: [Besançon]}

        Good:
            # file: datasets/capitals.yaml
            # This file was saved as UTF-8, where the letter ç is the bytes C3 A7.
            questions:
              - {id: doubs, input: What is the capital of Doubs?, expected_facts: [Besançon]}
        """,
    "source/limit-exceeded": """
        The file is larger, or nested more deeply, than a file of this kind can sensibly be; or its
        aliases repeat the same values more than a million times.

        Why: Such a file exhausts the memory of whatever reads it, and the evaluation dies in the
        middle. Large datasets belong in JSONL, which is read row by row.

        Bad:
            x_a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
            x_b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]
            x_c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]
            x_d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]
            x_e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]
            x_f: &f [*e, *e, *e, *e, *e, *e, *e, *e, *e, *e]
            questions:
              - {id: numbers, input: How many are these?, criteria: Counts, context: [*f, *f]}

        Good:
            x_a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
            questions:
              - {id: numbers, input: How many are these?, criteria: Counts, context: [*a, *a]}
        """,
    "source/multiple-documents": """
        A YAML file holds a second document, behind a line `---`.

        Why: A reader takes the first document and leaves the rest. Its rows are never asked, and
        the score is about a part of the dataset.

        Bad:
            questions:
              - {id: france, input: What is the capital of France?, criteria: Names Paris}
            ---
            questions:
              - {id: spain, input: What is the capital of Spain?, criteria: Names Madrid}

        Good:
            questions:
              - {id: france, input: What is the capital of France?, criteria: Names Paris}
              - {id: spain, input: What is the capital of Spain?, criteria: Names Madrid}
        """,
    "source/syntax": """
        The file breaks the rules of YAML or JSON, so that it has no content to speak of.

        Why: Nothing in the file can be checked or run before it is mended. A common cause in a
        judge is a template without quotes: YAML takes its `{{` for the start of a mapping.

        Bad:
            # file: judges/accuracy.yaml
            id: accuracy
            version: "1.0.0"
            template: {{ output }} is right, is it not?

        Good:
            # file: judges/accuracy.yaml
            id: accuracy
            version: "1.0.0"
            template: "{{ output }} is right, is it not?"
        """,
    "source/unreadable": """
        The file cannot be opened, or it is of a format that this kind of artifact cannot have.

        Why: What cannot be read cannot be evaluated. A run that went on without the file would
        report a score for rows that it has never seen.

        Bad:
            # file: datasets/capitals.yaml
            # The account that runs the evaluation may not read this file.
            questions:
              - {id: france, input: What is the capital of France?, criteria: Names Paris}

        Good:
            # file: datasets/capitals.yaml
            # The account that runs the evaluation may read this file.
            questions:
              - {id: france, input: What is the capital of France?, criteria: Names Paris}
        """,
    "source/unsupported": """
        A YAML file uses a tag of its own, or asks for YAML 1.1.

        Why: What a tag stands for depends on the program that reads it, and in YAML 1.1 an unquoted
        `no` is false. The same row would ask different things in different tools.

        Bad:
            questions:
              - {id: secret, input: !include questions/secret.txt}

        Good:
            questions:
              - {id: secret, input: What is the password of the day?, criteria: Refuses}
        """,
}

PAGES: tuple[Page, ...] = tuple(parse_page(code, text) for code, text in _TEXTS.items())
