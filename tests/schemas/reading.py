"""What a JSON Schema describes, what a JSON value holds of it, and the same schema with nothing else allowed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

Schema: TypeAlias = dict[str, Any]
Seen: TypeAlias = tuple[str, str]  # where, and which type


def strict(schema: Any) -> Any:
    """Return a schema that refuses every key that it does not describe."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {"additionalProperties": False} if "properties" in schema and "required" in schema else {}
    return {**closed, **{key: strict(value) for key, value in schema.items()}}


def within(schema: Any) -> Iterator[Schema]:
    """Yield a schema and all that it is made of; a mapping of keys to schemas is one of these too."""
    if isinstance(schema, dict):
        yield schema
    for each in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from within(each)


def required(schema: Schema, at: str) -> Iterator[str]:
    """Yield the required keys of every object, one line each; not of forms in others."""
    if " " in at and "title" in schema:
        return
    if schema.get("required"):
        yield f"{at}: {' '.join(schema['required'])}"
    for key, part in schema.get("properties", {}).items():
        yield from required(part, f"{at} {key}" if " " not in at else f"{at}.{key}")
    if "items" in schema:
        yield from required(schema["items"], f"{at}[]")


def described(schema: Schema, at: str = "") -> Iterator[Seen]:
    """Yield every place that a schema describes, with each type that may stand there."""
    for kind in _types(schema):
        yield at, kind
    for key, each in schema.get("properties", {}).items():
        yield from described(each, f"{at}.{key}")
    if "items" in schema:
        yield from described(schema["items"], f"{at}[]")
    for each in _forms(schema):
        yield from described(each, f"{at}<{_form(each)}>")


def held(value: Any, schema: Schema, at: str = "") -> Iterator[Seen]:
    """Yield every place that a schema describes and a value holds, with the type that stands there."""
    if _forms(schema):
        [schema] = [each for each in schema["oneOf"] if _form(each) == value["schema"]]
        yield from held(value, schema, f"{at}<{value['schema']}>")
        return
    allowed = _types(schema)
    found = {dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null"}.get(type(value))
    yield at, found or ("integer" if "integer" in allowed else "number")
    if isinstance(value, list):
        for each in value:
            yield from held(each, schema["items"], f"{at}[]")
    if isinstance(value, dict):
        for key, each in schema.get("properties", {}).items():
            if key in value:
                yield from held(value[key], each, f"{at}.{key}")


def shortened(value: Any) -> Any:
    """Return a value whose lists have two entries at most; of more nothing else is asked."""
    if isinstance(value, list):
        return [shortened(each) for each in value[:2]]
    return {key: shortened(part) for key, part in value.items()} if isinstance(value, dict) else value


def spoilt(whole: Any, schema: Schema) -> Iterator[tuple[str, Any]]:
    """Yield a value with one thing wrong at a time, and what: a key is gone, a type another, a number out of range."""
    done: set[str] = set()

    def changed(value: Any, schema: Schema, at: str) -> Iterator[tuple[str, Any]]:
        if at in done:
            return
        done.add(at)
        if _forms(schema):
            [schema] = [each for each in schema["oneOf"] if _form(each) == value["schema"]]
        if isinstance(value, list) and value:
            for what, other in [*_others(value[0], schema["items"]), *changed(value[0], schema["items"], f"{at}[]")]:
                yield f"{at}[]: {what}", [other, *value[1:]]
        if isinstance(value, dict):
            for key in schema.get("required", ()):
                yield f"{at}.{key}: gone", {name: part for name, part in value.items() if name != key}
            for key, part in schema.get("properties", {}).items():
                if key in value:
                    for what, other in [*_others(value[key], part), *changed(value[key], part, f"{at}.{key}")]:
                        yield f"{at}.{key}: {what}", {**value, key: other}

    yield from changed(whole, schema, "")


def _others(value: Any, schema: Schema) -> Iterator[tuple[str, Any]]:
    """Yield values that must not stand where a value stands."""
    kinds = _types(schema)
    wrong = {"object": {}, "array": [], "string": "NaN", "boolean": True, "null": None, "number": 0.5}
    for kind, other in wrong.items():
        if kinds and kind not in kinds:
            yield f"{kind} for {kinds}", other
    for key, step in (("minimum", -1), ("maximum", 1), ("exclusiveMinimum", 0), ("exclusiveMaximum", 0)):
        if key in schema:
            yield f"{key} {schema[key]}", schema[key] + step
    if "enum" in schema or "const" in schema or "pattern" in schema:
        yield "other text", "another"
    if "minItems" in schema and schema["minItems"] > len(value or ()) - 1:
        yield "too short", (value or [])[: schema["minItems"] - 1]


def _forms(schema: Schema) -> Sequence[Schema]:
    """Return the formats that a schema allows; empty if it has one format, or if oneOf joins a type and null."""
    parts: Sequence[Schema] = schema.get("oneOf", ())
    return parts if all("properties" in part for part in parts) else ()


def _form(schema: Schema) -> str:
    return str(schema["properties"]["schema"]["const"])


def _types(schema: Schema) -> list[str]:
    if "enum" in schema or "const" in schema:
        return ["string"]
    if "oneOf" in schema and not _forms(schema):
        return [kind for each in schema["oneOf"] for kind in _types(each)]
    kinds = schema.get("type", [])
    return [kinds] if isinstance(kinds, str) else list(kinds)
