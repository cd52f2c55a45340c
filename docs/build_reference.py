"""Write the pages of docs/reference from the program itself; --check compares."""

from __future__ import annotations

import json
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

from saidonce.app import base_metrics, metrics
from saidonce.foundation.settings.policy import Settings
from saidonce.interfaces.cli import walk
from saidonce.interfaces.http.server import TAGS, described
from saidonce.interfaces.views.catalogue import LINES, schema

FOLDER = Path(__file__).parent / "reference"


@cache
def of_commands() -> dict[str, Any]:
    """Return the JSON schema of what commands print; making it takes a second."""
    return schema()


@cache
def of_api() -> dict[str, Any]:
    """Return the OpenAPI document; making it takes a second."""
    return described().openapi()


def settings_page() -> str:
    """Every setting: name, default, unit, what it does, where the default comes from."""
    lines = [
        "# Settings",
        "",
        "`SAIDONCE_<NAME>` in the environment, or `<name>` in `saidonce.toml` in the working directory (or `--config",
        "FILE`). An option given on the command line wins over the environment, the environment over the file.",
        "Malformed values and unknown keys are refused at start. `saidonce settings` shows the values now.",
        "*Specification* means that the default is a requirement of the product, not one that was measured.",
        "",
        "| setting | default | unit | what it does | source |",
        "|---|---|---|---|---|",
    ]
    for name, info in Settings.model_fields.items():
        extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
        default = json.dumps(info.default, default=str)
        lines.append(f"| `{name}` | `{default}` | {extra.get('unit', '')} | {info.description} | {_source(extra)} |")
    return "\n".join(lines) + "\n"


def _source(extra: dict[str, Any]) -> str:
    """Return where a default comes from, in words for readers: they do not have the requirement documents."""
    source = str(extra.get("source", ""))
    return "specification" if source.startswith("seed") else source


def commands_page() -> str:
    """Every command with its help, arguments and options."""
    codes = (
        "Exit codes: 0 done, 1 failed, 2 wrong use, 3 some sources were refused, 4 blocked by a gate, 130 interrupted."
    )
    lines = ["# Commands", "", codes, ""]
    for path, command in walk():
        if command.hidden:
            continue
        lines += [f"## {path}", "", (command.help or "").strip(), ""]
        for parameter in command.params:
            kind = parameter.param_type_name
            shown = ", ".join(f"`{o}`" for o in [*parameter.opts, *parameter.secondary_opts])
            lines.append(f"- {kind} {shown}: {getattr(parameter, 'help', '') or ''}")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def metrics_page() -> str:
    """Every Prometheus series of the library."""
    lines = [
        "# Metrics",
        "",
        "Prometheus series in the default registry of the process that uses the library (setting `metrics_enabled`).",
        "",
        "Those that begin with `saidonce_base_` are read from the database when `/metrics` is asked for, and show",
        "what commands and workers did, too. At most 100 organisations have series of their own; the others are",
        "summed up.",
        "",
        "| series | kind | labels | what it counts |",
        "|---|---|---|---|",
    ]
    for one in (*metrics.SERIES, *base_metrics.SERIES):
        (told,) = one.describe()
        labels = ", ".join(one._labelnames)
        lines.append(f"| `{told.name}` | {told.type} | {labels} | {told.documentation} |")
    return "\n".join(lines) + "\n"


