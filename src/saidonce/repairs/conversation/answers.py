"""Questions about the home and its rules, answered by what documents say word for word, or passed on.

messages -> questions -> passages that answer -> their sentences with their source | a notice to the landlord
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from saidonce.foundation.model import UNKNOWN_LANGUAGE
from saidonce.foundation.model.conversation import Gathering, LandlordEvent, OutboxKind, Passage, Path, Tool
from saidonce.foundation.text import language as text_language
from saidonce.foundation.text import sentences
from saidonce.repairs.conversation import lexicon, wording
from saidonce.repairs.conversation.acts import SpeechAct, shown_by
from saidonce.repairs.conversation.borne_out import bearing_passage, makes_no_claim, names_link
from saidonce.repairs.conversation.deps import ConversationDeps
from saidonce.repairs.conversation.executor import execute, turn_id
from saidonce.repairs.conversation.output import MAX_SOURCE, cite_source
from saidonce.repairs.conversation.questions import AskedQuestion, bare, read_messages, resolved
from saidonce.repairs.conversation.view import Call, NoticeDraft, Plan, ResidentReply, TurnView

ANSWERED, PASSED_ON = "answered_from_documents", "question_passed_on"
NOTHING_KNOWN = "asked_after_nothing"
ASKED_BESIDE = frozenset({NOTHING_KNOWN, "moving_out", "other_trouble", "asked_for_a_person"})
"""Reasons of plans for messages that may ask the documents something as well."""

MAX_DETAIL = 200
MIN_QUOTE_CHARS = 25
MIN_ASKED_WORDS = 3
_MARKS = ("?", "\uff1f", "\u061f")
"""Shorter words of a document are taken for the resident's language, like all of no certain one."""

_OUR_LINK = Passage("")


@dataclass(frozen=True, slots=True)
class Answers:
    """What questions of a turn get.

    Attributes:
        replies: a passage's words for each that is answered, and who hears of the others.
        notices: for the landlord, if a question was not answered.
        effects: for the turn: the evidence of each answer.
        rest: the turn without its questions, where there is a report or another matter left; else None.
        quotes: the replies that are a passage's words.
    """

    replies: tuple[ResidentReply, ...]
    notices: tuple[NoticeDraft, ...]
    effects: tuple[str, ...]
    rest: TurnView | None
    quotes: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        """Machine-readable: whether a person has to answer."""
        return PASSED_ON if self.notices else ANSWERED

    def beside(self, plan: Plan) -> Plan:
        """Return the plan of the other matters with the answers before its replies."""
        return replace(
            plan, replies=(*self.replies, *plan.replies), notices=(*plan.notices, *self.notices),
            effects=(*plan.effects, *self.effects),
        )  # fmt: skip


def answer_questions(deps: ConversationDeps, view: TurnView) -> Answers | None:
    """Return the answers to the questions of a turn; None if it asks nothing of the home and its rules.

    A message in another language that asks nothing in English words is looked at in its own.
    """
    reading = read_messages(view.texts, view.heard.language)
    own = () if reading.asked else tuple(map(view.heard.verbatim, view.texts))
    is_own = bool(own) and own != view.texts
    reading = read_messages(own) if is_own else reading
    if not reading.asked or view.home is None:
        return None
    rest = _without_questions(view, reading.rest) if not is_own else None
    if rest is None and any(i.media for i in view.new):
        return None
    passages = [_answering(deps, view, question) for question in reading.asked]
    if is_own and (any(reading.rest) or not all(passages)):
        return None  # Only its own language shows that it asks: what no document answers is for a person.
    replies = dict.fromkeys(_quoted(p, view.heard.language) for p in passages if p is not None)
    open_questions = [q for q, p in zip(reading.asked, passages, strict=True) if p is None]
    is_reached = deps.reach is None or deps.reach.has_channel()
    texts: list[str] = list(replies)
    if open_questions and not replies and rest is None:
        texts.append(wording.UNANSWERED if is_reached else wording.UNANSWERED_UNREACHED)
    else:
        texts += [wording.unanswered_one(q.text.strip(" ?!.,"), is_reached) for q in open_questions]
    evidence = tuple(f"answered: {p.source}: {p.evidence}"[:MAX_DETAIL] for p in passages if p is not None)
    notices = (NoticeDraft(LandlordEvent.QUESTION_UNANSWERED, turn_id(view)),) if open_questions else ()
    effects = (*evidence, *(("question_passed_on",) if open_questions else ()))
    return Answers(tuple(ResidentReply(OutboxKind.REPLY, t) for t in texts), notices, effects, rest, tuple(replies))


