// Sends messages without leaving the page, and looks for new ones: often while somebody writes, seldom after a while.
"use strict";
(() => {
  const main = document.querySelector("main.chat"), form = document.getElementById("writer");
  const text = document.getElementById("text"), photo = document.getElementById("photo"), trouble = document.getElementById("trouble");
  const unclip = document.getElementById("unclip");
  const path = main.dataset.path;
  let shown = "", busy = false, sending = Promise.resolve(), last = Date.now();
  // What was refused stays told until something written after it went through; a lost connection, until it is back.
  let refused = trouble.textContent, offline = "", nSent = 0, refusedAt = 0, returned = "";

  const down = () => { const list = document.querySelector(".lines"); list.scrollTop = list.scrollHeight; };
  const bare = (el) => el.querySelector(".lines").innerHTML.replace(/name="key" value="[^"]*"/g, "");
  const tell = () => {
    const said = refused || offline;
    trouble.hidden = !said;
    if (trouble.textContent !== said) trouble.textContent = said;
  };
  const refuse = (said) => { refused = said; refusedAt = nSent; tell(); return false; };
  const went = (n) => { if (n > refusedAt) refused = ""; offline = ""; tell(); };

  const show = (html) => {
    const next = new DOMParser().parseFromString(html, "text/html").getElementById("lines");
    if (!next) return;
    form.elements.key.value = next.dataset.key;
    if (bare(next) === shown) return;
    shown = bare(next); last = Date.now();
    // A list that stays in place tells a screen reader what is new, and only that.
    const list = document.querySelector(".lines"), fresh = document.adoptNode(next).querySelector(".lines");
    const kept = [...list.children], given = [...fresh.children];
    let same = 0;
    while (same < kept.length && same < given.length && kept[same].isEqualNode(given[same])) same += 1;
    kept.slice(same).forEach((n) => n.remove());
    given.slice(same).forEach((n) => list.append(n));
    down();
  };

  const look = async () => {
    if (busy || document.hidden) return;
    busy = true;
    try {
      const r = await fetch(`${path}/lines`, { headers: { Accept: "text/html" } });
      if (r.ok) { show(await r.text()); offline = ""; tell(); }
      else if (r.status === 404) { offline = "This link has expired. Please ask your landlord for a new one."; tell(); }
    } catch { offline = "No connection; new messages will appear when it is back."; tell(); } finally { busy = false; }
  };
  const again = () => {
    const quiet = Date.now() - last;
    setTimeout(() => look().finally(again), quiet < 60000 ? 700 : quiet < 600000 ? 2500 : 8000);
  };

  const send = (body) => {
    nSent += 1;
    const n = nSent;
    sending = sending.then(async () => {
      for (let tries = 0; tries < 5; tries += 1) {
        try {
          const r = await fetch(`${path}?wants=lines`, { method: "POST", body });
          if (r.ok) { went(n); last = Date.now(); show(await r.text()); return true; }
          const told = (await r.json().catch(() => ({}))).message || "the message was not accepted";
          return refuse(`${told[0].toUpperCase()}${told.slice(1)}.`);
        } catch { offline = "No connection; trying again."; tell(); await new Promise((done) => setTimeout(done, 400 * 2 ** tries)); }
      }
      return refuse("The message could not be sent. Please send it again.");
    });
    return sending;
  };

  // What was not taken goes back in the order in which it was sent, before what is being written now.
  const giveBack = (words, files) => {
    const early = returned && text.value.startsWith(returned) ? returned : "";
    const rest = text.value.slice(early.length).replace(/^\n/, "");
    returned = [early, words].filter(Boolean).join("\n");
    text.value = [returned, rest].filter(Boolean).join("\n");
    if (files.length && !photo.files.length) { photo.files = files; named(); }
    else if (files.length) { refused += " Please choose that photo again."; tell(); }
    grow();
  };

  document.addEventListener("submit", async (event) => {
    const from = event.target;
    if (from !== form && !from.closest(".answers")) return;
    event.preventDefault();
    const body = new FormData(from, event.submitter);
    if (from !== form) {
      const answers = from.closest(".answers"), line = answers.parentElement;
      answers.remove();
      if (!(await send(body))) line.append(answers);
      text.focus();
      return;
    }
    if (!text.value.trim() && !photo.files.length) { text.focus(); return; }
    const words = text.value, chosen = new DataTransfer();
    [...photo.files].forEach((f) => chosen.items.add(f));
    // Each message has its own name, so that a repetition is kept once.
    body.set("key", [...crypto.getRandomValues(new Uint8Array(12))].map((b) => b.toString(16).padStart(2, "0")).join(""));
    text.value = ""; photo.value = ""; returned = ""; named(); grow();
    if (!(await send(body))) giveBack(words, chosen.files);
    text.focus();
  });
  const grow = () => { text.rows = Math.min(6, Math.max(1, text.value.split("\n").length)); };
  const named = () => { const f = photo.files[0]; photo.closest(".clip").querySelector("span").textContent = f ? f.name.slice(0, 24) : "Photo"; photo.closest(".clip").classList.toggle("full", Boolean(f)); unclip.hidden = !f; };
  unclip.addEventListener("click", () => { photo.value = ""; named(); text.focus(); });
  text.addEventListener("input", grow);
  photo.addEventListener("change", named);
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); form.requestSubmit(); }
  });
  document.addEventListener("visibilitychange", look);
  addEventListener("resize", down);
  shown = bare(document); down(); if (matchMedia("(hover: hover)").matches) text.focus({ preventScroll: true }); again();
})();
