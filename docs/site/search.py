"""Weights and keywords of pages for the site's search, and queries that check its results."""

from __future__ import annotations

from typing import Any

# Pages that tell of the library's inside, after all others.
_DEVELOPMENT = (
    "architecture",
    "changelog",
    "conduct",
    "contributing",
    "performance",
    "reliability",
    "security",
)
_DETAILS = ("answers", "opponents-training", "vector-reference")  # after the guides
_TABLES = ("several-players", "compatibility", "stability")
# Words that people look for and that no heading of the page has.
_KEYWORDS = {
    "answers.md": ["docker", "conda", "singularity", "jupyter", "colab", "wandb", "tensorboard"],
    "command-line.md": ["command line"],
    "datasets.md": ["offline"],
    "evaluation.md": ["tournament", "league"],
    "index.md": ["license", "licence", "cite", "citation", "bibtex"],
    "start.md": ["tutorial", "getting started"],
    "troubleshooting.md": ["command not found"],
    "install.md": ["ROM"],
    "moving.md": ["import ale_py", "PettingZoo"],
    "performance.md": ["speed", "fps", "benchmarks"],
    "planners.md": ["save state", "clone"],
    "recordings.md": ["film", "video"],
    "starts.md": ["curriculum", "initial state"],
    "single.md": ["action meanings", "lives", "render_mode", "seed", "sticky actions", "video"],
    "vector.md": [
        "frame stacking",
        "max pooling",
        "noop",
        "num_threads",
        "reward clipping",
        "seed",
    ],
}
# What people type, and the page that comes first then.  docs/site/look.py asks the site.
QUERIES = {
    "sticky actions": "single.html",
    "frame skip": "vector.html",
    "ROM": "install.html",
    "autoreset": "vector.html",
    "reward clipping": "vector.html",
    "render_mode human": "single.html",
    "max pooling": "vector.html",
    "self-play": "evaluation.html",
    "opponents": "opponents.html",
    "num_threads": "vector.html",
    "install": "install.html",
    "PettingZoo": "moving.html",
    "torch": "integrations.html",
    "save state": "planners.html",
    "speed": "performance.html",
    "command line": "command-line.html",
    "lives": "single.html",
    "noop": "vector.html",
    "Stable-Baselines3": "integrations.html",
    "import ale_py": "moving.html",
    "action meanings": "single.html",
    "seed": "single.html",
    "video": "recordings.html",
    "license": "index.html",
    "cite": "index.html",
    "fps": "performance.html",
    "docker": "answers.html",
    "conda": "answers.html",
    "offline": "datasets.html",
    "tutorial": "start.html",
    "RAM search": "answers.html",
    "tournament": "evaluation.html",
    "command not found": "troubleshooting.html",
    "error: command not found": "troubleshooting.html",
}


def settings(page: str) -> dict[str, Any]:
    """Return a page's search settings: guides rank first, then games, then the API.

    Args:
        page: Its place in docs/, such as "games/pong.md".
    """
    folder, _, name = page.rpartition("/")
    name = name.removesuffix(".md")
    if folder.startswith("spec"):
        return {"search": {"exclude": True}}
    if folder:
        weight = {"games": 0.3, "environments": 0.3, "development": 0.25, "api": 0.5}.get(
            folder, 0.1
        )
    elif name in _DEVELOPMENT:
        weight = 0.25
    elif name == "c-reference":
        weight = 0.1
    else:
        weight = 2 if name in _TABLES else 4 if name in _DETAILS else 8
    return {"search": {"boost": weight}, "tags": _KEYWORDS.get(page, [])}
