"""What a JSON Schema describes, what a JSON value holds of it, and the same schema with nothing else allowed."""

from __future__ import annotations

from collections.abc import Iterator
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


def described(schema: Schema, whole: Schema, at: str = "") -> Iterator[Seen]:
    """Yield every place that a schema describes, with each type that may stand there."""
    schema = _resolved(schema, whole)
    for kind in _types(schema):
        yield at, kind
    for key, each in schema.get("properties", {}).items():
        yield from described(each, whole, f"{at}.{key}")
    if "items" in schema:
        yield from described(schema["items"], whole, f"{at}[]")
    for each in schema.get("oneOf", ()):
        yield from described(each, whole, f"{at}<{_form(each, whole)}>")


def held(value: Any, schema: Schema, whole: Schema, at: str = "") -> Iterator[Seen]:
    """Yield every place that a schema describes and a value holds, with the type that stands there."""
    schema = _resolved(schema, whole)
    if "oneOf" in schema:
        [schema] = [each for each in schema["oneOf"] if _form(each, whole) == value["schema"]]
        yield from held(value, schema, whole, f"{at}<{value['schema']}>")
        return
    allowed = _types(schema)
    found = {dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null"}.get(type(value))
    yield at, found or ("integer" if "integer" in allowed else "number")
    if isinstance(value, list):
        for each in value:
            yield from held(each, schema["items"], whole, f"{at}[]")
    if isinstance(value, dict):
        for key, each in schema.get("properties", {}).items():
            if key in value:
                yield from held(value[key], each, whole, f"{at}.{key}")


def _resolved(schema: Schema, whole: Schema) -> Schema:
    found: Schema = whole["$defs"][schema["$ref"].removeprefix("#/$defs/")] if "$ref" in schema else schema
    return found


def _form(schema: Schema, whole: Schema) -> str:
    return str(_resolved(schema, whole)["properties"]["schema"]["const"])


def _types(schema: Schema) -> list[str]:
    if "enum" in schema or "const" in schema:
        return ["string"]
    kinds = schema.get("type", [])
    return [kinds] if isinstance(kinds, str) else list(kinds)