def with_answers(deps: ConversationDeps, view: TurnView, plan: Plan) -> Plan:
    """Return a plan for other words of a turn, such as of moving out, with what the documents answer before it.

    Where nothing is known of a report that was asked after, the documents may know the matter, or a person has to.
    """
    answers = answer_questions(deps, view) if plan.reason in ASKED_BESIDE else None
    if answers is None:
        return plan
    if plan.reason == NOTHING_KNOWN:
        return answered_plan(view, answers) or plan
    quotes = tuple(r for r in answers.replies if r.text in answers.quotes)
    if not quotes:
        return plan
    evidence = tuple(e for e in answers.effects if e.startswith("answered: "))
    return replace(plan, replies=(*quotes, *plan.replies), effects=(*plan.effects, *evidence))


def answered_plan(view: TurnView, answers: Answers) -> Plan | None:
    """Return the plan of a turn that only asks; None if no reply may be given now."""
    plan = execute(
        view, Call(Tool.RESPOND, str(answers.replies[0].text), why=answers.reason), Path.V1_FALLBACK, by_code=True
    )
    return answers.beside(replace(plan, replies=())) if isinstance(plan, Plan) else None


def checked(deps: ConversationDeps, view: TurnView, plan: Plan) -> Plan:
    """Return a model's plan with only those sentences about the home that a passage bears out, cited.

    Where none is left, the passage that answers is quoted instead, or the question passed on; what was refused stands
    in the turn's trail. Questions beside a report are answered as without a model. A turn that asks nothing keeps the
    model's words.
    """
    if plan.tool is Tool.ESCALATE or view.home is None or not read_messages(view.texts, view.heard.language).asked:
        return _cited(view, plan) if plan.tool is Tool.RESPOND else plan
    reply = (
        plan.replies[0] if plan.replies and plan.tool is not Tool.CREATE_ISSUE else ResidentReply(OutboxKind.REPLY, "")
    )
    kept, cited, refused = _borne_out(reply.text, view)
    noted = replace(plan, refused=(*plan.refused, *refused))
    if plan.tool is Tool.RESPOND and cited:
        return replace(noted, replies=(replace(reply, text=_with_source(kept, cited)), *plan.replies[1:]))
    answers = answer_questions(deps, view)
    if answers is None:
        return noted
    if plan.tool is not Tool.RESPOND:
        return _beside_report(answers, noted, " ".join(s for s in kept if makes_no_claim(s)))
    if refused or not answers.notices:
        return replace(answers.beside(replace(noted, replies=plan.replies[1:])), reason=answers.reason)
    # The model does not know either: its words stay, and a person hears of the question.
    return replace(noted, notices=(*plan.notices, *answers.notices), effects=(*plan.effects, *answers.effects))


def _beside_report(answers: Answers, plan: Plan, question: str) -> Plan:
    """Return the plan of a report with the answers before it; of the model's words its question alone stays."""
    if plan.tool is Tool.CREATE_ISSUE or not question:
        return answers.beside(plan)
    return answers.beside(replace(plan, replies=(replace(plan.replies[0], text=question), *plan.replies[1:])))


