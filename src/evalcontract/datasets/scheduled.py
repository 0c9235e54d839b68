"""The rubrics and judges that are to be checked, with the strictest policy that reaches them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.library.references import visit

if TYPE_CHECKING:
    from evalcontract.library.artifact import Artifact
    from evalcontract.library.library import Library
    from evalcontract.policy import Policy


class Scheduled:
    """The artifacts to check.

    `policies` has each artifact by its file, with its policy, joined from the datasets that use it.
    `files` has the files of those that were added, in order.
    """

    def __init__(self) -> None:
        self.policies: dict[str, tuple[Artifact, Policy]] = {}
        self.files: list[str] = []

    def add(self, artifact: Artifact, policy: Policy, library: Library) -> None:
        """Add an artifact, and all artifacts that it refers to."""
        self.files.append(artifact.file)

        def is_new(reached: Artifact) -> bool:
            scheduled = self.policies.get(reached.file)
            joined = scheduled[1].join(policy) if scheduled else policy
            self.policies[reached.file] = (reached, joined)
            return scheduled is None or scheduled[0] is not reached or scheduled[1] != joined

        # What an artifact refers to has at least its policy, unless that has just become stricter.
        visit(artifact, library, is_new)
