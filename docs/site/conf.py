"""The settings of Sphinx. `docs/site/build_site.py` runs it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pygments.lexers import get_lexer_by_name

from evalcontract import __version__
from evalcontract.model.codes import SITE

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "evalcontract"
author = "The evalcontract developers"
version = release = __version__
html_title = f"evalcontract {__version__}"
html_baseurl = f"{SITE}/"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
]
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_search_scorer = str(Path(__file__).with_name("search_scorer.js"))
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_theme_options = {
    "navigation_with_keys": True,
    "footer_icons": [],
}
# The form of addresses: `/judges/`, with the anchors that GitHub gives to headings.
myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]
highlight_language = "text"
# Names of fences that Pygments does not know.
_LEXERS = {"jsonl": "json", "csv": "text", "mustache": "text"}
# A bad example may be no YAML, such as a lock with a conflict.
suppress_warnings = ["misc.highlighting_failure"]
# Of a package that the theme needs: their contrasts are enough for everyone.
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
# Docstrings write code as Markdown does.
default_role = "literal"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
python_use_unqualified_type_names = True
add_module_names = False
toc_object_entries = False
# A prompt is not part of the command that is copied.
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True
copybutton_exclude = ".linenos, .gp, .go"


def setup(app: Sphinx) -> None:
    """Tell Sphinx the languages that Pygments has by another name."""
    for name, other in _LEXERS.items():
        app.add_lexer(name, type(get_lexer_by_name(other)))
