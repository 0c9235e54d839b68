"""What results depend on, and what of it is another in two runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

from evalcontract.checks.php_lint import UNKNOWN
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import NAME_LENGTH, clipped, listed

#: What the lines `used` of results have: by section, names with their values.
Sections = dict[str, dict[str, Any]]


# The sections of what was used, and the keys of provenance, that have the same names.
_MEANINGS = (
    ("artifacts", "rubrics"),
    ("artifacts", "judges"),
    ("files", "files"),
    ("bundles", "bundles"),
)
# Only the bytes of a file are others.
_SAME_MEANING = "was only written differently: it means the same"


class Basis(NamedTuple):
    """What the results of a run depend on: the manifest, and what was used.

    Both are as the lines of results have them. The time is in the manifest and makes no difference.
    `provenance` is the manifest of the dataset, with the digests of meanings, if it is known.
    """

    manifest: Mapping[str, Any]
    used: Sections
    provenance: Mapping[str, Any] | None = None

    def run(self, summary: Mapping[str, Any]) -> dict[str, Any]:
        """Return the content of a run file; `summary` is what the rows come to."""
        beside = {} if self.provenance is None else {"provenance": self.provenance}
        return {"manifest": self.manifest, "used": self.used, "summary": summary, **beside}

    @property
    def meanings(self) -> dict[tuple[str, str], str]:
        """The digests of what things mean, by section and name, as far as they are known."""
        block = self.provenance or {}
        meanings = {
            (section, each["name"]): each["meaning_sha256"]
            for section, key in _MEANINGS
            for each in block.get(key, ())
        }
        if "dataset" in block:
            meanings["dataset", ""] = block["dataset"]["meaning_sha256"]
        return {key: digest for key, digest in meanings.items() if digest is not None}

    def only(self, sections: Sections, artifacts: Container[str]) -> Basis:
        """Return the basis of those rows for which `sections` are used now, and some artifacts."""
        used: Sections = {}
        for section, values in self.used.items():
            known = sections.get(section, {})
            part = {name: values[name] for name in values if name in known or name in artifacts}
            if part:
                used[section] = part
        return self._replace(used=used)


def differences(before: Basis, after: Basis) -> list[str]:
    """Return, as sentences, what an earlier run depended on that is another now.

    What one of the runs does not tell is said to be unknown.
    """
    now = after.meanings
    same = {key for key, digest in before.meanings.items() if now.get(key) == digest}
    is_same = ("dataset", "") in same
    return [
        *_of_file("dataset", before.manifest, after.manifest, means_the_same=is_same),
        *_of_file("outputs", before.manifest, after.manifest),
        *_of_versions(before.manifest, after.manifest),
        *_of_settings(before.manifest, after.manifest),
        *(_of_used(before.used, after.used, same) if _tells_use(before, after) else ()),
    ]


def _tells_use(before: Basis, after: Basis) -> bool:
    """Whether what is not among what was used was not used: results without settings had none."""
    return all("settings" in basis.manifest for basis in (before, after))


def _of_file(
    key: str, before: Mapping[str, Any], after: Mapping[str, Any], *, means_the_same: bool = False
) -> Iterator[str]:
    verb, has = ("are", "have") if key == "outputs" else ("is", "has")
    earlier, now = _name(before[key]["file"]), _name(after[key]["file"])
    digests = before[key].get("sha256"), after[key].get("sha256")
    if None in digests:
        yield f"it is not known whether the {key} {verb} the same: there is no digest"
    elif digests[0] != digests[1]:
        change = _SAME_MEANING if means_the_same else f"{has} other content"
        moved = f"the {key} {verb} {now}, before {earlier}"
        if now == earlier:
            yield f"the {key} {now} {change}"
        else:
            yield f"{moved}; it means the same" if means_the_same else moved


def _of_versions(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    yield from _other("evalcontract is", before["tool"]["version"], after["tool"]["version"])
    if "python" in before and "python" in after:
        yield from _other("Python is", before["python"], after["python"])
    else:
        yield "it is not known whether Python is the same: one of the runs does not tell"


def _of_settings(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    earlier, now = before.get("settings"), after.get("settings")
    if earlier is None or now is None:
        what = "the settings, rubrics, judges, files and programs"
        yield f"it is not known whether {what} are the same: one of the runs does not tell"
        return
    for name in sorted(earlier.keys() | now.keys()):
        values = [listed(each.get(name, ())) or None for each in (earlier, now)]
        yield from _other(f"`{clipped(name)}` is", *values, none="not set")


def _of_used(before: Sections, after: Sections, same: Container[tuple[str, str]]) -> Iterator[str]:
    def both(section: str) -> tuple[dict[str, Any], dict[str, Any]]:
        return before.get(section, {}), after.get(section, {})

    yield from _of_artifacts(*both("artifacts"), same)
    yield from _of_contents("file", *both("files"), same)
    yield from _of_contents("bundle", *both("bundles"), same)
    yield from _of_endpoint(before, after)
    for program, earlier, now in _entries_of_both(*both("programs")):
        if UNKNOWN in (earlier, now):
            yield f"it is not known whether {program.upper()} is the same: its version is unknown"
        else:
            yield from _other(f"{program.upper()} is", earlier, now, none="absent")
    for kind, earlier, now in _entries_of_both(*both("packages")):
        yield from _other(f"checks of the kind `{clipped(kind)}` are run by", earlier, now)


def _of_artifacts(
    before: dict[str, str], after: dict[str, str], same: Container[tuple[str, str]]
) -> Iterator[str]:
    for name, earlier, now in _entries_of_both(before, after):
        if earlier != now:
            means_the_same = ("artifacts", name) in same
            change = _SAME_MEANING if means_the_same else "has other content under the same version"
            yield f"{clipped(name, NAME_LENGTH)} {change}"
    removed_names, new = _by_id(before.keys() - after.keys()), _by_id(after.keys() - before.keys())
    for id_ in sorted(removed_names.keys() | new.keys()):
        earlier_names, names = removed_names.get(id_, []), new.get(id_, [])
        if len(earlier_names) == len(names) == 1:
            yield f"{names[0]} is used, before {earlier_names[0]}"
            continue
        yield from (f"{name} is used now, and was not before" for name in names)
        yield from (f"{name} is not used any more" for name in earlier_names)


def _by_id(names: Iterable[str]) -> dict[str, list[str]]:
    """Return names of artifacts by what they are without their version."""
    by_id: dict[str, list[str]] = {}
    for name in sorted(names):
        by_id.setdefault(name.partition("@")[0], []).append(clipped(name, NAME_LENGTH))
    return by_id


def _of_contents(
    what: str,
    before: dict[str, str | None],
    after: dict[str, str | None],
    same: Container[tuple[str, str]],
) -> Iterator[str]:
    for name in sorted(before.keys() | after.keys()):
        subject = f"the {what} {_name(name)}"
        if name not in after:
            yield f"{subject} is not used any more"
        elif name not in before:
            yield f"{subject} is used now, and was not before"
        elif before[name] != after[name]:
            is_there = before[name] is not None and after[name] is not None
            changed = "could not be read before" if after[name] else "cannot be read any more"
            if is_there:
                changed = _SAME_MEANING if (f"{what}s", name) in same else "has other content"
            yield f"{subject} {changed}"


def _of_endpoint(before: Sections, after: Sections) -> Iterator[str]:
    """Yield how judges are asked differently, if both runs had judges to ask."""
    earlier, now = before.get("endpoint"), after.get("endpoint")
    if earlier is not None and now is not None:
        hosts = earlier.get("host"), now.get("host")
        if hosts[0] != hosts[1]:
            yield from _other("judges are asked at", *hosts, none="no endpoint")
        elif earlier != now:
            yield f"judges are asked at another address of {hosts[1]}"
        if None in hosts:
            return
    yield from _of_own_endpoints(before, after)
    for judge, *models in _entries_of_both(before.get("models", {}), after.get("models", {})):
        yield from _other(f"{clipped(judge, NAME_LENGTH)} is asked over", *models, none="no model")
    for judge, *prompts in _entries_of_both(before.get("prompts", {}), after.get("prompts", {})):
        if prompts[0] != prompts[1] and None not in prompts:
            yield f"the prompt around the template of {clipped(judge, NAME_LENGTH)} is another one"
    if earlier is None or now is None:  # they are told with the endpoints of judges
        return
    parameters = before.get("parameters", {}), after.get("parameters", {})
    for name in sorted(parameters[0].keys() | parameters[1].keys()):
        values = [json.dumps(each[name]) if name in each else None for each in parameters]
        yield from _other(f"the parameter `{clipped(name)}` is", *values, none="not sent")


def _of_own_endpoints(before: Sections, after: Sections) -> Iterator[str]:
    """Yield which judges are asked elsewhere, where one of them has an endpoint of its own."""
    own = before.get("endpoints", {}), after.get("endpoints", {})
    for judge, *_ in _entries_of_both(before.get("models", {}), after.get("models", {})):
        was, is_ = (each.get(judge) for each in own)
        if was != is_:
            where = [_where(each) for each in (was, is_)]
            same = where[0] == where[1]
            name = clipped(judge, NAME_LENGTH)
            if same:
                yield f"{name} is asked in another way, or at another address, of {where[1]}"
            yield from _other(f"{name} is asked at", *where)


def _where(endpoint: Mapping[str, Any] | None) -> str:
    """Return where a judge is asked that has an endpoint of its own, or has none."""
    if endpoint is None:
        return "the endpoint of all judges"
    return f"{endpoint.get('host')} (`{endpoint.get('provider')}`)"


def _entries_of_both(
    before: dict[str, Any], after: dict[str, Any]
) -> Iterator[tuple[str, Any, Any]]:
    for name in sorted(before.keys() & after.keys()):
        yield name, before[name], after[name]


def _other(
    subject: str, before: str | None, now: str | None, *, none: str = "nothing"
) -> Iterator[str]:
    """Yield what something is and was, if that is not the same; `none` is said for None."""
    if before != now:
        earlier, later = (none if each is None else clipped(each) for each in (before, now))
        yield f"{subject} {later}, before {earlier}"


def _name(name: str) -> str:
    return f"`{clipped(name, NAME_LENGTH)}`"


#: Returns a value as JSON, in one line.
to_json = json.JSONEncoder(ensure_ascii=False).encode
_BETWEEN = "\x1e"


def each_as_json(values: Sequence[Any], encode: Callable[[Any], str] = to_json) -> Sequence[str]:
    """Return each value as JSON. One call for all of them takes a third of the time of many."""
    alternating = [each for value in values for each in (value, _BETWEEN)][:-1]
    texts = encode(alternating)[1:-1].split(f", {encode(_BETWEEN)}, ")
    # A list in a value may have the same text between others.
    return texts if len(texts) == len(values) else [*map(encode, values)]


def json_line(content: dict[str, Any]) -> str:
    """Return a line of results."""
    return to_json(content) + "\n"


def manifest_line(manifest: Mapping[str, Any]) -> str:
    """Return the first line: what the results depend on, as far as it is known at the start."""
    return json_line({"manifest": dict(manifest)})


def used_line(used: Sections) -> str:
    """Return the line before the first results that depend on something; nothing without any."""
    return json_line({"used": used}) if used else ""
