"""What every district stands on: nouns, ports, settings, text, and the forms in which they are written down.

In: nothing. Out: frozen dataclasses (`model`), Protocols of the outside (`ports`), typed settings (`settings`), pure
functions on text, the `Context` that flows take, and the codecs of what is stored and chained.
May touch: `errors` alone. No network, disk, clock or log, except that `settings` reads its file and environment,
`deadline` runs an event loop, and `http` is the one client of services outside.
Start reading: `model/nouns.py`, then `ports/store.py`, then `context.py`.
"""
