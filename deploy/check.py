"""Check compose.yaml against the Compose specification, and every query of alerts and dashboard as PromQL."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import promql_parser
import yaml
from compose_spec import ComposeSpecification

HERE = Path(__file__).parent


def main() -> int:
    """Check, and print what was checked; an error names the file."""
    services = ComposeSpecification.model_validate(yaml.safe_load((HERE / "compose.yaml").read_text())).services
    print(f"compose.yaml: {', '.join(sorted(services or {}))}")
    groups = yaml.safe_load((HERE / "alerts.yaml").read_text())["groups"]
    queries = [rule["expr"] for group in groups for rule in group["rules"]]
    panels = json.loads((HERE / "grafana" / "saidonce.json").read_text())["panels"]
    queries += [target["expr"].replace("$__rate_interval", "5m") for panel in panels for target in panel["targets"]]
    for query in queries:
        try:
            promql_parser.parse(query)
        except ValueError as wrong:
            print(f"no PromQL: {query}: {wrong}", file=sys.stderr)
            return 1
    print(f"alerts.yaml, grafana/saidonce.json: {len(queries)} queries")
    return 0


if __name__ == "__main__":
    sys.exit(main())
