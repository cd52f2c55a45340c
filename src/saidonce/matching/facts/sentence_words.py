"""Room facts: words by which a sentence shows what it is: a step, a statement, what takes back, what points back."""

from __future__ import annotations

LIGHT = frozenset(
    "a an and are as at be been by for from had has have he her his i if in into is it its of on or she so such than"
    " that the their them then there these they this those to was we were what when where which while who whom whose"
    " will with would you your not no nor also both".split()
)
"""Words whose moving says nothing by itself."""

TAKES_BACK = frozenset(
    "but however unless except excepting excluding excluded exception exceptions besides instead otherwise although"
    " though fee fees charge charges charged cost costs surcharge penalty"
    " aber jedoch außer ausgenommen mais sauf excepté pero salvo excepto".split()
)
"""Words of a sentence that limits what another states, or puts a price on it."""

FINITE = frozenset(
    "is are was were am has have had does did will would can could may might must shall should do".split()
)

POINTS_BACK = frozenset("this that these those it they he she such so thus then hence therefore".split())

IN_TURN = frozenset(
    "first firstly second secondly third thirdly then next finally lastly afterwards afterward subsequently later"
    " before after once previously now meanwhile step".split()
)

BIDS = frozenset(
    """
    add adjust allow apply ask attach avoid bring build buy call cancel change check choose clean clear click close
    collect configure confirm connect contact copy create cut delete deploy describe detach disable disconnect do
    download drain drop dry edit empty enable enter export fill find fit fix follow get give go hang heat hold import
    include insert install invite join keep leave lift load lock log look lower make measure mix move name note open
    order paste pay pick place plug pour press provide publish pull push put read record register remove repeat
    replace report request reset restart restore return review rinse rotate run save scan search select send set share
    shut sign start stir stop store submit switch take tell test tighten touch transfer turn type unlock unplug update
    upgrade upload use verify visit wait warm wash watch wipe write
    """.split()
)
"""Verbs that a step begins with."""
