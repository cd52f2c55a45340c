"""Settings as data: each has a unit, a default, a source and a help text; see `policy.Settings`."""
