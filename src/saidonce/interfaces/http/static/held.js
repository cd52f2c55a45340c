// The held list by keys: moves, selects, and presses the buttons of the page, which work without it too.
"use strict";
(() => {
  const rows = [...document.querySelectorAll(".held-row")];
  const boxes = [...document.querySelectorAll(".held-row input[name=items]")];
  const all = document.getElementById("pick-all"), told = document.getElementById("n-picked");
  const shortcuts = document.getElementById("shortcuts");
  let at = -1, range = -1;

  const count = () => {
    const n = boxes.filter((box) => box.checked).length;
    if (told) told.textContent = n ? `${n} selected` : "none selected";
    if (all) { all.checked = n > 0 && n === boxes.length; all.indeterminate = n > 0 && n < boxes.length; }
    return n;
  };
  const move = (step) => {
    if (!rows.length) return;
    at = Math.max(0, Math.min(rows.length - 1, at + step));
    rows.forEach((row, n) => row.classList.toggle("at", n === at));
    const link = rows[at].querySelector("a");
    link.focus({ preventScroll: true }); rows[at].scrollIntoView({ block: "nearest" });
  };
  const pick = () => { const box = rows[at] && rows[at].querySelector("input[name=items]"); if (box) { box.checked = !box.checked; count(); } };
  const press = (key) => {
    const button = document.querySelector(`button[data-key="${CSS.escape(key)}"]`);
    if (!button) return false;
    if (button.form.id === "held-form" && !count()) { told.textContent = "select submissions first: x"; return true; }
    button.form.requestSubmit(button); return true;
  };

  if (all) all.addEventListener("change", () => { boxes.forEach((box) => { box.checked = all.checked; }); count(); });
  boxes.forEach((box, n) => box.addEventListener("click", (event) => {
    if (event.shiftKey && range >= 0) for (let i = Math.min(n, range); i <= Math.max(n, range); i += 1) boxes[i].checked = box.checked;
    range = n; count();
  }));
  if (shortcuts) {
    shortcuts.checked = localStorage.getItem("shortcuts") !== "off";
    shortcuts.addEventListener("change", () => localStorage.setItem("shortcuts", shortcuts.checked ? "on" : "off"));
  }
  const form = document.getElementById("held-form");
  if (form) form.addEventListener("submit", (event) => { if (!count()) { event.preventDefault(); told.textContent = "select submissions first: x"; } });
  let sent = false;
  document.addEventListener("submit", (event) => { if (event.defaultPrevented) return; if (sent) event.preventDefault(); sent = true; });
  addEventListener("pageshow", () => { sent = false; count(); });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat && !/^[jk]$/.test(event.key)) return;
    if (event.target instanceof Element && event.target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]")) return;
    if (shortcuts && !shortcuts.checked) return;
    const key = event.key;
    if (key === "j") move(1); else if (key === "k") move(-1);
    else if (key === "x") pick(); else if (key === "a" && all) all.click();
    else {
      const choice = document.querySelector(`[data-choice="${CSS.escape(key)}"]`);
      if (choice) location.assign(choice.href); else if (!/^[rlwsuyng]$/.test(key) || !press(key)) return;
    }
    event.preventDefault();
  });
})();
