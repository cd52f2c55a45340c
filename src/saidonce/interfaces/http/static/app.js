// Works through the queue by keys: shows the next pair at once, sends decisions in order, loses none.
"use strict";
(() => {
  const stage = document.getElementById("stage");
  const article = () => stage && stage.querySelector("article");
  const shortcuts = document.getElementById("shortcuts");
  const live = document.getElementById("live");
  const csrf = stage ? stage.dataset.csrf : "";
  const query = stage ? stage.dataset.query : "";
  const page = (seq) => `/queue/${seq}${query ? `?${query}` : ""}`;
  const ahead = [], typed = [], made = [];
  let sending = Promise.resolve(), waiting = 0, fetching = null, dry = false, last = null;

  const say = (text) => { if (live) { live.hidden = false; live.textContent = text; } };
  const tell = () => { const at = document.getElementById("pending"); if (at) at.textContent = waiting ? `saving ${waiting}` : ""; };
  const cursor = (el) => `${el.dataset.worth},${el.dataset.seq}`;
  const trouble = (seq, text) => {
    const at = document.getElementById("troubles"), p = document.createElement("p"), a = document.createElement("a");
    p.className = "note"; p.append(`${text} `); a.href = page(seq); a.textContent = `Look at pair ${seq} again`; p.append(a); at.append(p);
  };

  const fill = () => {
    if (fetching || dry || !last || ahead.length > 4) return fetching;
    fetching = fetch(`/queue/next?after=${encodeURIComponent(last)}${query ? `&${query}` : ""}`, { headers: { Accept: "text/html" } })
      .then((r) => (r.ok ? r.text() : Promise.reject(new Error(r.status))))
      .then((html) => {
        const found = [...new DOMParser().parseFromString(html, "text/html").querySelectorAll("article")];
        if (!found.length) dry = true; else last = cursor(found[found.length - 1]);
        ahead.push(...found);
      })
      .catch(() => say("The server does not answer; decisions wait here until it does."))
      .finally(() => { fetching = null; work(); });
    return fetching;
  };

  const show = (next) => {
    stage.replaceChildren();
    if (next) { stage.append(document.adoptNode(next)); history.replaceState(null, "", page(next.dataset.seq)); document.title = document.title.replace(/\d+/, next.dataset.seq); fill(); return; }
    const p = document.createElement("p"); p.className = "empty"; p.textContent = dry ? "That was the last one." : "Loading…"; stage.append(p);
  };
  const advance = () => { show(ahead.shift()); if (!article() && !dry) (fill() || Promise.resolve()).then(() => { if (!article()) show(ahead.shift()); work(); }); };

  const send = (seq, url, body, kept) => {
    waiting += 1; tell();
    sending = sending.then(async () => {
      for (let n = 0; ; n += 1) {
        try {
          const r = await fetch(`${url}${url.includes("?") ? "&" : "?"}wants=json`, { method: "POST", body, keepalive: true });
          const answer = await r.json();
          if (r.ok) { if (kept) made.push({ seq: answer.seq, flag: seq, key: answer.undo }); say(`${answer.label}.`); return answer; }
          trouble(seq, answer.message); return null;
        } catch (error) {
          if (n === 5) { trouble(seq, "The server did not take this decision."); return null; }
          await new Promise((done) => setTimeout(done, 300 * 2 ** n));
        }
      }
    }).finally(() => { waiting -= 1; tell(); });
    return sending;
  };

  const rule = (form, ruling) => {
    const body = new URLSearchParams(new FormData(form));
    body.set("ruling", ruling);
    const el = form.closest("article");
    if (ruling !== "skip") {
      send(el.dataset.seq, form.getAttribute("action"), body, true);
      const left = document.getElementById("left");
      if (left && ruling !== "assign") left.textContent = String(Math.max(0, Number(left.textContent) - 1));
    }
    advance();
  };

  const undo = () => sending.then(() => {
    const done = made.pop();
    if (!done) { say("There is nothing to undo here."); return; }
    send(done.flag, `/decisions/${done.seq}/revert`, new URLSearchParams({ csrf, key: done.key }), false)
      .then((told) => { if (told) location.assign(page(done.flag)); });
  });

  const act = (key) => {
    if (key === "u") { undo(); return true; }
    const now = article();
    const choice = now && now.querySelector(`[data-choice="${CSS.escape(key)}"]`);
    if (choice) { location.assign(choice.href); return true; }
    const button = now && now.querySelector(`button[data-key="${CSS.escape(key)}"]`);
    if (button) { rule(button.form, button.value); return true; }
    return !now && dry;
  };
  const work = () => { while (typed.length && act(typed[0])) typed.shift(); if (typed.length && !article() && !dry) fill(); };

  if (shortcuts) {
    shortcuts.checked = localStorage.getItem("shortcuts") !== "off";
    shortcuts.addEventListener("change", () => localStorage.setItem("shortcuts", shortcuts.checked ? "on" : "off"));
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target instanceof Element && event.target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]")) return;
    if (!stage || !shortcuts.checked || !/^[makcbdspu1-9]$/.test(event.key)) return;
    event.preventDefault(); typed.push(event.key); work();
  });
  document.addEventListener("submit", (event) => {
    if (!stage || !event.target.closest("article") || !event.submitter) return;
    event.preventDefault(); rule(event.target, event.submitter.value);
  });
  addEventListener("beforeunload", (event) => { if (waiting) event.preventDefault(); });
  if (article()) { last = cursor(article()); fill(); }
})();
