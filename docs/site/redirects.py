"""Pages under their former addresses: each leads to where its text is now."""

from __future__ import annotations

# By their addresses in the site's folder.
MOVED = {"roads.html": "choosing.html"}
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={target}">
<title>Moved</title>
<p>This page is now <a href="{target}">{target}</a>.</p>
</html>
"""


def pages() -> dict[str, str]:
    """The HTML of each former address."""
    return {former: _PAGE.format(target=target) for former, target in MOVED.items()}
