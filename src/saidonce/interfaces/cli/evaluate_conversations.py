"""evaluate scenarios, evaluate tenants, evaluate quality."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from saidonce.foundation.files import write_whole
from saidonce.interfaces.cli.lines import clean
from saidonce.interfaces.cli.shared import (
    EXIT_FAILED,
    JsonOption,
    effective_settings,
    errors_reported,
    open_base,
    out,
    print_json,
    progress,
)

if TYPE_CHECKING:
    from saidonce.foundation.ports.conversations import DeadlineChat
    from saidonce.foundation.settings.policy import Settings
    from saidonce.quality.conversation_quality import QualityReport
    from saidonce.quality.figures import Rate
    from saidonce.quality.side_by_side import ArmReport
    from saidonce.quality.tenants.flow import Held, TenantsReport


def scenarios(
    folder: Annotated[Path, typer.Argument(help="Folder of scenarios, .toml.")],
    recording: Annotated[
        Path | None, typer.Option(help="File of recorded model replies; by default the configured model is asked.")
    ] = None,
    flow: Annotated[
        Literal["default", "v1", "v2"] | None,
        typer.Option(help="Only this flow: default (no model), v2 (led by the model) or v1 (keywords)."),
    ] = None,
    only: Annotated[list[str] | None, typer.Option(help="Only scenarios with this id or tag; repeatable.")] = None,
    least: Annotated[
        float,
        typer.Option(
            min=0, max=100, help="Minimum percentage of flawless conversations; fail if v2 or default has less."
        ),
    ] = 0.0,
    reworded: Annotated[
        bool, typer.Option("--reworded", help="Also play each scenario in its other wordings.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Tier 1: play conversations without a model, with one, and by the keyword flow, and grade them side by side.

    Actions and the final content of the store are graded, and flaws are counted whatever a scenario expects. Each
    scenario has its own store in memory; the base is not touched. The model takes part if it is configured or its
    replies are recorded; with a recording, a prompt that is not in it is an error, never a call. Exits with 1 if an
    issue was created wrongly or too early.

    **Examples**

    * `saidonce evaluate scenarios tests/cases/conversation --recording recorded.json`
    * `saidonce evaluate scenarios tests/cases/conversation_natural --flow default --only person`
    """
    reports = _play(folder, recording, flow, tuple(only or ()), reworded)
    if as_json:
        from saidonce.interfaces.views.reports import ScenariosView

        print_json(ScenariosView.show(reports))
    else:
        for line in table(reports):
            out.print(line)
    low = any(r.flawless.per_100 is not None and r.flawless.per_100 < least for r in reports if r.name != "v1")
    if low or any(r.n_grave for r in reports):
        raise typer.Exit(EXIT_FAILED)


def _play(
    folder: Path, recording: Path | None, flow: str | None, only: tuple[str, ...], reworded: bool
) -> tuple[ArmReport, ...]:
    from saidonce.adapters.embed import open_embedder
    from saidonce.app.repairs_service.played import PlayedService
    from saidonce.errors import SettingsError
    from saidonce.quality.scenario import read_scenarios
    from saidonce.quality.side_by_side import ScenarioArm, side_by_side
    from saidonce.quality.side_by_side import only as chosen
    from saidonce.testing.memory import MemoryStore
    from saidonce.testing.memory_conversations import MemoryConversations

    with errors_reported(), ExitStack() as opened_chats:
        s = effective_settings()
        played = chosen(read_scenarios(folder), only)
        played = [w for one in played for w in one.wordings()] if reworded else played
        chat = _model(s, recording, opened_chats) if flow in {None, "v2"} else None
        if flow == "v2" and chat is None:
            raise SettingsError("conversation_model", "", "a model, or give --recording FILE")
        arms = [ScenarioArm("default", "default")] if flow in {None, "default"} else []
        arms += [ScenarioArm(chat.name, "v2", chat)] if chat is not None else []
        arms += [ScenarioArm("v1", "v1")] if flow in {None, "v1"} else []
        embedder = open_embedder(s.embedder, s.embedder_url, s.embedder_key, s.embed_threads)
        with progress("scenarios", len(played) * len(arms)) as advance:
            return side_by_side(played, arms, MemoryConversations, PlayedService(s, embedder, MemoryStore), advance)


