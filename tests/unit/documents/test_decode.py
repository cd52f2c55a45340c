"""Text that says nothing of its encoding is read as its writer meant it."""

from __future__ import annotations

import pytest

from saidonce.documents.parse.decode import decode

WESTERN = ("cp1252", "latin-1")
CENTRAL = ("cp1250",)

SHORT = {
    "fr": (
        "Ouvert de 9 h à 17 h", "Fermé le dimanche", "Où sont les clés ?", "Le café de la gare", "Sonnez à l'entrée",
        "Durée : 3 à 5 jours", "Le chauffage est réglé à 19 °C", "Garçon, l'addition", "Noël 2025",
    ),
    "de": (
        "Geöffnet ab 8 Uhr", "Schlüssel zurückgeben", "Straße gesperrt", "Die Tür klemmt", "Grüße aus Köln",
        "Ölwechsel fällig", "§ 5 Kündigung", "100 m² für 900 €",
    ),
    "es": (
        "¿Dónde está la llave?", "Mañana a las 9", "¡Atención!", "El año 2025", "Piso 3º izquierda",
        "Calefacción averiada",
    ),
    "pt": (
        "Não há água", "Reuniões às 10 h", "Informações úteis", "Manutenção até amanhã", "Rua das Flores, nº 5",
    ),
    "it": (
        "Perché è chiuso?", "Orario: lunedì - venerdì", "La città più bella", "Caffè e tè", "Non c'è più acqua",
    ),
    "sv": (
        "Öppet måndag till fredag", "Nyckeln är på plats", "Rör inte värmen", "Två rum och kök", "Färdig på lördag",
    ),
    "pl": (
        "Cena: 50 zł", "Klucze są w szafie", "Proszę zamknąć drzwi", "Dzień dobry", "Łazienka jest zajęta",
        "Kraków, środa", "Źródło ciepła", "Wyjście ewakuacyjne jest wyłączone",
    ),
    "cs": (
        "Příliš žluťoučký kůň", "Otevřeno v pondělí", "Klíče jsou v kanceláři", "Děkujeme za návštěvu",
        "Nájemné se platí předem", "Topení nefunguje už týden, přijďte prosím",
    ),
    "hu": (
        "Nyitva hétfőtől péntekig", "A kulcs a fiókban van, kérjük vigye vissza előtte", "Fűtés és hűtés",
        "Következő ülés",
        "A fürdőszobában csöpög a csap",
    ),
}  # fmt: skip

LONG = {
    "fr": "Le bâtiment est ouvert de 9 h à 17 h, sauf le dimanche. Les clés se trouvent à l'entrée, où le gardien les "
    "remet contre une pièce d'identité. Même en été, le chauffage reste réglé à dix-neuf degrés dès que la nuit est "
    "fraîche ; ça évite les dégâts dus au gel. Tout élève inscrit reçoit un badge bleu.",
    "de": "Die Geschäftsstelle ist ab März täglich geöffnet. Wer den Schlüssel verliert, zahlt für das neue "
    "Schloss; dafür wird eine Gebühr verlangt. Größere Schäden sind der Verwaltung unverzüglich zu melden, "
    "damit die Versicherung prüfen kann, ob sie dafür einsteht.",
    "es": "La calefacción se enciende en octubre y se apaga en abril. ¿Quién tiene la llave del sótano? Según el "
    "reglamento, el dueño avisará con tres días de antelación; además, los niños podrán usar el jardín pequeño "
    "después de la una. Ningún vecino está obligado a pagar más.",
    "pt": "A manutenção do elevador é feita às terças, e não há aviso prévio. Os moradores são responsáveis pelas suas "
    "chaves; em caso de perda, as despesas serão cobradas até ao fim do mês. Informações sobre as reuniões estão "
    "afixadas na portaria, junto à caixa de correio.",
    "it": "Il portone è chiuso dalle nove di sera; chi rientra più tardi userà la chiave. La caldaia si accenderà il "
    "primo novembre, perché prima di allora non è permesso. Se c'è una perdita d'acqua, la società di manutenzione "
    "verrà entro due giorni, ma non di lunedì.",
    "sv": "Nyckeln till källaren hänger på kroken bredvid dörren. Den som lämnar sin lägenhet under en längre tid ska "
    "stänga av vattnet och säga till värden. Värmen sätts på i början av oktober, när nätterna blir kalla, och stängs "
    "av först när våren är här.",
    "pl": "Klucze do piwnicy wiszą obok drzwi wejściowych. Lokator, który wyjeżdża na dłużej, powinien zakręcić "
    "wodę i zgłosić to administracji. Ogrzewanie włącza się w październiku, a czynsz płaci się do "
    "dziesiątego dnia każdego miesiąca. Nie można hałasować w nocy, także w święta.",
    "cs": "Klíče od sklepa visí vedle vchodových dveří. Kdo odjíždí na delší dobu, měl by zavřít vodu a ohlásit to "
    "správci domu. Topení se zapíná začátkem října, když jsou noci chladné, a nájemné se platí vždy do desátého dne "
    "v měsíci. V noci se nesmí dělat hluk, ani o svátcích.",
    "hu": "A pince kulcsa a bejárati ajtó mellett lóg. Aki hosszabb időre elutazik, zárja el a vizet, és értesítse a "
    "gondnokot. A fűtést október elején kapcsolják be, amikor az éjszakák már hűvösek, a bérleti díjat pedig minden "
    "hónap tizedikéig kell befizetni. Éjjel és ünnepnapokon tilos zajongani.",
}
"""Made up for this test; nobody's text."""


