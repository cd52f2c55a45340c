"""German, French and Spanish sentences that say one thing in two constructions.

A cause in a sentence of its own, at the front or at the end; who does something, named twice or once; a relative clause
or its participle; a Spanish object in front, taken up by a pronoun; an infinitive or its noun behind "before".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from saidonce.foundation.text import sentences
from saidonce.matching.facts.lexicon import language_table, word_list
from saidonce.matching.facts.plain import verbs
from saidonce.matching.facts.plain.deeds import articles_of_objects
from saidonce.matching.facts.plain.fronted import RELATIVES, WORD, has_two_verbs, scope
from saidonce.matching.facts.plain.tables import LONGEST_SENTENCE, capital, small, ways


def as_restated(text: str, other: str, language: str) -> str:
    """Write what stands in another construction in the other text as it stands there."""
    if language not in verbs.READ or "\n" in text:
        return text
    mine, theirs = ([s.text for s in sentences(t)] for t in (text, other))
    if max(len(mine), len(theirs)) > _MOST or max(map(len, (*mine, *theirs)), default=0) > LONGEST_SENTENCE:
        return text
    lone = [t for t in theirs if t not in mine]
    if not lone:
        return text
    united = _with_united(mine, lone, language)
    written = [s if s in theirs else next((t for t in lone if _is_restated(s, t, language)), s) for s in united]
    return " ".join(written) if written != mine else text


_MOST = 12


def _is_restated(one: str, two: str, language: str) -> bool:
    return any(says(*pair, language) for says in _FORMS for pair in ((one, two), (two, one)))


def _with_united(mine: list[str], lone: list[str], language: str) -> list[str]:
    """Return sentences of which two are one if the other text has it so: by "therefore", or by a participle."""
    done = mine[:1]
    for sentence in mine[1:]:
        both = next((t for t in lone if t in _united(done[-1], sentence, language)), None)
        if both is not None:
            done[-1] = both
        else:
            done.append(sentence)
    return done


def _united(first: str, second: str, language: str) -> Iterator[str]:
    yield from _caused(first, second, language)
    if (at := _MADE.get(language)) is None or (hit := at.fullmatch(first)) is None:
        return
    who, _, more = second.partition(" ")
    is_done = _DONE[language].fullmatch(hit["participle"]) is not None
    is_dated = language == "fr" and hit["when"]
    if not (is_done or is_dated) or who not in _PRONOUNS[hit["article"][:2].strip("'\u2019").lower()]:
        return
    if language == "de":
        yield f"{hit['article']}{hit['when']}{hit['participle']}e {hit['noun']} {more}"
    else:
        yield f"{hit['article']}{hit['noun']}, {hit['participle']}{hit['when']}, {more}"


_MADE = {
    "de": re.compile(
        r"(?P<article>(?:Der|Die|Das) )(?P<noun>[A-ZÄÖÜ]\w+) wurde "
        r"(?P<when>(?:(?:im \w+ )?\d{4} )?)(?P<participle>\w+)\."
    ),
    "fr": re.compile(
        r"(?P<article>Le |La |L['\u2019])(?P<noun>\w+) a été (?P<participle>\w+)(?P<when>(?: en (?:\w+ )?\d{4})?)\."
    ),
}
"""What was done to a thing, and when, without anything else that a pronoun might mean."""
_DONE = {
    "de": re.compile(
        r"(?!(?:bekannt|beliebt|berühmt|verrückt|gesund|bewusst|verliebt|erwachsen|betrunken|besessen|gelassen|verlegen)$)"
        r"(?:(?:\w*ge|be|ver|er|ent|zer|über|unter)\w+(?:t|en)|\w+iert)"
    ),
    "fr": re.compile(
        r"\w+ée?|(?:con|dé)?(?:struit|truit|duit)e?|(?:dé|in|é)?crite?|produite?|(?:re|dé)?couverte?|ouverte?|peinte?"
        r"|(?:re)?vendue?|(?:re|sou)?mise?|(?:re|sur)?prise?|rendue?|perdue?|lue?|reçue?"
    ),
}
"""What was done to a thing, and is no state that it came to be in: "wurde krank"."""
_PRONOUNS = {"de": ("Er",), "di": ("Sie",), "da": ("Es",), "le": ("Il",), "la": ("Elle",), "l": ("Il", "Elle")}


def _caused(cause: str, effect: str, language: str) -> Iterator[str]:
    """Yield the one sentence that a cause and what is "therefore" so may be: "Da A, B", "comme A, B"."""
    if not cause.endswith(".") or not effect.endswith(".") or "," in cause:
        return
    clauses = _verb_last(cause[:-1]) if language == "de" else (small(cause[:-1]), cause[:-1])
    is_to_you = language == "de" and _TO_YOU.match(effect) is not None and _OF_MANY.search(cause) is None
    for clause in clauses:
        for since in _SINCE[language]:
            yield from (
                f"{since} {clause}, {re.sub(' sie ', ' Sie ', small(rest), count=1) if is_to_you else small(rest)}"
                for rest in _effects(effect)
            )


_TO_YOU = re.compile(r"Sie (?:sind|haben|\w+en) ")
_OF_MANY = re.compile(r"\b(?:sind|waren|haben|hatten|werden|wurden|können|müssen|sollen|dürfen)\b")
"""Without these, what is the cause is of one thing, and "Sie" with a verb of several is who reads."""


_SINCE = {"de": ("Da", "Weil"), "fr": ("Comme", "Puisque", "Étant donné que"), "es": ("Como", "Dado que", "Puesto que")}
_THEREFORE = re.compile(
    r"(?:C['\u2019]est pourquoi|Par conséquent|Pour cette raison|Por eso|Por ello|Por lo tanto|Por esta razón|"
    r"Deshalb|Daher|Darum|Deswegen|Aus diesem Grund),? (?P<rest>.+)"
)
_THUS = re.compile(r"(?P<before>[^,]{1,80}?) (?:donc|deshalb|daher|darum|deswegen|por eso|por tanto)(?P<after> .+)")


def _effects(sentence: str) -> Iterator[str]:
    """Yield a sentence without its "therefore", and a German one with its verb first, as behind a clause."""
    if hit := _THEREFORE.fullmatch(sentence):
        yield hit["rest"]
    elif hit := _THUS.fullmatch(sentence):
        yield hit["before"] + hit["after"]
        words = f"{hit['before']}{hit['after']}".split(" ")
        yield from (
            " ".join((words[n], small(words[0]), *words[1:n], *words[n + 1 :])) for n in (1, 2, 3, 4) if words[n:]
        )


def _verb_last(sentence: str) -> Iterator[str]:
    """Yield a German sentence as a clause, with one of its first words at its end."""
    words = sentence.split(" ")
    for n in range(1, min(_LATEST_VERB, len(words))):
        if words[n][:1].islower():
            yield from (
                " ".join((first, *words[1:n], *words[n + 1 :], words[n])) for first in (small(words[0]), words[0])
            )


_LATEST_VERB = 6


def _is_cause_at_end(one: str, two: str, language: str) -> bool:
    """Return whether a cause stands at the front of a sentence, and at the end of the other: "Como A, B"; "B porque A".

    Nothing may be denied, or happen seldom or to few, and no clause stand in what it is the cause of: "he said that B
    because A".
    """
    hit = _CAUSE_FIRST[language].fullmatch(one.rstrip("."))
    if hit is None or language == "de":
        return False
    main = [word.lower() for word in WORD.findall(hit["main"])]
    listed = " ".join(ways(language)[name] for name in ("denials", "over_causes", "joins"))
    barred = {*scope(language), *listed.split()}
    if not barred.isdisjoint(main) or has_two_verbs(["", *main], language):
        return False
    if _is_as(hit, language) or _may_be_of_another(hit["cause"], hit["main"], language):
        return False
    because = "parce que" if language == "fr" else "porque"
    return re.sub("parce qu['\u2019]", "parce que ", two.rstrip(".").replace(f", {because}", f" {because}")) == (
        f"{capital(hit['main'])} {because} {hit['cause']}"
    )


def _is_as(hit: re.Match[str], language: str) -> bool:
    """Return whether "comme" may say as what, or while what: "comme le plan l'indique", "comme il fermait la porte"."""
    if not hit[0].startswith(("Comme ", "Como ")):
        return False
    words = [re.sub("^[ld]['\u2019]", "", word.lower()) for word in WORD.findall(hit["cause"])]
    says = re.compile(ways(language)["as_somebody_says"])
    if any(says.fullmatch(word) for word in words):
        return True
    lasting = {"pas", *ways(language).get("lasting", "").split()}
    was = language == "fr" and any(len(word) > _SHORT and word.endswith(("ait", "aient")) for word in words)
    return was and lasting.isdisjoint(words)


_SHORT = 4


def _may_be_of_another(cause: str, main: str, language: str) -> bool:
    """Return whether who a cause is about is only a pronoun, or nobody, and may be one of two where it is last.

    "Comme il est malade, le gardien appelle le directeur"; it rains, whoever is named.
    """
    words = [word.lower() for word in WORD.findall(cause)]
    n_things = sum(re.sub("(?<=['\u2019]).*", "", w.lower()) in _LEADS for w in WORD.findall(main))
    n_things += sum(w[:1].isupper() for w in WORD.findall(main)[1:])
    if n_things <= 1:
        return False
    impersonal = re.compile(ways(language)["of_nobody"])
    verb = next((w for w in words if w not in ("no", "ne", "il", "ya")), "")
    if impersonal.fullmatch(re.sub("^n['\u2019]", "", verb)):
        return False
    if language == "fr":
        return words[0] in ("il", "elle", "ils", "elles")
    is_named = cause[:1].isupper() or words[0] in (*ways("es")["articles"].split(), *ways("es")["subjects"].split())
    return not is_named


_LEADS = frozenset(
    "le la les un une des l' l\u2019 mon ma mes son sa ses leur leurs ce cette el los las una al del su sus".split()
)


_CAUSE_FIRST = {
    "de": re.compile(r"(?!)"),
    "fr": re.compile(r"(?:Comme|Puisque|Étant donné que) (?P<cause>[^,]+), (?P<main>[^,]+)"),
    "es": re.compile(r"(?:Como|Puesto que|Dado que|Ya que) (?P<cause>[^,]+), (?P<main>[^,]+)"),
}


def _names_twice(one: str, two: str, language: str) -> bool:
    """Return whether who does two things is named before both, and in the other sentence before the first alone."""
    for hit in _AGAIN[language].finditer(one):
        first = one[: len(hit["who"])]
        before = [word.lower() for word in WORD.findall(one[: hit.start()])]
        opening = language_table(language).get("relations", {}).get("conjunctions", "").split()
        barred = {*scope(language), *RELATIVES, *opening, ",", ";"}
        if small(first) != hit["who"] or not barred.isdisjoint(before):
            continue
        once = f"{one[: hit.start()]} {hit['and']} {one[hit.end() :]}"
        if two in (once, f"{one[: hit.start()]}, {hit['and']} {one[hit.end() :]}"):
            return True
    return False


_AGAIN = {
    "de": re.compile(r",? (?P<and>und|aber) (?P<who>(?:der|die|das) [A-ZÄÖÜ]\w+) "),
    "fr": re.compile(r",? (?P<and>et|mais|puis) (?P<who>(?:le |la |l['\u2019])\w+) "),
    "es": re.compile(r",? (?P<and>y|pero) (?P<who>(?:el|la) \w+) "),
}


def _is_participle(one: str, two: str, language: str) -> bool:
    """Return whether a relative clause says who did something, and the other has its participle and "by".

    "Le livre que Paul a écrit en 1990", "le livre écrit en 1990 par Paul".
    """
    if language == "de":
        return False
    done = _RELATIVE[language].fullmatch(one)
    if done is None:
        return False
    words = done["rest"].split(" ")
    for n in range(1, _LONGEST_DOER + 1):
        if any(_is_done_by(done["head"], who, verb, two, language) for who, verb in _doers(words, n, language)):
            return True
    return False


_LONGEST_DOER = 3
_RELATIVE = {
    "fr": re.compile(r"(?P<head>[^,]+?) qu(?:e |['\u2019])(?P<rest>[^,]+)"),
    "es": re.compile(r"(?P<head>[^,]+?) que (?P<rest>[^,]+)"),
}
_Verb = tuple[str, list[str]]
"""A verb, or its participle, and what stands behind it."""


def _doers(words: list[str], n: int, language: str) -> Iterator[tuple[list[str], _Verb]]:
    """Yield who may do something in a clause, by its first words, and what they do."""
    if language == "es" and len(words) > n + 1:
        yield words[:n], (words[n], words[n + 1 :])
    elif len(words) > n + 2 and words[n] in ("a", "ont"):
        yield words[:n], (words[n + 1], words[n + 2 :])


def _is_done_by(head: str, who: list[str], verb: _Verb, two: str, language: str) -> bool:
    """Return whether a sentence has a participle with its "by" behind a thing, and all else alike.

    Only a time, or nothing, stands between the two.
    """
    form, rest = verb
    by = "par" if language == "fr" else "por"
    if not two.startswith(f"{head} ") or (who[0][:1].islower() and who[0] not in ways(language)["articles"].split()):
        return False
    behind = two.removeprefix(f"{head} ").split(" ")
    participle = behind[0].lower()
    is_of_verb = (
        participle == form if language == "fr" else form in verbs.pasts(next(iter(verbs.base(participle, "es"))), "es")
    )
    ends = (
        [*rest[:n], by, *who, *rest[n:]]
        for n in (0, 2)
        if (not n or _YEAR.fullmatch(" ".join(rest[:n]))) and not _may_be_of_doer(rest[n:], language)
    )
    return is_of_verb and behind[1:] in ends


_YEAR = re.compile(r"en \d{4}")


def _may_be_of_doer(rest: list[str], language: str) -> bool:
    """Return whether words behind who does it may say of whom or with what they are: "reçue par la fille du voisin"."""
    first = re.sub("(?<=['\u2019]).*", "", rest[0].lower()).rstrip("'\u2019") if rest else ""
    leads = (*word_list(language, "owning"), *ways(language)["of_somebody"].split())
    return first in leads and _YEAR.fullmatch(" ".join(rest[:2])) is None


def _is_object_in_front(one: str, two: str, language: str) -> bool:
    """Return whether a Spanish object stands in front with a pronoun behind it: "el informe lo firma la directora"."""
    hit = _TAKEN_UP.fullmatch(one.rstrip(".")) if language == "es" else None
    if hit is None or {"el": "lo"}.get(hit["article"].lower(), hit["article"].lower()) != hit["pronoun"]:
        return False
    what = f"{hit['article'].lower()} {hit['noun']}"
    return two.rstrip(".") == f"{capital(hit['who'])} {hit['verb']} {what}{hit['rest']}"


_TAKEN_UP = re.compile(
    r"(?P<article>El|La|Los|Las) (?P<noun>\w+) (?P<pronoun>lo|la|los|las) (?P<verb>(?!(?:ha|han|no)\b)\w+) "
    r"(?P<who>(?:el|la|los|las) \w+)(?P<rest>|(?: (?:en|cada|desde|hasta|antes|después)\b[^,;]*))"
)


def _is_noun_behind_a_time(one: str, two: str, language: str) -> bool:
    """Return whether a time is an infinitive in front of what is bidden, and its noun in the other sentence.

    "Avant d'ouvrir la pompe, fermez la vanne", "avant l'ouverture de la pompe, fermez la vanne": who is bidden does
    both, as they do what has to be done at a machine; a delivery or repair may be somebody else's.
    """
    doing, named = (at.fullmatch(s) for at, s in zip(_TIMES.get(language, (_NEVER, _NEVER)), (one, two), strict=True))
    if doing is None or named is None or doing["main"] != named["main"]:
        return False
    if (
        not _bids_the_same_one(doing["main"], language)
        or _SIDES[doing["when"].lower()] != _SIDES[named["when"].lower()]
    ):
        return False
    verb = doing["verb"].lower()
    done = verbs.participles(verb, language) if verb.endswith(("r", "re")) else verbs.base(verb, language)
    done &= frozenset(ways(language)["by_oneself"].split())
    if not frozenset(ways(language)["of_others"].split()).isdisjoint(WORD.findall(named["what"].lower())):
        return False
    of_noun = (verbs.participles(each, language) for each in verbs.verbs_of(named["noun"], language))
    if not any(done & each for each in of_noun):
        return False
    led = named["led"].replace(" ", "_")
    owners = {
        f"{article.replace('_', ' ')}{named['what']}"
        for article in articles_of_objects(language).get(led, "_").split("|")
    }
    return doing["what"] in owners


_NEVER = re.compile(r"(?!)")
_TIMES = {
    "fr": (
        re.compile(r"(?P<when>Avant|Après)(?: de | d['\u2019]| avoir )(?P<verb>\w+) (?P<what>[^,]+), (?P<main>[^,]+)"),
        re.compile(
            r"(?P<when>Avant|Après) (?:le |la |l['\u2019])(?P<noun>\w+) "
            r"(?P<led>du |de la |de l['\u2019]|des |de votre |de vos )(?P<what>[^,]+), (?P<main>[^,]+)"
        ),
    ),
    "es": (
        re.compile(r"(?P<when>Antes|Después|Tras)(?: de)? (?P<verb>\w+[aei]r) (?P<what>[^,]+), (?P<main>[^,]+)"),
        re.compile(
            r"(?P<when>Antes|Después|Tras)(?: de la| del| el| la) (?P<noun>\w+) "
            r"(?P<led>del |de la |de los |de las |de su |de sus )(?P<what>[^,]+), (?P<main>[^,]+)"
        ),
    ),
}
_SIDES = {"avant": 0, "antes": 0, "après": 1, "después": 1, "tras": 1}


def _bids_the_same_one(main: str, language: str) -> bool:
    """Return whether a main clause bids somebody who, as the verb before may say of a reader, has done so themselves.

    "Call us after the installation" says nothing of who installs.
    """
    first = main.split(" ", 1)[0]
    if first in ways(language)["to_others"].split():
        return False
    return first.endswith("ez") if language == "fr" else first in ways(language)["bids"].split()


def _is_noted(one: str, two: str, language: str) -> bool:
    """Return whether "please note that" leads up to what the other sentence states."""
    hit = _NOTE.fullmatch(one)
    if hit is None:
        return False
    if language != "de":
        return capital(hit["what"]) == two
    *clause, verb = hit["what"].rstrip(".").split(" ")
    return any(
        f"{capital(' '.join((*clause[:n], verb, *clause[n:])))}." == two
        for n in range(1, min(_LATEST_VERB, len(clause)))
        if _is_first_part(clause[:n])
    )


def _is_first_part(words: list[str]) -> bool:
    """Return whether words are one part of a German sentence, behind which its verb stands: not "die Mieter im Hof"."""
    if len(words) > 1 and _LEADS_ON.isdisjoint(words[1:]):
        behind = [
            word for n, word in enumerate(words[1:-1], 1) if word.islower() and words[n - 1][:1].isupper() and n > 1
        ]
        return words[-1][:1].isupper() and not behind
    return len(words) == 1 and words[0] not in _LEADS_ON


_LEADS_ON = frozenset(
    "in im am an auf bei beim vor hinter neben unter über mit ohne aus für gegen von vom zu zum zur nach bis ab um"
    " durch des der wegen trotz während seit zwischen als wie und oder".split()
)


_NOTE = re.compile(
    r"(?:Bitte beachten Sie,? dass|Bitte beachten:|Veuillez noter que|Nous vous informons que|Tenga en cuenta que|"
    r"Les informamos de que) (?P<what>[^,]+)"
)


def _is_where_it_stands(one: str, two: str, language: str) -> bool:
    """Return whether a German clause says only that a thing stands or lies where the other has it without a verb."""
    hit = _STANDS.fullmatch(one) if language == "de" else None
    if hit is None or not {*scope("de"), *ways("de")["denials"].split()}.isdisjoint(hit["where"].split()):
        return False
    return f"{hit['what']} {hit['where']} {hit['rest']}" == two


_STANDS = re.compile(
    r"(?P<what>(?:Der|Die|Das|Ein|Eine|Jeder|Jede|Jedes|Alle) (?:[a-zäöüß]+ )?[A-ZÄÖÜ][\w-]*), "
    r"(?:der|die|das|welcher|welche|welches) "
    r"(?P<where>(?:hinter|vor|neben|über|unter|auf|an|in|im|am|zwischen|bei|beim|gegenüber) [^,.;]{2,60}?) "
    r"(?:liegt|liegen|steht|stehen|hängt|hängen), (?P<rest>.+)"
)

_FORMS: tuple[Callable[[str, str, str], bool], ...] = (
    _is_cause_at_end,
    _names_twice,
    _is_participle,
    _is_object_in_front,
    _is_noun_behind_a_time,
    _is_noted,
    _is_where_it_stands,
)
"""What the first of two sentences has to be of the second."""
