"""Forms of Spanish words: the list of pyspellchecker has words as a dictionary heads them, and people write "casas"."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

_A = """
o as a amos áis an é aste ó asteis aron aba abas ábamos aban aré arás ará aremos arán aría arías aríamos arían e es emos
éis en ara aras áramos aran ad ando ado ada ados adas ar arse arme arte arlo arla arnos
"""
_E = """
o es e emos éis en í iste ió imos isteis ieron ía ías íamos ían eré erás erá eremos erán ería erías eríamos erían a as
amos áis an iera ieras iéramos ieran ed iendo ido ida idos idas er erse erme erte erlo erla ernos
"""
_I = """
o es e imos ís en í iste ió isteis ieron ía ías íamos ían iré irás irá iremos irán iría irías iríamos irían a as amos
áis an iera ieras iéramos ieran id iendo ido ida idos idas ir irse irme irte irlo irla irnos
"""
_ENDINGS = {"ar": _A.split(), "er": _E.split(), "ir": _I.split()}

_STRESSED = (("e", "ie"), ("o", "ue"), ("u", "ue"), ("e", "i"))
"""What the last vowel of a stem may become: cierro, huelo, juego, pido."""

_BEFORE_E = {"ar": (("gu", "gü"), ("c", "qu"), ("g", "gu"), ("z", "c"))}
"""How a stem in -ar is spelled before e: toque, pague, cace."""

_BEFORE_A = {"er": (("c", "zc"), ("c", "z"), ("g", "j")), "ir": (("c", "zc"), ("c", "z"), ("gu", "g"), ("g", "j"))}
"""How the others are spelled before a and o: conozca, venza, coja, siga."""

IRREGULAR = frozenset("""
soy eres es somos sois son era eras éramos eran fui fuiste fue fuimos fuisteis fueron sea seas seamos sean fuera fueras
fuéramos fueran sido siendo seré serás será seremos serán sería serían estoy estás está estamos están estuve estuvo
estuvimos estuvieron esté estés estén estuviera he has ha hemos han había habías habíamos habían hubo hubiera haya hayas
hayan habrá habrán habría hay voy vas va vamos vais van iba ibas íbamos iban vaya vayas vayamos vayan yendo ido iré irá
irán iría di diste dio dimos dieron doy das da damos dan dé den diera daba dado dando digo dices dice decimos dicen dije
dijiste dijo dijimos dijeron diga digas digan dicho diciendo diré dirá dirán diría hago haces hace hacemos hacen hice
hiciste hizo hicimos hicieron haga hagas hagan hecho haciendo haré hará harán haría puedo puedes puede podemos pueden
pude pudiste pudo pudimos pudieron pueda puedas puedan podía podré podrá podrán podría podrían pongo pones pone ponemos
ponen puse pusiste puso pusimos pusieron ponga pongas pongan puesto puesta puestos pondré pondrá quiero quieres quiere
queremos quieren quise quiso quisimos quisieron quiera quieran querrá querría quisiera sé sabes sabe sabemos saben supe
supo supimos supieron sepa sepan sabrá sabría tengo tienes tiene tenemos tienen tuve tuviste tuvo tuvimos tuvieron tenga
tengas tengan tendré tendrá tendrán tendría traigo traes trae traemos traen traje trajo trajimos trajeron traiga traigan
vengo vienes viene venimos vienen vine viniste vino vinimos vinieron venga vengas vengan vendré vendrá viniendo veo ves
ve vemos ven vi viste vio vimos vieron vea veas vean visto vista vistos viendo anduve anduvo anduvieron caigo caes cae
caemos caen caí caíste cayó caímos cayeron caiga caigan caído caída caídos cayendo oigo oyes oye oímos oyen oí oíste oyó
oyeron oiga oigan oído oyendo huelo hueles huele olemos huelen olí olió olieron huela huelan salgo sales sale salimos
salen salga salgan saldrá saldrán leyó leyeron creyó creyeron roto rota rotos rotas abierto abierta abiertos abiertas
cubierto cubierta muerto muerta muertos muertas vuelto vuelta vueltos escrito escrita hubo muy más
""".split())  # fmt: skip


def forms(word: str) -> Iterator[str]:
    """Yield a word, and what endings may make of it: plurals, women's forms, tenses; some of these are no words."""
    yield word
    yield from (word + ending for ending in ("s", "es"))
    if word.endswith("z"):
        yield word[:-1] + "ces"
    if word.endswith("o"):
        yield from (word[:-1] + ending for ending in ("a", "os", "as"))
    if word.endswith("ón"):
        yield from (word[:-2] + ending for ending in ("ones", "ona"))
    for kind in (word[-2:], word[-4:-2] if word.endswith("se") else ""):
        if kind in _ENDINGS:
            stem = word[: -2 if kind == word[-2:] else -4]
            yield from (s + ending for s, ending in product(_stems(stem, kind), _ENDINGS[kind]))


def _stems(stem: str, kind: str) -> Iterator[str]:
    """Yield a stem as it may be spelled before one ending or another."""
    yield stem
    for old, new in (*_BEFORE_E.get(kind, ()), *_BEFORE_A.get(kind, ())):
        if stem.endswith(old):
            yield stem.removesuffix(old) + new
    for old, new in _STRESSED:
        at = stem.rfind(old)
        if at >= 0 and not set(stem[at + 1 :]) & set("aeiou"):
            yield stem[:at] + new + stem[at + 1 :]