def cases(texts: dict[str, tuple[str, ...]]) -> list[tuple[str, str, str]]:
    return [
        (language, encoding, written)
        for language, all_of_it in texts.items()
        for encoding in (CENTRAL if language in ("pl", "cs", "hu") else WESTERN)
        for written in all_of_it
        if encoding == "cp1252" or "€" not in written
    ]


@pytest.mark.parametrize(("language", "encoding", "written"), cases(SHORT))
def test_a_short_text(language: str, encoding: str, written: str) -> None:
    assert decode(written.encode(encoding)).text == written


@pytest.mark.parametrize(("language", "encoding", "written"), cases({k: (v,) for k, v in LONG.items()}))
def test_a_long_text(language: str, encoding: str, written: str) -> None:
    read = decode(written.encode(encoding))
    assert (read.text, read.guessed) == (written, True)


@pytest.mark.parametrize("language", ["pl", "cs", "hu"])
def test_latin_2_is_told_from_windows_1250(language: str) -> None:
    assert decode(LONG[language].encode("iso-8859-2")).text == LONG[language]


@pytest.mark.parametrize(("encoding", "language"), [("cp850", "de"), ("cp850", "fr"), ("mac-roman", "fr")])
def test_older_machines_are_understood(encoding: str, language: str) -> None:
    assert decode(LONG[language].encode(encoding)).text == LONG[language]


@pytest.mark.parametrize(
    ("encoding", "written"),
    [
        ("cp1251", "Ключи от подвала висят рядом с дверью. Кто уезжает надолго, закрывает воду и сообщает об этом."),
        ("cp1253", "Τα κλειδιά του υπογείου κρέμονται δίπλα στην πόρτα. Όποιος λείπει για καιρό κλείνει το νερό."),
        ("shift_jis", "地下室の鍵はドアの横に掛かっています。長く留守にする人は水道の栓を閉めてください。"),
        ("gb18030", "地下室的钥匙挂在门旁边。长期外出的人应关闭水阀，并通知管理员。取暖从十月初开始。"),
        ("cp1254", "Bodrumun anahtarı kapının yanında asılıdır. Uzun süre ayrılan kişi suyu kapatır ve yöneticiye "
                   "söyler. Isıtma ekim başında açılır, gürültü yapmak yasaktır, çünkü komşular şikâyet ediyor."),
    ],
)  # fmt: skip
def test_other_scripts_stay_as_they_were_read(encoding: str, written: str) -> None:
    assert decode(written.encode(encoding)).text == written


@pytest.mark.parametrize(
    ("encoding", "written"),
    [
        ("cp1252", "één"), ("cp1252", "Ação"), ("cp1252", "Größe: 5 µm"), ("cp1252", "Compañía de gas"),
        ("cp1252", "L’œuvre"), ("cp1252", "Søndag lukket"), ("cp1250", "Świętokrzyska"), ("cp1250", "Křižovatka"),
        ("cp1250", "Erkély, földszint"), ("cp1250", "Książka"),
    ],
)  # fmt: skip
def test_one_word_is_enough_where_no_western_language_writes_so(encoding: str, written: str) -> None:
    assert decode(written.encode(encoding)).text == written


@pytest.mark.parametrize("written", ["Piętro", "Děti"])
def test_a_word_that_could_be_either_is_western_and_said_to_be_guessed(written: str) -> None:
    read = decode(written.encode("cp1250"))
    assert (read.encoding, read.guessed) == ("cp1252", True)


def test_typographic_marks_of_windows_are_western() -> None:
    written = "“Quoted” – and it’s done… for 5 €"
    assert decode(written.encode("cp1252")).text == written


def test_english_with_one_name_is_western() -> None:
    written = "The report of Dr. Müller and Mr. Núñez was sent to the café. " * 20
    assert decode(written.encode("cp1252")).text == written


def test_the_same_bytes_are_read_the_same_way() -> None:
    content = LONG["fr"].encode("cp1252")
    assert {decode(content) for _ in range(5)} == {decode(content)}
