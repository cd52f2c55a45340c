# ruff: noqa: E501
"""Pages as sites serve them."""

from __future__ import annotations

from benchmarks.everyday.case import EverydayFile

SHOP = """<!doctype html><html lang=en><head><meta charset=utf-8><title>Kettle K4 – Hearth & Co.</title>
<script type="application/ld+json">{"@type":"Product","name":"LDNAME"}</script><style>.a::before{content:"CSSWORD"}</style></head><body class="page">
<div id="onetrust-banner-sdk" role="dialog" aria-label="Privacy"><p>We use cookies COOKIEWORD to improve.</p><button>Reject</button></div>
<header><a class="skip-link" href="#m">Skip to content</a><nav aria-label="Main"><ul><li><a>NAVKETTLES</a></li><li><a>Pans</a></li></ul></nav></header>
<nav aria-label="breadcrumb"><ol><li>Home</li><li>CRUMBKETTLES</li></ol></nav>
<main id="m"><h1>Kettle K4</h1><p>Boils <strong>1.7&nbsp;l</strong> in four minutes.<span aria-hidden="true">★★★★☆</span><span class="visually-hidden">Rated 4 of 5</span></p>
<picture><source srcset="a.webp 1x, a2.webp 2x"><img src="a.jpg" alt="The kettle on its base, seen from the left"></picture>
<dl><dt>Power</dt><dd>2200 W</dd><dt>Cable</dt><dd>0.75 m</dd><dd>black</dd></dl>
<details><summary>How is it descaled?</summary><p>Boil vinegar once, rinse twice.</p></details>
<details open><summary>Warranty</summary>Three years from the date of purchase.</details>
<template><p>TEMPLATEWORD</p></template><noscript><p>Scripts are needed to order.</p></noscript>
<table><thead><tr><th scope=col>part</th><th scope=col>no.</th><th scope=col>price</th></tr></thead><tbody><tr><th scope=row>lid</th><td>K4-01</td><td>7,90&nbsp;€</td></tr><tr><th scope=row>filter</th><td>K4-02</td><td>11 €</td></tr></tbody><tfoot><tr><td colspan=2>shipping</td><td>4,50 €</td></tr></tfoot></table>
<p>Before: <del>49.90</del> now <ins>39.90</ins> euros.</p></main>
<footer><p>FOOTERWORD imprint</p></footer></body></html>"""
MATHS = """<html lang="en"><head><meta charset="utf-8"><title>Sag of a wire</title></head><body><h1>Sag of a wire</h1>
<p>The sag is <math><mfrac><mrow><mi>w</mi><msup><mi>L</mi><mn>2</mn></msup></mrow><mrow><mn>8</mn><mi>T</mi></mrow></mfrac></math> metres for a span of <i>L</i>.</p>
<p>At 20&deg;C it is 3&frac12; m, at &minus;5&deg;C 2.9 m; tension 1.2&times;10<sup>4</sup> N.</p>
<p><math display="block"><semantics><mrow><mi>x</mi><mo>=</mo><msqrt><mn>2</mn></msqrt></mrow><annotation encoding="application/x-tex">ANNOTATIONTEX</annotation></semantics></math></p></body></html>"""
FRAMES = """<html><body><center><font size=5><b>The Old Forge</b></font></center><hr>
<table width=100% cellpadding=4><tr><td width=120 valign=top bgcolor=#ccc><a href=a>Start</a><br><a href=b>Prices</a></td>
<td valign=top><font face=Verdana>We shoe horses on Tuesdays.<p>A set of four shoes costs 85 pounds.<p>Bring the horse <b>before noon</b>.
<table border=1><tr><td><b>size</b></td><td><b>weight</b></td></tr><tr><td>5</td><td>410 g</td></tr><tr><td>12</td><td>3 kg</td></tr></table></font></td></tr></table></body></html>"""
NEWS = """<!DOCTYPE html><html lang="de"><head><meta charset="utf-8"><title>Fähre fällt aus - Hafenblatt</title><meta name="description" content="Die Fähre nach Nordholm fällt bis Freitag aus."></head><body>
<div class="newsletter-signup"><p>Jetzt NEWSLETTERWORT abonnieren!</p></div>
<article><header><h1>Fähre fällt aus</h1><p class="lead">Ein Schaden am Bugtor zwingt das Schiff ins Dock.</p><time datetime="2025-02-01">1. Februar 2025</time></header>
<p>Bis zum 7.&#8239;Februar verkehrt ein Ersatz&shy;boot.</p><figure><img src=x.jpg alt="Das Schiff im Dock von Nordholm"><figcaption>Das Bugtor wird geschweißt. Foto: Ahlers</figcaption></figure>
<h2>Fahrzeiten</h2><ul><li>6.10 Uhr</li><li>14.40 Uhr<ul><li>nur werktags</li></ul></li></ul>
<blockquote><p>„Wir bedauern das sehr.“</p><footer>— Kapitän Harms</footer></blockquote>
<p>Fahrräder kosten 2,50&nbsp;€.</p></article>
<aside class="related"><h2>Mehr zum Thema</h2><ul><li><a>VERWANDTWORT</a></li></ul></aside><div class="share-buttons"><button>Teilen TEILENWORT</button></div></body></html>"""
HEBREW = '<!doctype html><html lang="he" dir="rtl"><head><meta charset="utf-8"><title>בריכה</title></head><body><main><h1>שעות הבריכה</h1><p>הבריכה פתוחה בימים א׳–ה׳ בין 6:30 ל-22:00.</p><ul><li>ילדים עד גיל 6 נכנסים בחינם</li><li>כרטיס רגיל 38 ₪</li></ul></main></body></html>'
QUESTIONS = """<html lang=en><head><title>Questions about the heat pump</title></head><body><h1>Questions</h1>
<div class="accordion"><button aria-expanded="false" aria-controls="p1">Why does it drip?</button><div id="p1" class="panel" hidden><p>The tray is full; empty it weekly.</p></div>
<button aria-expanded="false">Why is it loud?</button><div class="panel" style="display:none"><p>Leaves block the fan.</p></div></div>
<form><label for=m>Model</label><select id=m><option>HP-3</option><option selected>HP-5</option></select><label>Serial <input value="X-2209"></label><textarea name=t>It hums at night.</textarea><input type=hidden value=HIDDENVALUE><button>Send</button></form>
<ol reversed start=3><li>third place</li><li>second place</li><li>first place</li></ol>
<p>Press <kbd>Ctrl</kbd>+<kbd>R</kbd>, then type <code>reset --hard</code>.<br>Wait for <samp>ready</samp>.</p>
<pre>set   mode 2
  set fan  auto</pre><p>Line<wbr>break is not a space: down<wbr>load.</p></body></html>"""
