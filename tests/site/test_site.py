"""The documentation as a site: built without a warning, whole, with links that lead somewhere."""

from __future__ import annotations

import functools
import http.server
import json
import re
import shutil
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from built_pages import Page, broken_links, is_external, loaded_from_elsewhere, read_pages
from needs import CHROMIUM, DOCS, NODE, missing
from tables import every_case

from evalcontract.cli.command import COMMANDS
from evalcontract.model.codes import SITE, page_url
from evalcontract.structure.schemas import load, names
from evalcontract.workspace.catalogue import KnownCodes

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
# It is built for some forty seconds; `make site`, which CI runs as well, reports what it warns of.
pytestmark = pytest.mark.thorough


@pytest.fixture(name="site", scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not all(map(find_spec, ("sphinx", "furo", "myst_parser", "sphinx_copybutton"))):
        missing(DOCS)
    folder = tmp_path_factory.mktemp("docs") / "site"
    call = [sys.executable, str(ROOT / "docs" / "site" / "build_site.py"), str(folder)]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return folder


@pytest.fixture(name="pages", scope="module")
def read(site: Path) -> dict[str, Page]:
    return read_pages(site)


def test_every_link_leads_to_a_page_and_an_anchor(pages: dict[str, Page], site: Path) -> None:
    assert [*broken_links(pages, site)] == []


def test_nothing_is_loaded_from_elsewhere(pages: dict[str, Page], site: Path) -> None:
    assert [*loaded_from_elsewhere(pages, site)] == []


def test_links_out_of_the_site_are_few_and_safe(pages: dict[str, Page]) -> None:
    """They are not followed; `build/external-links.txt` lists them for whoever wants to."""
    links = {link for page in pages.values() for link in page.links if is_external(link)}
    assert links
    assert {link for link in links if not link.startswith(("https://", "mailto:"))} == set()
    (ROOT / "build").mkdir(exist_ok=True)
    (ROOT / "build" / "external-links.txt").write_text("\n".join(sorted(links)) + "\n")


def test_every_code_has_its_page_at_its_address(pages: dict[str, Page]) -> None:
    addresses = [page_url(code).removeprefix(SITE) for code in KnownCodes()]
    assert addresses
    assert [address for address in addresses if address not in pages] == []


def test_schemas_are_at_their_ids(site: Path) -> None:
    files = [*(ROOT / "schema").rglob("*.schema.json")]
    assert files
    for file in files:
        schema = json.loads(file.read_bytes())
        assert schema["$id"].startswith(f"{SITE}/")
        assert json.loads((site / schema["$id"].removeprefix(f"{SITE}/")).read_bytes()) == schema


def test_hovers_of_editors_lead_to_headings(pages: dict[str, Page]) -> None:
    texts = json.loads((ROOT / "editors" / "schemas" / "texts.json").read_bytes())
    guides = [guide.partition("#") for guide in texts["guides"].values()]
    assert guides
    for name, _, heading in guides:
        assert not heading or heading in pages[f"/{name}/"].anchors, (name, heading)


def test_addresses_of_the_package_are_pages(pages: dict[str, Page]) -> None:
    import tomllib

    urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    ours = [url.removeprefix(SITE) or "/" for url in urls.values() if not is_external(url)]
    assert len(ours) == 4
    assert [url for url in ours if url not in pages] == []


@every_case("name", COMMANDS)
def test_every_command_has_a_page(name: str, pages: dict[str, Page]) -> None:
    assert f"/reference/commands/{name}/" in pages


@every_case("name", names())
def test_every_key_of_a_schema_is_in_its_reference(name: str, site: Path) -> None:
    text = (site / "reference" / name / "index.html").read_text(encoding="utf-8")
    schema = load(name)
    parts = [schema, *schema.get("$defs", {}).values()]
    keys = {key for part in parts for key in part.get("properties", {})}
    assert keys
    spans = {key: '</span> <span class="pre">'.join(key.split()) for key in keys}
    missing = {
        key for key, words in spans.items() if f'<span class="pre">{words}</span>' not in text
    }
    assert missing == set()


def test_every_page_is_within_reach_of_the_home_page(pages: dict[str, Page]) -> None:
    seen, left = set[str](), ["/"]
    while left:
        address = left.pop()
        if address in seen or address not in pages:
            continue
        seen.add(address)
        links = pages[address].links
        left += [_address(address, link) for link in links if not is_external(link)]
    own = {
        address for address in pages if address not in ("/genindex/", "/py-modindex/", "/search/")
    }
    assert own - seen == set()


def _address(page: str, link: str) -> str:
    from urllib.parse import urljoin

    return urljoin(f"{SITE}{page}", link).removeprefix(SITE).partition("#")[0]


@pytest.fixture
def served(site: Path) -> Iterator[str]:
    handler = functools.partial(_Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        del format, args


#: Pages of each sort: what is said, long tables, files, output, generated reference.
SEEN = (
    *("", "comparison/", "quick-start/", "performance/", "commands/", "datasets/", "formats/"),
    *("limits/", "reference/dataset/", "guides/for-authors/", "rules/dataset/near-miss-key/"),
)


def test_pages_fit_a_phone_and_axe_finds_nothing(served: str) -> None:
    """On a desktop and at 360 pixels, light and dark."""
    node, folder = shutil.which("node"), ROOT / "tests" / "node"
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        missing(CHROMIUM)
    if node is None or not (folder / "node_modules" / "axe-core").is_dir():
        missing(NODE)
    command = [node, "site.mjs", chromium, f"{served}/", *SEEN]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []


def test_the_opening_page_has_its_pictures(site: Path) -> None:
    home = (site / "index.html").read_text(encoding="utf-8")
    shown = set(re.findall(r'(?:src|srcset)="(pictures/[^"]+)"', home))
    there = {path.relative_to(site).as_posix() for path in (site / "pictures").iterdir()}
    names = {"near-miss", "editor"} | ({"report"} if shutil.which("chromium") else set())
    assert {path.partition("-light")[0] for path in there if "-light." in path} == {
        f"pictures/{name}" for name in names
    }
    assert shown == there
    assert "<!-- picture" not in home
    terminal = (site / "pictures" / "near-miss-dark.svg").read_text(encoding="utf-8")
    editor = (site / "pictures" / "editor-light.svg").read_text(encoding="utf-8")
    assert "warning[dataset/near-miss-key]" in terminal
    assert "Rename the key to `expected_facts`" in editor


@every_case(
    "query, page",
    [
        ("threshold", "rubrics"),
        ("duplicate id", "rules/dataset/duplicate-id"),
        ("pre-commit", "ci"),
        ("ignore", "ignoring"),
        ("expected_facts", "reference/dataset"),
        ("mlflow", "coming-from-mlflow"),
        ("exit code", "commands"),
        ("VS Code", "editors"),
        ("judge", "judges"),
        ("cannot find rubric", "rules/reference/dangling"),
        ("install", "quick-start"),
    ],
)
def test_search_puts_the_page_that_answers_first(
    query: str, page: str, served: str, tmp_path: Path
) -> None:
    found = _search(served, query, tmp_path)
    assert re.findall(r'<a href="\.\./([^"#?]+)/', found)[0] == page


def test_search_finds_pages_without_a_network(served: str, tmp_path: Path) -> None:
    found = _search(served, "expected_facts", tmp_path)
    assert "../reference/dataset/" in found
    assert "../guides/write-a-rubric/" in found


def _search(served: str, query: str, profile: Path) -> str:
    """Return the results of a search as HTML, best first."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        missing(CHROMIUM)
    calm = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync"
    more = "--disable-background-networking --disable-component-update --virtual-time-budget=10000"
    closed = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
    address = f"{served}/search/?{urlencode({'q': query})}"
    call = [
        browser,
        *calm.split(),
        *more.split(),
        closed,
        f"--user-data-dir={profile}",
        "--dump-dom",
        address,
    ]
    done = subprocess.run(call, capture_output=True, text=True, check=False, timeout=120)
    return done.stdout.partition('<ul role="list" class="search">')[2]
