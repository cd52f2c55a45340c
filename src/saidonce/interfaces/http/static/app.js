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

  // What is still being saved lies in the browser too, so that it is sent again from whatever page comes next.
  const who = document.body.dataset.who || "";
  const stored = () => { try { return JSON.parse(localStorage.getItem("outbox") || "[]"); } catch { return []; } };
  const store = (rows) => { try { localStorage.setItem("outbox", JSON.stringify(rows)); } catch { /* sent from here only */ } };
  const keep = (row) => store([...stored().filter((r) => r.body !== row.body), row]);
  const forget = (body) => store(stored().filter((r) => r.body !== body));

  const say = (text, link, back) => {
    if (!live) return;
    live.hidden = false; live.textContent = text;
    if (back) { const b = document.createElement("button"); b.type = "button"; b.className = "plain"; b.textContent = "Undo"; b.addEventListener("click", back); live.append(" ", b); }
    if (link) { const a = document.createElement("a"); a.href = link.url; a.textContent = link.words; live.append(" ", a); }
  };
  const tell = () => { const at = document.getElementById("pending"); if (at) at.textContent = waiting ? `saving ${waiting}` : ""; };
  const cursor = (el) => `${el.dataset.worth},${el.dataset.seq}`;
  const trouble = (seq, message) => {
    const text = `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? "" : "."}`;
    const at = document.getElementById("troubles");
    if (!at) { say(`${text} `, { url: `/queue/${seq}`, words: `Look at pair ${seq} again` }); return; }
    const p = document.createElement("p"), a = document.createElement("a");
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
      .catch(() => say("The server does not respond; decisions are kept here until it does."))
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
    const row = { who, seq, url, body: body.toString(), kept };
    keep(row);
    sending = sending.then(async () => {
      for (let n = 0; ; n += 1) {
        try {
          const r = await fetch(`${url}${url.includes("?") ? "&" : "?"}wants=json`, { method: "POST", body: new URLSearchParams(row.body), keepalive: true });
          if (r.status >= 500) throw new Error(r.status);
          const answer = await r.json();
          forget(row.body);
          if (!r.ok) { trouble(seq, answer.message); return null; }
          if (kept) made.push({ seq: answer.seq, flag: seq, key: answer.undo });
          say(`${answer.label}.`, answer.rule && { url: answer.rule.url, words: `You have decided this way several times. Make it a rule? ${answer.rule.words}` }, kept && (() => undo()));
          return answer;
        } catch (error) {
          if (n === 5) { trouble(seq, "The server has not accepted this decision yet. It is kept in this browser and sent again from the next page."); return null; }
          await new Promise((done) => setTimeout(done, 300 * 2 ** n));
        }
      }
    }).finally(() => { waiting -= 1; tell(); });
    return sending;
  };
  const resend = () => {
    const rows = stored().filter((r) => r.who === who);
    if (!who || !rows.length) return;
    say(`Saving ${rows.length} decision${rows.length === 1 ? "" : "s"} of the previous page.`);
    const token = document.querySelector("input[name=csrf]");
    rows.forEach((r) => {
      const body = new URLSearchParams(r.body);
      if (token) { forget(r.body); body.set("csrf", token.value); }
      send(r.seq, r.url, body, r.kept);
    });
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
    if (!done) { say("Nothing to undo."); return; }
    send(done.flag, `/decisions/${done.seq}/revert`, new URLSearchParams({ csrf, key: done.key }), false)
      .then((answer) => { if (answer) { sessionStorage.setItem("notice", `${answer.label}.`); location.assign(page(done.flag)); } });
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
  const many = document.getElementById("many");
  const boxes = () => (many ? [...many.querySelectorAll("input[name=pairs]")] : []);
  const count = () => {
    const n = boxes().filter((box) => box.checked).reduce((sum, box) => sum + box.value.split(" ").length, 0), at = document.getElementById("ticked"), typed = document.getElementById("count");
    if (at) at.textContent = n ? `${n} ticked` : "";
    if (typed) typed.textContent = String(n);
  };
  let from = -1;
  const tick = (at, upTo, on) => { boxes().slice(Math.min(at, upTo), Math.max(at, upTo) + 1).forEach((box) => { box.checked = on; }); count(); };
  const onList = (event) => {
    const all = boxes(), at = all.indexOf(document.activeElement);
    if (event.key === "n" || event.key === "p") { const to = all[Math.min(all.length - 1, Math.max(0, at + (event.key === "n" ? 1 : -1)))]; if (to) { to.focus(); to.scrollIntoView({ block: "nearest" }); } return true; }
    if ((event.key === "x" || event.key === "X") && at >= 0) { if (event.key === "X" && from >= 0) tick(from, at, all[from].checked); else tick(at, at, !all[at].checked); from = at; return true; }
    if (event.key === "a") { tick(0, all.length - 1, !all.every((box) => box.checked)); return true; }
    const button = many.querySelector(`button[data-bulk="${CSS.escape(event.key)}"]`);
    if (button && event.key !== "Enter") { many.requestSubmit(button); return true; }
    return false;
  };
  if (many) {
    const all = document.getElementById("tick-all");
    if (all) { all.hidden = false; all.addEventListener("click", () => tick(0, boxes().length - 1, !boxes().every((box) => box.checked))); }
    many.addEventListener("click", (event) => {
      const at = boxes().indexOf(event.target);
      if (at < 0) return;
      if (event.shiftKey && from >= 0) tick(from, at, event.target.checked);
      from = at; count();
    });
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || (shortcuts && !shortcuts.checked)) return;
      if (event.target instanceof Element && event.target.closest("input:not([type=checkbox]), textarea, select")) return;
      if (onList(event)) event.preventDefault();
    });
    count();
  }
  try { const notice = sessionStorage.getItem("notice"); if (notice) { sessionStorage.removeItem("notice"); say(notice); } } catch { /* no storage, no notice */ }
  const current = document.querySelector("nav a[aria-current]");
  if (current) current.parentElement.scrollLeft = current.offsetLeft - current.parentElement.offsetLeft - 16;
  resend();
  if (article()) { last = cursor(article()); fill(); }
})();