API = """<html><head><title>Client</title></head><body><main><h1>Client</h1><div class="tabs"><input type="radio" checked><label>Python</label><div><pre><code class="language-python"><span class="line-number">1</span>client = Client()
<span class="line-number">2</span>client.open("gate")
</code></pre></div></div><h2 id="open"><code>open(name, *, timeout=30)</code></h2><p>Open a gate; raises <code>TimeoutError</code> after 30&#160;s.</p><table><tr><th>Parameter</th><th>Type</th><th>Default</th></tr><tr><td><code>name</code></td><td><code>str | None</code></td><td></td></tr><tr><td><code>timeout</code></td><td><code>int</code></td><td><code>30</code></td></tr></table></main></body></html>"""
COMPLEX = "<table><caption>Tide at the pier</caption><colgroup><col><col span=2></colgroup><thead><tr><th rowspan=2>day</th><th colspan=2>high water</th></tr><tr><th>first</th><th>second</th></tr></thead><tbody><tr><td>Mon</td><td>03:12</td><td>15:40</td></tr><tr><td>Tue</td><td rowspan=2>none</td><td>16:31</td></tr><tr><td>Wed</td><td>17:20<br>(spring tide)</td></tr></tbody></table><table role=presentation><tr><td><p>The pier is closed in storms.</p></td></tr></table><div role=table><div role=row><span role=columnheader>buoy</span><span role=columnheader>colour</span></div><div role=row><span role=cell>B7</span><span role=cell>green</span></div></div>"


