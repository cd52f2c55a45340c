// Sends messages without leaving the page, and looks for new ones: often while somebody writes, seldom after a while.
"use strict";
(() => {
  const main = document.querySelector("main.chat"), form = document.getElementById("writer");
  const text = document.getElementById("text"), photo = document.getElementById("photo"), trouble = document.getElementById("trouble");
  const path = main.dataset.path;
  let shown = "", busy = false, sending = Promise.resolve(), last = Date.now();

  const local = (root) => root.querySelectorAll(".stamp time").forEach((t) => {
    t.textContent = new Date(t.dateTime).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  });
  const down = () => { const list = document.querySelector(".lines"); list.scrollTop = list.scrollHeight; };
  const bare = (el) => el.querySelector(".lines").innerHTML.replace(/name="key" value="[^"]*"/g, "");
  const tell = (said) => { trouble.hidden = !said; trouble.textContent = said; };

  const show = (html) => {
    const next = new DOMParser().parseFromString(html, "text/html").getElementById("lines");
    if (!next) return;
    form.elements.key.value = next.dataset.key;
    if (bare(next) === shown) return;
    shown = bare(next); last = Date.now();
    // A list that stays in place tells a screen reader what is new, and only that.
    const list = document.querySelector(".lines"), fresh = document.adoptNode(next).querySelector(".lines");
    local(fresh);
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
      if (r.ok) { show(await r.text()); tell(""); }
      else if (r.status === 404) tell("This link has ended. Please ask your landlord for a new one.");
    } catch { tell("No connection; new messages will come when there is one."); } finally { busy = false; }
  };
  const again = () => {
    const quiet = Date.now() - last;
    setTimeout(() => look().finally(again), quiet < 60000 ? 700 : quiet < 600000 ? 2500 : 8000);
  };

  const send = (body) => {
    sending = sending.then(async () => {
      for (let n = 0; n < 5; n += 1) {
        try {
          const r = await fetch(`${path}?wants=lines`, { method: "POST", body });
          if (r.ok) { tell(""); last = Date.now(); show(await r.text()); return true; }
          const told = await r.json().catch(() => ({}));
          tell(told.message || "The message was not taken."); return false;
        } catch { tell("No connection; trying again."); await new Promise((done) => setTimeout(done, 400 * 2 ** n)); }
      }
      tell("The message could not be sent. Please send it again."); return false;
    });
    return sending;
  };

  document.addEventListener("submit", async (event) => {
    const from = event.target;
    if (from !== form && !from.closest(".answers")) return;
    event.preventDefault();
    const body = new FormData(from, event.submitter);
    if (from !== form) { from.closest(".answers").remove(); await send(body); text.focus(); return; }
    if (!text.value.trim() && !photo.files.length) { text.focus(); return; }
    const words = text.value;
    // Each message has its own name, so that a repetition is kept once.
    body.set("key", [...crypto.getRandomValues(new Uint8Array(12))].map((b) => b.toString(16).padStart(2, "0")).join(""));
    text.value = ""; photo.value = ""; named(); grow();
    if (!(await send(body))) { text.value = words; grow(); }
    text.focus();
  });
  const grow = () => { text.rows = Math.min(6, Math.max(1, text.value.split("\n").length)); };
  const named = () => { const f = photo.files[0]; photo.closest(".clip").querySelector("span").textContent = f ? f.name.slice(0, 24) : "Photo"; photo.closest(".clip").classList.toggle("full", Boolean(f)); };
  text.addEventListener("input", grow);
  photo.addEventListener("change", named);
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); form.requestSubmit(); }
  });
  document.addEventListener("visibilitychange", look);
  addEventListener("resize", down);
  shown = bare(document); local(document); down(); if (matchMedia("(hover: hover)").matches) text.focus({ preventScroll: true }); again();
})();