def _borne_out(text: str, view: TurnView) -> tuple[tuple[str, ...], Mapping[str, Passage], tuple[str, ...]]:
    """Return the sentences that may stand, the passage of each that a passage bears out, and the refused ones.

    The organisation's own instructions and links bear out as documents do.
    """
    passages = (*view.passages, Passage(view.voice.instructions))
    kept: list[str] = []
    cited: dict[str, Passage] = {}
    refused: list[str] = []
    for sentence in (s.text for s in sentences(text)):
        bearer = _OUR_LINK if names_link(sentence, view.voice.may_link) else bearing_passage(sentence, passages)
        if bearer is not None:
            cited[sentence] = bearer
        if bearer is None and not makes_no_claim(sentence):
            refused.append(f"not_borne_out: {sentence}"[:MAX_DETAIL])
        else:
            kept.append(sentence)
    return tuple(kept), cited, tuple(refused)


def _with_source(kept: Sequence[str], cited: Mapping[str, Passage]) -> str:
    source = next((_source(p) for p in cited.values() if p.source), "")
    text = " ".join(kept)
    return f"{text} ({source})" if source else text


def _cited(view: TurnView, plan: Plan) -> Plan:
    """Name the source of a reply that shares its words with a passage."""
    if not plan.replies or not view.passages:
        return plan
    first = plan.replies[0]
    return replace(plan, replies=(replace(first, text=cite_source(first.text, view.passages)), *plan.replies[1:]))


def _answering(deps: ConversationDeps, view: TurnView, question: AskedQuestion) -> Passage | None:
    """Return the passage that answers a question; None if no document does.

    The resident's own message is looked up first if it was read in English words, then its question, then the whole
    sentence.
    """
    if deps.passages is None or view.home is None:
        return None
    message = view.texts[question.message]
    own = view.heard.verbatim(message)
    own_asked = read_messages((own,)).asked if own != message else ()
    of_own = (own, *(a.text for a in own_asked)) if len(own_asked) < 2 else ()
    tried = (*(of_own or (question.whole,)), question.whole, question.text)
    tried = (
        *tried,
        *map(bare, (of_own or (question.text,))[-1:]),
        _behind_story(own),
        _before_story(own),
        resolved(question.text, message),
    )
    for words in filter(None, dict.fromkeys(tried)):
        best = next((p for p in deps.passages(view.home.property.id, words, ()) if p.quote), None)
        if best is not None:
            return best
    return None


def _behind_story(message: str) -> str:
    """Return what a message asks behind its last comma, where a story goes before; empty without one."""
    _, comma, last = message.rpartition(",")
    asked = last.strip()
    return asked if comma and asked.endswith(_MARKS) and len(asked.split()) >= MIN_ASKED_WORDS else ""


def _before_story(message: str) -> str:
    """Return what a message asks before its first comma, where a story comes behind; empty without one."""
    first, comma, _ = message.partition(",")
    asked = first.strip()
    is_enough = len(asked.split()) >= MIN_ASKED_WORDS
    return asked if comma and is_enough and read_messages((asked,)).asked else ""


def _quoted(passage: Passage, language: str) -> wording.Text:
    written = text_language(passage.quote, MIN_QUOTE_CHARS)
    is_abroad = written not in (UNKNOWN_LANGUAGE, language.split("-", maxsplit=1)[0])
    return wording.from_document(passage.quote, _source(passage), is_abroad)


def _source(passage: Passage) -> str:
    return " ".join(passage.source.split())[:MAX_SOURCE]


def _without_questions(view: TurnView, rest: Sequence[str]) -> TurnView | None:
    """Return the turn without its questions; None if nothing is left that reports or answers us."""
    left = " ".join(rest).strip()
    is_open = view.conversation.gathering in (Gathering.GATHERING_DETAILS, Gathering.AWAITING_PHOTO)
    answers_us = is_open and (lexicon.tells(left) or lexicon.declines(left) or lexicon.puts_off(left) or view.photos)
    if not left and not (is_open and view.photos):
        return None
    if not (lexicon.reports(left) or answers_us or shown_by(SpeechAct.PERSON, left)):
        return None
    cut = dict(zip(view.texts, rest, strict=True))
    new = tuple(replace(i, text=cut.get(i.text, i.text)) if i.text.strip() else i for i in view.new)
    of_draft = tuple(t for t in (cut.get(t, t) for t in view.texts_of_draft) if t.strip())
    return replace(view, new=new, texts_of_draft=of_draft)
