"""Reads specs with the files that they extend."""

import yaml


def specs(folder):
    """Each spec of a folder that is built, whole."""
    found = [(path, read(path)) for path in sorted(folder.glob("*.yaml"))]
    return [spec for _, spec in found if spec.get("kind") != "defaults"]


def read(path):
    """A spec; what it says replaces what it extends, key by key, and `~` takes away."""
    own = {}
    for document in yaml.safe_load_all(path.read_text()):
        own = {**document, **own}
    bases = own.pop("extends", None) or []
    whole = {}
    for base in [bases] if isinstance(bases, str) else bases:
        below = read(path.parent / base)
        below.pop("kind", None)
        whole = merged(whole, below)
    return merged(whole, own)


def merged(below, above):
    if not isinstance(below, dict) or not isinstance(above, dict):
        return above
    both = {key: merged(below.get(key), value) for key, value in above.items()}
    return {key: value for key, value in {**below, **both}.items() if value is not None}
