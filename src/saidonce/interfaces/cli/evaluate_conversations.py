"""evaluate scenarios, evaluate quality."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from saidonce.interfaces.cli.shared import (
    EXIT_FAILED,
    JsonOption,
    clean,
    effective_settings,
    errors_reported,
    opened,
    out,
    print_json,
    progress,
)

if TYPE_CHECKING:
    from saidonce.quality.conversation import ConversationReport
    from saidonce.quality.conversation_quality import QualityReport


def scenarios(
    folder: Annotated[Path, typer.Argument(help="Folder of scenarios, .toml.")],
    recording: Annotated[
        Path | None, typer.Option(help="Recorded replies of a model; by default the configured model is asked.")
    ] = None,
    flow: Annotated[Literal["v1", "v2"], typer.Option(help="v2, led by the model, or v1, the keyword flow.")] = "v2",
    reworded: Annotated[
        bool, typer.Option("--reworded", help="Also play each scenario in its other wordings.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Tier 1: play conversations, and grade the actions and the final content of the store.

    Each scenario has a store of its own in memory; the base is not touched. Ends with 1 if an issue was made that
    should not have been. A prompt that was not recorded is an error, never a call.

    **Examples**

    * `saidonce evaluate scenarios tests/cases/conversation --recording recorded.json`
    * `saidonce evaluate scenarios tests/cases/conversation --flow v1`
    """
    report = _played(folder, recording, flow, reworded)
    if as_json:
        from saidonce.interfaces.views.reports import ScenariosView

        print_json(ScenariosView.show(report))
    else:
        for line in _lines(report):
            out.print(line)
    if report.n_false:
        raise typer.Exit(EXIT_FAILED)


def _lines(report: ConversationReport) -> list[str]:
    lines = [
        f"{len(report.played)} scenarios, tools right {report.tool_accuracy.n} of {report.tool_accuracy.of},"
        f" documented situations {report.seeds.n} of {report.seeds.of}, false issues {report.n_false}"
    ]
    if report.every_wording.of:
        lines.append(f"right in every wording: {report.every_wording.n} of {report.every_wording.of}")
    if report.asked.of:
        lines += [
            f"where the model was asked: {report.asked.n} of {report.asked.of}, its own first choice {report.first.n}",
            f"model calls of a turn, 95th percentile: {report.calls_p95}; longest prompt {report.max_tokens} tokens",
        ]
    return [*lines, *(f"  {clean(one.scenario)}: {clean(bad)}" for one in report.played for bad in one.failures)]


def _played(folder: Path, recording: Path | None, flow: str, reworded: bool) -> ConversationReport:
    from saidonce.adapters.embed import open_embedder
    from saidonce.adapters.llm import open_chat
    from saidonce.adapters.llm.cassette import CassetteChat, read_cassette
    from saidonce.adapters.llm.deadline import BoundedChat
    from saidonce.errors import SettingsError
    from saidonce.quality.conversation import ScriptedChat, play_live
    from saidonce.quality.scenario import read_scenarios
    from saidonce.repairs.conversation.danger_head import DangerHead
    from saidonce.testing.memory_conversations import MemoryConversations

    with errors_reported():
        s = effective_settings()
        played = read_scenarios(folder)
        dangers = DangerHead(open_embedder("minilm"))
        if recording is not None:
            recorded = CassetteChat(read_cassette(recording))
            return play_live(played, flow, MemoryConversations, recorded, reworded, dangers)
        if flow == "v1":
            return play_live(played, flow, MemoryConversations, ScriptedChat(), reworded, dangers)
        if s.conversation_model:
            name, url, key = s.conversation_model, s.conversation_url, s.conversation_key
            chat = BoundedChat(open_chat(name, s.conversation_call_s, url, key, "conversation_model"))
            try:
                return play_live(played, flow, MemoryConversations, chat, reworded, dangers)
            finally:
                chat.close()
        raise SettingsError("conversation_model", "", "a model, or give --recording FILE")


def quality(
    n: Annotated[int, typer.Option("--sample", min=1, max=1_000, help="Number of conversations to draw.")] = 50,
    seed: Annotated[str, typer.Option(help="Random seed of the sample.")] = "1",
    judge: Annotated[
        bool, typer.Option(help="Have `conversation_model` score them; their texts are sent to it.")
    ] = False,
    labels: Annotated[Path | None, typer.Option(help="Manual scores, JSON lines; see --template.")] = None,
    template: Annotated[Path | None, typer.Option(help="Write the drawn conversations for manual scoring.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Tier 3: draw past conversations, count what went well, and have a judge score them by a rubric.

    The judge's scores are called advisory until they agree with scores by hand (kappa 0.4 or more).

    **Examples**

    * `saidonce evaluate quality --template to-score.jsonl`
    * `saidonce evaluate quality --judge --labels scored.jsonl`
    """
    from saidonce.adapters.llm import open_chat
    from saidonce.errors import SettingsError
    from saidonce.quality import conversation_quality as flow

    with opened() as base:
        drawn = flow.sample(base.store.conversations, n, seed)
        if template is not None:
            rows = [{"conversation": t.id, "text": flow.written(t), **dict.fromkeys(flow.RUBRIC)} for t in drawn]
            template.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        s = base.settings
        if judge and not s.conversation_model:
            raise SettingsError("conversation_model", "", "a model, which --judge asks")
        judge_settings = (s.conversation_model, 60.0, s.conversation_url, s.conversation_key, "conversation_model")
        chat = open_chat(*judge_settings) if judge else None
        known = flow.labels_of(labels) if labels is not None else {}
        with progress("conversations", len(drawn)) as advance:
            report = flow.measure(drawn, base.embedder, chat, known, advance)
    if as_json:
        from saidonce.interfaces.views.reports import QualityView

        print_json(QualityView.show(report))
    else:
        out.print(_quality_text(report))


def _quality_text(report: QualityReport) -> str:
    if not report.n:
        return "no conversations were held yet"
    lines = [
        f"{report.n} conversations, {report.issues.n} with an issue, after {report.messages_to_issue:.1f} messages",
        f"questions that say nothing new: {report.asked_again.n} of {report.asked_again.of}",
        f"photos put off: {report.later_answered.of}, answered without a new question: {report.later_answered.n}",
        f"turns in which the keyword flow stood in for the model: {report.n_fallback}",
    ]
    if report.scores:
        advice = " (advisory: too little agreement with scores by hand)" if report.is_advisory else ""
        lines.append(f"scores of the judge, 0 to 2{advice}, and kappa over {report.n_labelled} labelled conversations:")
        for name, score in report.scores.items():
            agreed = f"  kappa {report.kappa[name]:.2f}" if name in report.kappa else ""
            lines.append(f"  {name:<12} {score:.2f}{agreed}")
    lines += [f"  not judged: {clean(id_)}: {clean(why)}" for id_, why in report.unjudged]
    return "\n".join(lines)
