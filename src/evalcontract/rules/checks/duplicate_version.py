"""
Two files hold the same version of the same id.

Why: A pinned reference must resolve to one file. With two, it is undefined which one is used.

Bad:
    # file: rubrics/tone.yaml
    id: tone
    version: "1.0"
    checks:
      - {id: no_insults, kind: must_not_contain, values: [stupid]}
    scoring: {combine: all_pass}
    # file: rubrics/tone@1.0.0.yaml
    id: tone
    version: "1.0.0"
    checks:
      - {id: no_insults, kind: must_not_contain, values: [stupid, idiot]}
    scoring: {combine: all_pass}

Good:
    # file: rubrics/tone.yaml
    id: tone
    version: "1.1.0"
    checks:
      - {id: no_insults, kind: must_not_contain, values: [stupid, idiot]}
    scoring: {combine: all_pass}
    # file: rubrics/tone@1.0.0.yaml
    id: tone
    version: "1.0.0"
    checks:
      - {id: no_insults, kind: must_not_contain, values: [stupid]}
    scoring: {combine: all_pass}
"""

from itertools import islice

from evalcontract.model.reference import Kind
from evalcontract.model.values import SHOWN
from evalcontract.rules._rule import Code, Context, Problem, Problems, Related, Rule, Subject, rule

_CODES = {
    Kind.RUBRIC: Code("rubric/duplicate-version", page=__doc__),
    Kind.JUDGE: Code("judge/duplicate-version"),  # its page is a file of `pages/`
}


def _check(subject: Subject, context: Context) -> Problems:
    artifact = subject.artifact
    if artifact.id is None or artifact.version is None:
        return
    twins = context.library.versions(artifact.kind, artifact.id).get(artifact.version, [])
    # Only some of the others are listed: thousands of files may have the same version.
    others = list(islice((twin for twin in twins if twin.file != artifact.file), SHOWN))
    if others:
        count = len(twins) - 1
        who = f"{count:,} other files also define" if count > SHOWN else "another file also defines"
        yield Problem(
            _CODES[artifact.kind],
            f"{who} {artifact.name}",
            ("version",),
            "give one of them a new version, or remove it",
            related=tuple(
                Related("also defined here", ("version",), other.file) for other in others
            ),
        )


RULES: tuple[Rule, ...] = tuple(rule(code)(_check) for code in _CODES.values())