def schema_file() -> str:
    """Return the JSON schema of what commands print with --json, a definition a line."""
    whole = of_commands()
    parts = []
    for name, value in whole.items():
        if name in ("answers", "$defs"):
            rows = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value[key])}" for key in value)
            parts.append(f" {json.dumps(name)}: {{\n{rows}\n }}")
        else:
            parts.append(f" {json.dumps(name)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def json_page() -> str:
    """Every JSON answer of commands and API, and each noun in them with its fields."""
    nouns = {**_answers_of(of_api()), **of_commands()["$defs"]}
    lines = [
        "# JSON shapes",
        "",
        "`--json` prints one document on standard output, ASCII only; where the table says *lines*, one a line. Times",
        "are ISO 8601 with their offset, ids 32 hexadecimal digits, shares and similarities 0 to 1. New fields may be",
        "added; the ones here stay. [schema.json](schema.json) is the JSON schema, [api.md](api.md) lists the routes.",
        "",
        "| command | answer |",
        "|---|---|",
    ]
    for name, answer in of_commands()["answers"].items():
        lines.append(f"| `{name}` | {_type(answer)}{', *lines*' if name in LINES else ''} |")
    lines += ["", "## Nouns", ""]
    for name, noun in sorted(nouns.items()):
        if "properties" in noun:
            lines += [f"### {name}", "", *_noun(noun), ""]
    lines += ["## Values", ""]
    lines += [f"- <a id=\"{name.lower()}\"></a>{name}: {', '.join(map(str, noun.get('enum', ['any JSON value'])))}"
              for name, noun in sorted(nouns.items()) if "properties" not in noun]  # fmt: skip
    return "\n".join(lines) + "\n"


def _answers_of(document: dict[str, Any]) -> dict[str, Any]:
    """Return the definitions that answers of the API consist of, and those inside of what is sent to it."""
    schemas = document["components"]["schemas"]
    named: set[str] = set()
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    sent = [body for o in operations for body in o.get("requestBody", {}).get("content", {}).values()]
    waiting = [operation["responses"] for operation in operations]
    waiting += [schemas[body["schema"]["$ref"].rpartition("/")[2]] for body in sent]
    while waiting:
        for name in set(_REF.findall(json.dumps(waiting.pop()))) - named:
            named.add(name)
            waiting.append(schemas[name])
    return {name: schemas[name] for name in named}


def _noun(noun: dict[str, Any]) -> list[str]:
    """Show what a noun is, and its fields."""
    lines = [*noun["description"].splitlines(), ""] if "description" in noun else []
    return [*lines, *(f"- `{name}`: {_type(field)}{_says(field)}" for name, field in noun["properties"].items())]


def _says(field: dict[str, Any]) -> str:
    return f"; {' '.join(field['description'].split())}" if field.get("description") else ""


def _type(of: dict[str, Any]) -> str:
    """Return a type in words."""
    if not isinstance(of, dict):
        return "any value"
    if "$ref" in of:
        name = of["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in of:
        return " or ".join(dict.fromkeys(map(_type, of["anyOf"])))
    if of.get("type") in ("array", "object"):
        inner = of.get("items") or of.get("additionalProperties") or {"anyOf": of.get("prefixItems", [{}])}
        return f"{'list' if of['type'] == 'array' else 'object'} of {_type(inner)}"
    if "enum" in of:
        return " or ".join(f"`{value}`" if value else "empty" for value in of["enum"])
    return "time" if of.get("format") == "date-time" else str(of.get("type", "any value"))


def _linked(of: dict[str, Any]) -> str:
    """Return a type in words, for another page than that of the nouns."""
    return _type(of).replace("](#", "](json.md#")


def api_page() -> str:
    """Every route of the API: who may ask, what is sent, what is answered."""
    document = of_api()
    schemes = document["components"]["securitySchemes"]
    lines = [
        "# API",
        "",
        *(f"- **{name}**: {scheme['description']}" for name, scheme in schemes.items()),
        "",
        "A refused request is answered with `error` and `message`. A running server shows its routes at `/docs`, and",
        "their OpenAPI document at `/openapi.json`. `/api/gate/...`, `/api/conversations...`, `/api/issues...` and",
        "`/api/homes...` without `v1` still answer, with a `Deprecation` header and a `Link` to the path to use.",
        "",
    ]
    for tag in TAGS:
        lines += [f"## {tag['name']}", "", tag["description"], ""]
        for path, operations in document["paths"].items():
            for method, operation in operations.items():
                if tag["name"] in operation["tags"]:
                    lines += [f"### {method.upper()} {path}", "", *_route(operation, document["components"]["schemas"])]
    return "\n".join(lines).rstrip() + "\n"


def _route(operation: dict[str, Any], schemas: dict[str, Any]) -> list[str]:
    """One route."""
    (scope,) = operation["security"][0].values()
    lines = [f"{operation['summary']}. {operation['description']} Scope: {scope[0]}.", ""]
    for one in operation.get("parameters", []):
        needed = ", needed" if one["required"] else ""
        lines.append(f"- {one['in']} `{one['name']}`: {_linked(one['schema'])}{needed}{_says(one)}")
    for kind, body in operation.get("requestBody", {}).get("content", {}).items():
        noun = schemas[body["schema"]["$ref"].rpartition("/")[2]]
        lines.append(f"- body, {kind}:")
        lines += [f"  {line.replace('](#', '](json.md#')}" for line in _noun({"properties": noun["properties"]})]
    for status, answer in operation["responses"].items():
        content = answer.get("content", {}).get("application/json")
        if status not in ("4XX", "5XX"):
            shape = f": {_linked(content['schema'])}" if content else ""
            says = "" if answer["description"] == "Successful Response" else f"; {answer['description']}"
            lines.append(f"- answer {status}{shape}{says}")
    return [*lines, ""]


_REF = re.compile(r"#/components/schemas/(\w+)")

PAGES = {
    "settings.md": settings_page,
    "commands.md": commands_page,
    "metrics.md": metrics_page,
    "json.md": json_page,
    "api.md": api_page,
    "schema.json": schema_file,
}


def main(arguments: list[str]) -> int:
    """Write the pages, or with --check say which are out of date."""
    stale = []
    for name, page in PAGES.items():
        path = FOLDER / name
        if "--check" in arguments:
            if not path.is_file() or path.read_text(encoding="utf-8") != page():
                stale.append(name)
        else:
            path.write_text(page(), encoding="utf-8")
    if stale:
        sys.stderr.write(f"out of date: {', '.join(stale)}; run 'make reference'\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