def _model(s: Settings, recording: Path | None, closing: ExitStack) -> DeadlineChat | None:
    """Return the recorded or configured model; None without one."""
    from saidonce.adapters.llm import open_chat
    from saidonce.adapters.llm.cassette import CassetteChat, read_cassette
    from saidonce.adapters.llm.deadline import BoundedChat

    if recording is not None:
        return CassetteChat(read_cassette(recording))
    if not s.conversation_model:
        return None
    name, url, key = s.conversation_model, s.conversation_url, s.conversation_key
    chat = BoundedChat(open_chat(name, s.conversation_call_s, url, key, "conversation_model"))
    closing.callback(chat.close)
    return chat


_CELL = 26


def table(reports: Sequence[ArmReport]) -> Iterator[str]:
    """Yield the lines of the table: one column an arm, then what failed in each."""
    yield f"{len(reports[0].played)} conversations, {reports[0].n_messages} messages of residents"
    yield f"{'':<32}" + "".join(f"{clean(r.name)[: _CELL - 2]:>{_CELL}}" for r in reports)
    for name, cell in _ROWS:
        yield f"{name:<32}" + "".join(f"{cell(r):>{_CELL}}" for r in reports)
    for kind in reports[0].flaws:
        cells = (f"{r.flaws[kind]}" + (f" of {r.owed[kind]}" if kind in r.owed else "") for r in reports)
        yield f"{'  ' + kind.replace('_', ' '):<32}" + "".join(f"{c:>{_CELL}}" for c in cells)
    yield "without a flaw, by tag"
    for tag in reports[0].by_tag:
        yield f"{'  ' + clean(tag):<32}" + "".join(f"{'{} of {}'.format(*r.by_tag[tag]):>{_CELL}}" for r in reports)
    for r in reports:
        for one in r.played:
            yield from (f"  {clean(r.name)}: {clean(one.scenario)}: {clean(bad)}" for bad in one.failures)
            yield from (
                f"  {clean(r.name)}: {clean(one.scenario)}: step {f.step}: {f.kind}: {clean(f.text)}" for f in one.flaws
            )


def _share(rate: Rate) -> str:
    return "-" if rate.per_100 is None else f"{rate.n} of {rate.of}"


_ROWS: Sequence[tuple[str, Callable[[ArmReport], str]]] = (
    ("passed", lambda r: _share(r.passed)),
    ("  with one of the best ends", lambda r: _share(r.best)),
    ("passed without a flaw", lambda r: _share(r.flawless)),
    ("tools right", lambda r: _share(r.tools)),
    ("documented situations", lambda r: _share(r.seeds)),
    ("right in every wording", lambda r: _share(r.every_wording)),
    ("model calls of a turn, 95th pct", lambda r: f"{r.calls_p95}"),
    ("longest prompt, tokens", lambda r: f"{r.max_tokens}"),
    ("flaws", lambda r: f"{sum(r.flaws.values())}"),
)


