"""Words about times in the languages of residents, as the English ones that answers are read by.

Names of days and months come from the locale data of Babel; the table holds the rest. A word that is in neither stays
as it is, so that an answer with a word nobody knows is asked about, and picks nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from saidonce.foundation import extras
from saidonce.repairs.conversation.gloss import fold

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
          "december")  # fmt: skip

WORDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "es": {
            "the": "el la los las lo me nos viene vienen va van bien mejor prefiero quiero elijo puede puedo podemos"
            " ser seria a de del en por para opcion numero gracias vale ok perfecto perfecta favor dia hora hola",
            "yes": "si claro", "no": "no tampoco", "none": "ninguno ninguna ningun", "or": "o",
            "first": "primero primera primer", "second": "segundo segunda", "third": "tercero tercera tercer",
            "last": "ultimo ultima", "morning": "por la manana|de la manana", "afternoon": "por la tarde|tarde",
            "evening": "por la noche|noche",
        },
        "fr": {
            "the": "le la les l je j nous me ca cela c est convient conviennent va vont bien mieux prefere prends"
            " choisis peux peut pour a de du au en option numero creneau merci d accord parfait s il vous plait"
            " bonjour",
            "yes": "oui", "no": "non ne n pas", "none": "aucun aucune", "or": "ou",
            "first": "premier premiere", "second": "deuxieme second seconde", "third": "troisieme",
            "last": "dernier derniere", "morning": "matin", "afternoon": "apres-midi|apres midi", "evening": "soir",
        },
        "de": {
            "the": "der die das den dem am um im ich wir uns mir passt passen geht gut besser nehme nehmen wahle hatte"
            " gern gerne bitte danke option nummer termin uhr vielen dank hallo ware",
            "yes": "ja", "no": "nein nicht", "none": "keiner keine keines keins keinen", "or": "oder",
            "first": "erste ersten erster erstes", "second": "zweite zweiten zweiter zweites",
            "third": "dritte dritten dritter drittes", "last": "letzte letzten letzter letztes",
            "morning": "vormittag vormittags morgens", "afternoon": "nachmittag nachmittags", "evening": "abend abends",
        },
        "pl": {
            "the": "w we o na to ta ten jest pasuje moze byc prosze poprosze dziekuje wole wybieram mi nam mnie termin"
            " opcja opcje numer ok dobrze godzinie dzien dobry godz",
            "yes": "tak", "no": "nie", "none": "zaden zadna zadne zadnego", "or": "lub albo czy",
            "first": "pierwszy pierwsza pierwszego pierwsza", "second": "drugi druga drugiego",
            "third": "trzeci trzecia trzeciego", "last": "ostatni ostatnia", "morning": "rano|przed poludniem",
            "afternoon": "popoludniu|po poludniu", "evening": "wieczorem wieczor",
            "wednesday": "srode", "saturday": "sobote", "sunday": "niedziele",
        },
        "pt": {
            "the": "o a os as no na nos nas de do da me serve servem da jeito bem melhor prefiro pode ser quero escolho"
            " opcao numero obrigado obrigada por favor pelas as dia ola",
            "yes": "sim", "no": "nao", "none": "nenhum nenhuma", "or": "ou",
            "monday": "segunda-feira", "tuesday": "terca", "wednesday": "quarta", "thursday": "quinta",
            "friday": "sexta", "first": "primeiro primeira", "second": "segundo|segunda opcao",
            "third": "terceiro terceira", "last": "ultimo ultima", "morning": "de manha|manha",
            "afternoon": "a tarde|de tarde|tarde", "evening": "a noite|noite",
        },
        "ro": {
            "the": "pe in la de este e imi ne mi convine bine mai prefer aleg vreau poate fi optiunea varianta numarul"
            " multumesc va rog cel cea ora ziua buna",
            "yes": "da", "no": "nu", "none": "niciuna|niciunul|nici una|nici unul", "or": "sau",
            "first": "prima primul", "second": "a doua|al doilea|doua", "third": "a treia|al treilea|treia",
            "last": "ultima ultimul", "morning": "dimineata",
            "afternoon": "dupa-amiaza|dupa amiaza|dupa masa|dupa-masa", "evening": "seara",
        },
        "ar": {
            "the": "يوم في الساعة من شكرا يناسبني يناسبنا افضل اختار فضلك فضلكم الخيار رقم جيد حسنا الموعد",
            "yes": "نعم", "no": "لا ليس", "none": "لا شيء منها|ولا واحد|لا يناسبني اي منها", "or": "او",
            "first": "الاول الاولى", "second": "الثاني الثانية", "third": "الثالث الثالثة", "last": "الاخير الاخيرة",
            "morning": "صباحا الصباح", "afternoon": "بعد الظهر|ظهرا", "evening": "مساء المساء",
        },
        "zh": {
            "the": "可以|好的|好|谢谢|我们|我|选|吧|的|请|行|在|就|点钟", "yes": "是的|是",
            "none": "都不行|都不合适|都不可以|都不方便|一个也不行", "no": "不行|不可以|不", "or": "还是|或者|或",
            "first": "第一个|第一", "second": "第二个|第二", "third": "第三个|第三", "last": "最后一个|最后",
            "morning": "上午|早上", "afternoon": "下午", "evening": "晚上",
        },
    }
)  # fmt: skip
"""By language the English word, and what stands for it: words with blanks between, phrases between bars."""

_HOURS = re.compile(r"\b(\d{1,2})(?::(\d{2}))?\s?(?:uhr|h)\b(?:\s?(\d{2})\b)?")
_ZH_DATE = re.compile(r"(\d{1,2})月(\d{1,2})[日号]?")
_ZH_DAYS = "一二三四五六日"


def in_english(text: str, language: str) -> str:
    """Return an answer about times with the words of a language in English; others stay as they are."""
    if language not in WORDS:
        return text
    words = " ".join(fold("".join(map(_western, text))).replace("’", " ").replace("'", " ").split())
    words = _HOURS.sub(lambda m: f"{int(m[1]):02}:{m[2] or m[3] or '00'}", words)
    if language == "zh":
        words = _ZH_DATE.sub(lambda m: f" {MONTHS[(int(m[1]) - 1) % 12]} {m[2]} ", words)
    if language == "de":
        words = re.sub(r"tag(?=(?:vor|nach)mittag|abend|morgen)|woch(?=(?:vor|nach)mittag|abend)", r"\g<0> ", words)
    table = _table(language)
    pattern = _pattern(language)
    return pattern.sub(lambda m: f" {table[m[0]]} ", words)


def _western(char: str) -> str:
    return str(unicodedata.digit(char, "")) if char.isdigit() else char


@lru_cache(maxsize=16)
def _pattern(language: str) -> re.Pattern[str]:
    longest_first = sorted(_table(language), key=lambda phrase: (-len(phrase), phrase))
    any_of = "|".join(map(re.escape, longest_first))
    return re.compile(any_of if language == "zh" else rf"(?<![\w-])(?:{any_of})(?![\w-])")


@lru_cache(maxsize=16)
def _table(language: str) -> Mapping[str, str]:
    """Return the English word for each folded word or phrase of a language."""
    extras.need(extras.REPAIRS, "answering residents in their language")
    from babel import Locale  # noqa: PLC0415  an extra; the conversation is imported without it too

    locale = Locale.parse(language)
    names = [(kind, width) for kind in ("format", "stand-alone") for width in ("wide", "abbreviated")]
    table = {fold(locale.months[k][w][n]).strip("."): MONTHS[n - 1] for k, w in names for n in range(1, 13)}
    # Days last: "mar." is a Tuesday before it is a March, and a wrong one fits none of the offered times.
    table |= {fold(locale.days[k][w][n]).strip("."): DAYS[n] for k, w in names for n in range(7)}
    if language == "zh":
        table = {f"{week}{day}": DAYS[n] for week in ("星期", "周", "礼拜") for n, day in enumerate(_ZH_DAYS)}
        table |= {"星期天": DAYS[6], "周天": DAYS[6]}
    for english, phrases in WORDS[language].items():
        for part in phrases.split("|"):
            forms = part.split() if "|" not in phrases and language != "zh" else [part]
            table |= {fold(form): english for form in forms}
    return MappingProxyType(table)
