"""How nouns are shown: one typed answer for API, MCP and `--json`."""