def tenants(
    conversations: Annotated[int, typer.Option(min=1, max=100_000, help="Number of conversations.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first; the next ones follow.")] = 1,
    replay: Annotated[int | None, typer.Option(help="Show only the conversation of this seed.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Let scripted tenants with hidden goals talk to the assistant without a model, and check for violations.

    They report, ask, follow up, correct, withdraw, want a person, or are in danger; in different moods, with typing
    errors and in several languages. Each has its own store in memory; the base is not touched. A violation is shown
    with the seed that replays it. Exits with 1 if there is one.

    **Examples**

    * `saidonce evaluate tenants --conversations 1000 --seed 1`
    * `saidonce evaluate tenants --replay 37`
    """
    from saidonce.adapters.embed import open_embedder
    from saidonce.app.repairs_service.played import PlayedService
    from saidonce.quality.tenants.flow import hold, hold_many
    from saidonce.testing.memory import MemoryStore
    from saidonce.testing.memory_conversations import MemoryConversations

    with errors_reported():
        s = effective_settings()
        embedder = open_embedder(s.embedder, s.embedder_url, s.embedder_key, s.embed_threads)
        equip = PlayedService(s, embedder, MemoryStore)
        held = hold(replay, MemoryConversations, equip) if replay is not None else None
        n, first = (conversations, seed) if replay is None else (1, replay)
        with progress("conversations", n) as advance:
            report = hold_many(n, first, MemoryConversations, advance, equip)
    if as_json:
        from saidonce.interfaces.views.reports import TenantsView

        print_json(TenantsView.show(report))
    else:
        for line in [*(_transcript(held) if held is not None else ()), *_tenants_lines(report)]:
            out.print(line)
    if report.n_clean < report.n:
        raise typer.Exit(EXIT_FAILED)


def _transcript(held: Held) -> Iterator[str]:
    yield clean(f"seed {held.seed}: {held.goal}")
    yield from (f"  {'tenant' if theirs else 'assistant':<10} {clean(text)}" for theirs, text in held.lines)
    yield from (f"  {v.kind} at step {v.step}: {clean(v.text)}" for v in held.violations)


def _tenants_lines(report: TenantsReport) -> Iterator[str]:
    yield (
        f"{report.n} conversations, {report.n_clean} without a violation; {report.n_messages} messages,"
        f" {report.n_issues} issues, {report.n_alarms} in danger"
    )
    yield from (f"  {aim.replace('_', ' '):<24} {good} of {n}" for aim, (n, good) in report.aims.items())
    yield from (f"{kind.replace('_', ' '):<26} {n}" for kind, n in report.violated.items())
    for kind, rows in report.seeds.items():
        yield from (f"  {kind.replace('_', ' ')}, seed {seed}: {clean(text)}" for seed, text in rows)


def quality(
    n: Annotated[int, typer.Option("--sample", min=1, max=1_000, help="Number of conversations to draw.")] = 50,
    seed: Annotated[str, typer.Option(help="Random seed of the sample.")] = "1",
    judge: Annotated[
        bool, typer.Option(help="Let `conversation_model` score them; their texts are sent to it.")
    ] = False,
    labels: Annotated[Path | None, typer.Option(help="Manual scores, JSON lines; see --template.")] = None,
    template: Annotated[Path | None, typer.Option(help="Write the drawn conversations for manual scoring.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Tier 3: sample past conversations, measure them, and have a judge score them by a rubric.

    The judge's scores are marked as advisory until they agree with manual scores (kappa of at least 0.4).

    **Examples**

    * `saidonce evaluate quality --template to-score.jsonl`
    * `saidonce evaluate quality --judge --labels scored.jsonl`
    """
    from saidonce.adapters.llm import open_chat
    from saidonce.errors import SettingsError
    from saidonce.quality import conversation_quality as flow

    with open_base() as base:
        drawn = flow.sample(base.store.conversations, n, seed)
        if template is not None:
            rows = [{"conversation": t.id, "text": flow.written(t), **dict.fromkeys(flow.RUBRIC)} for t in drawn]
            write_whole(template, "".join(json.dumps(row) + "\n" for row in rows))
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
        return "no conversations yet"
    lines = [
        f"{report.n} conversations, {report.issues.n} with an issue, after {report.messages_to_issue:.1f} messages",
        f"repeated questions: {report.asked_again.n} of {report.asked_again.of}",
        f"photos postponed: {report.later_answered.of}, answered without a new question: {report.later_answered.n}",
        f"turns in which the keyword flow replaced the model: {report.n_fallback}",
    ]
    if report.scores:
        advice = " (advisory: too little agreement with manual scores)" if report.is_advisory else ""
        lines.append(f"scores of the judge, 0 to 2{advice}, and kappa over {report.n_labelled} labelled conversations:")
        for name, score in report.scores.items():
            agreed = f"  kappa {report.kappa[name]:.2f}" if name in report.kappa else ""
            lines.append(f"  {name:<12} {score:.2f}{agreed}")
    lines += [f"  not judged: {clean(id_)}: {clean(why)}" for id_, why in report.unjudged]
    return "\n".join(lines)