def pages() -> list[EverydayFile]:
    """Return pages."""
    return [
        EverydayFile("web/kettle.html", SHOP.encode(), ("Boils 1.7 l in four minutes.", "2200 W", "Boil vinegar once, rinse twice.", "How is it descaled?", "Three years from the date of purchase.", "lid .. K4-01 .. 7,90 €", "shipping .. 4,50 €", "The kettle on its base, seen from the left"), ("LDNAME", "CSSWORD", "COOKIEWORD", "NAVKETTLES", "TEMPLATEWORD", "FOOTERWORD", "49.9039", "CRUMBKETTLES", "a2.webp"), headings=("Kettle K4",), tables=("filter .. K4-02 .. 11 €",), order=("Boils", "2200 W", "Boil vinegar", "lid", "39.90")),
        EverydayFile("web/sag.html", MATHS.encode(), ("metres for a span of L.", "At 20°C it is 3½ m, at −5°C 2.9 m; tension 1.2×10^4 N."), ("wL28T", "ANNOTATIONTEX", "104 N", "x=2 ", "L2 8T")),
        EverydayFile("web/forge.html", FRAMES.encode(), ("We shoe horses on Tuesdays.", "A set of four shoes costs 85 pounds.", "Bring the horse before noon.", "5 .. 410 g", "12 .. 3 kg"), ("noon.size", "5410", "StartPrices"), tables=("12 .. 3 kg",)),
        EverydayFile("web/faehre.html", NEWS.encode(), ("Ein Schaden am Bugtor zwingt das Schiff ins Dock.", "Bis zum 7. Februar verkehrt ein Ersatzboot.", "Das Bugtor wird geschweißt. Foto: Ahlers", "nur werktags", "„Wir bedauern das sehr.“", "Fahrräder kosten 2,50 €."), ("NEWSLETTERWORT", "VERWANDTWORT", "TEILENWORT", "Ersatz boot"), headings=("Fähre fällt aus", "Fahrzeiten"), lists=("6.10 Uhr",), order=("Ein Schaden", "Bis zum 7.", "6.10 Uhr", "Fahrräder")),
        EverydayFile("web/bricha.html", HEBREW.encode(), ("הבריכה פתוחה בימים א׳–ה׳ בין 6:30 ל-22:00.", "כרטיס רגיל 38 ₪"), headings=("שעות הבריכה",), lists=("ילדים עד גיל 6 נכנסים בחינם",)),
        EverydayFile("web/pump.html", QUESTIONS.encode(), ("The tray is full; empty it weekly.", "Leaves block the fan.", "HP-5", "X-2209", "It hums at night.", "3. third place", "1. first place", "Press Ctrl+R, then type reset --hard.", "download."), ("HIDDENVALUE", "down load", "hard.Wait", "mode 2 set"), code=("  set fan  auto",)),
        EverydayFile("web/client.html", API.encode(), ("Open a gate; raises TimeoutError after 30 s.", 'client.open("gate")', "timeout .. int .. 30", "str | None"), ("1client", "1 client", "2client"), code=("client = Client()",), headings=("open(name, *, timeout=30)",)),
        EverydayFile("web/tide.html", COMPLEX.encode(), ("Tide at the pier", "Mon .. 03:12 .. 15:40", "Wed .. none .. 17:20 (spring tide)", "The pier is closed in storms.", "B7 .. green"), ("03:1215", "17:20(", "B7green"), tables=("Tue .. none .. 16:31",)),
    ]  # fmt: skip
