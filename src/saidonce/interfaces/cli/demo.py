"""demo repairs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from saidonce.interfaces.cli.group import CommandSet
from saidonce.interfaces.cli.shared import effective_settings, err, open_base, out

app = CommandSet("Run saidonce with sample data, to try it out.")

FOLDER = Path("~/.local/share/saidonce-demo")
"""Default folder of the demo's base."""


LOCAL_MODEL = "openai:default"
"""Name asked for at an address without a name: `llama-server` has one model and takes any name."""


def named_model(model: str, url: str) -> str:
    """Return the name of a model as settings have it: at an address of one's own a bare name is enough, or none."""
    if not url:
        return model
    return model if model.startswith("openai:") else f"openai:{model}" if model else LOCAL_MODEL


@app.command()
def repairs(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on, on this machine only.")] = 8765,
    model: Annotated[
        str, typer.Option(help="Model for conversations; the setting `conversation_model` by default.")
    ] = "",
    model_url: Annotated[str, typer.Option(help="URL of a local OpenAI-compatible server, such as llama-server.")] = "",
) -> None:
    """Serve a landlord's office with fictitious residents: chat as any of them, and see the landlord's pages.

    The data is stored in a separate folder, organisation `demo`. Without a model, the keyword flow answers.

    **Examples**

    * `saidonce demo repairs`
    * `saidonce demo repairs --port 9000 --model openai:gpt-5-mini`
    * `saidonce demo repairs --model-url http://127.0.0.1:8080/v1`
    """
    from saidonce.interfaces.cli.serve import serve_answering, warn_of_model
    from saidonce.repairs import demo

    configured = effective_settings()
    folder = configured.data_dir if "data_dir" in configured.model_fields_set else FOLDER
    settings: dict[str, Any] = {"data_dir": folder.expanduser(), "org": "demo", "use_llm_orchestration": "on",
              "conversation_name": demo.ORG_NAME, "conversation_model": named_model(model, model_url) or None,
              "conversation_url": model_url or None,
              "whatsapp_app_secret": demo.APP_SECRET}  # fmt: skip
    with open_base(creates=True, **settings) as base:
        url = f"http://127.0.0.1:{port}"

        def announce() -> None:
            out.print(f"The demo is running: {url}/demo  (stop with Ctrl-C)")
            out.print(f"  as the landlord   {url}/repairs")
            for each in demo.personas(service.deps(), secret):
                out.print(f"  as {each.name:<15} {url}{each.path}")
            if not base.settings.conversation_model:
                err.print(
                    "no model is configured, so the keyword flow answers; choose a model with --model PROVIDER:NAME"
                )
            warn_of_model(base.settings)

        from saidonce.app.repairs_service import Repairs, session_secret
        from saidonce.foundation.context import Source

        secret = session_secret(base.settings.data_dir.expanduser())
        service = Repairs(base, base.for_org, is_demo=True)
        service.check()
        demo.import_demo_homes(service.deps())
        for collection, files in demo.DOCUMENTS.items():
            texts = [Source(name, text.encode) for name, text in files.items()]
            base.ingest(texts, collection)
        serve_answering(base, service, ("127.0.0.1", port), announce, is_demo=True)
