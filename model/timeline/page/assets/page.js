"use strict";
(function () {
  const runs = JSON.parse(document.getElementById("data").textContent);
  const articles = Array.from(document.querySelectorAll("article.run"));
  if (runs.length === 0) return;
  const bar = document.getElementById("bar");
  const now = document.getElementById("now");
  const state = document.getElementById("state");
  const source = document.getElementById("source");
  const missing = source.querySelector(".missing");
  const files = Array.from(source.querySelectorAll(".file"));
  let run = -1;
  let step = -1;

  document.documentElement.classList.add("js");
  bar.hidden = state.hidden = false;

  // The rows give up their names: the browser would scroll to them at every step.
  for (const row of document.querySelectorAll("tr.step")) row.removeAttribute("id");

  function element(name, className, text) {
    const e = document.createElement(name);
    if (className) e.className = className;
    if (text !== undefined) e.textContent = text;
    return e;
  }

  // place reads "3", "step=3" and "trace=2&step=5"; what it cannot read is 1.
  function place(hash) {
    const text = hash.replace(/^#/, "");
    let r = 0;
    let s = 0;
    if (/^\d{1,9}$/.test(text)) {
      s = Number(text) - 1;
    } else {
      for (const part of text.split("&")) {
        const found = /^(trace|step)=(\d{1,9})$/.exec(part);
        if (found && found[1] === "trace") r = Number(found[2]) - 1;
        if (found && found[1] === "step") s = Number(found[2]) - 1;
      }
    }
    return [r, s];
  }

  function within(n, length) {
    return Math.max(0, Math.min(n, length - 1));
  }

  function show(r, s, settle) {
    r = within(r, runs.length);
    const steps = runs[r].steps;
    s = steps.length === 0 ? -1 : within(s, steps.length);
    if (r !== run) choose(r);
    if (s === step) return;
    step = s;
    if (s < 0) {
      now.textContent = "There are no steps.";
      return;
    }
    const of = steps[s];
    announce(of, steps.length);
    chart(of, settle);
    table(settle);
    lines(of);
    describe(of);
    for (const b of bar.querySelectorAll("button")) {
      const off = b.dataset.go === "first" || b.dataset.go === "back" ? s === 0 : s === steps.length - 1;
      b.setAttribute("aria-disabled", String(off));
    }
    const hash = runs.length > 1 ? "#trace=" + (r + 1) + "&step=" + (s + 1) : "#" + (s + 1);
    try {
      history.replaceState(null, "", hash);
    } catch (e) {
      // Some embedders forbid it; stepping works all the same.
    }
  }

  // choose shows one run and moves into it what the runs share.
  function choose(r) {
    run = r;
    step = -2;
    articles.forEach(function (a, n) { a.hidden = n !== r; });
    const panels = articles[r].querySelector(".panels");
    articles[r].insertBefore(bar, panels);
    panels.append(source, state);
    for (const a of document.querySelectorAll("nav.runs a")) {
      if (Number(a.dataset.run) === r + 1) a.setAttribute("aria-current", "true");
      else a.removeAttribute("aria-current");
    }
  }

  function announce(of, count) {
    now.replaceChildren(
      element("b", "", "Step " + (step + 1) + " of " + count),
      element("span", "at", " at " + of.time + " "),
      element("span", "who", of.who ? of.who + ": " : ""),
      element("span", "text", of.text),
      element("span", "quiet", of.notes ? ". " + of.notes.join(". ") : ""),
      element("span", "quiet", of.verdict ? ". " + of.verdict : "")
    );
  }

  function chart(of, settle) {
    const svg = articles[run].querySelector(".scroll svg");
    const cursor = svg.querySelector(".cursor");
    cursor.setAttribute("x", of.left);
    cursor.setAttribute("width", runs[run].column);
    const scroll = svg.parentElement;
    const left = of.left - scroll.clientWidth / 2;
    const margin = runs[run].column * 2;
    if (settle || of.left < scroll.scrollLeft + margin || of.left + margin > scroll.scrollLeft + scroll.clientWidth) {
      scroll.scrollTo({ left: left, behavior: calm() || settle ? "auto" : "smooth" });
    }
  }

  function calm() {
    return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  }

  // into scrolls a box, and nothing around it, so that the element in it can be seen.
  function into(box, e) {
    const b = box.getBoundingClientRect();
    const r = e.getBoundingClientRect();
    const head = 40;
    if (r.top < b.top + head || r.bottom > b.bottom - 12) {
      box.scrollTop += r.top - b.top - Math.max(head, (box.clientHeight - r.height) / 2);
    }
  }

  function table() {
    const panel = articles[run].querySelector(".steps");
    const rows = panel.querySelectorAll("tr.step");
    for (const old of panel.querySelectorAll("tr[aria-current]")) old.removeAttribute("aria-current");
    rows[step].setAttribute("aria-current", "step");
    into(panel.querySelector(".body"), rows[step]);
  }

  function lines(of) {
    for (const old of source.querySelectorAll("li[class], li[data-at]")) {
      old.removeAttribute("class");
      old.removeAttribute("aria-current");
      old.removeAttribute("data-at");
    }
    files.forEach(function (f, n) { f.hidden = n !== of.file; });
    source.querySelector("small").textContent = of.place || (of.file < 0 ? "" : files[of.file].dataset.name);
    missing.hidden = of.file >= 0;
    missing.textContent = of.place ? of.place + " is not in this page." : "The text of the protocol is not in this page.";
    for (const p of of.processes) {
      const who = runs[run].processes[p];
      const at = who.file >= 0 ? line(who.file, who.line) : null;
      if (at) at.dataset.at = (at.dataset.at ? at.dataset.at + " " : "") + who.name;
    }
    if (of.file < 0) return;
    if (!of.line) {
      const at = files[of.file].querySelector("li[data-at]");
      if (at) into(source.querySelector(".body"), at);
      return;
    }
    for (const n of of.also || []) {
      const e = line(of.file, n);
      if (e) e.className = "also";
    }
    const lit = line(of.file, of.line);
    if (!lit) return;
    lit.className = "lit";
    lit.setAttribute("aria-current", "true");
    into(source.querySelector(".body"), lit);
  }

  function line(file, n) {
    return files[file].querySelectorAll("ol.code > li")[n - 1] || null;
  }

  function describe(of) {
    state.querySelector("small").textContent = "after step " + (step + 1);
    const body = state.querySelector(".body");
    body.replaceChildren();
    if (of.verdict) body.append(element("p", "outcome", of.verdict));
    if (of.changes || of.notes) {
      const list = element("ul", "changes");
      for (const c of of.changes || []) list.append(element("li", "", c));
      for (const c of of.notes || []) list.append(element("li", "", c));
      body.append(list);
    }
    body.append(element("h4", "", "Stores and source"));
    const stores = element("ul", "cards");
    for (const n of of.entries) stores.append(entry(runs[run].entries[n]));
    const card = element("li", "card");
    card.append(element("span", "name", "source"), element("span", "value", of.source));
    stores.append(card);
    body.append(stores);
    body.append(element("h4", "", "Processes"));
    const processes = element("ul", "cards");
    for (const n of of.processes) processes.append(process(runs[run].processes[n]));
    if (of.processes.length === 0) processes.append(element("li", "card none", "None has begun."));
    body.append(processes);
  }

  function entry(e) {
    const card = element("li", "card" + (e.changed ? " changed" : ""));
    card.append(element("span", "name", e.key));
    card.append(element("span", "value" + (e.value ? "" : " none"), e.value || "absent"));
    if (e.owner) card.append(element("span", "tag", "of " + e.owner));
    if (e.stale) card.append(element("span", "tag warn", "older than the source"));
    if (e.changed) card.append(element("span", "tag new", "changed"));
    if (!e.value) return card;
    if (!e.ttl) {
      card.append(element("span", "ttl", "no TTL"));
      return card;
    }
    card.append(element("span", "ttl", e.ttl + " left"));
    const meter = element("meter");
    meter.min = 0;
    meter.max = 1;
    meter.value = e.part;
    meter.setAttribute("aria-label", "what is left of the TTL");
    card.append(meter);
    return card;
  }

  function process(p) {
    const card = element("li", "card process " + p.color);
    card.append(element("span", "name", p.name), element("span", "tag status " + p.status.split(" ")[0], p.status));
    if (p.holds) {
      card.append(element("span", "tag" + (p.wrong ? " warn" : " own"), (p.wrong ? "wrongly believes that it holds " : "believes that it holds ") + p.holds));
    }
    if (p.last) card.append(element("span", "last", p.last + (p.place ? " (" + p.place + ")" : "")));
    return card;
  }

  function go(where) {
    const count = runs[run].steps.length;
    show(run, { first: 0, back: step - 1, on: step + 1, last: count - 1 }[where]);
  }

  const keys = { ArrowLeft: "back", ArrowRight: "on", k: "back", j: "on", Home: "first", End: "last" };
  document.addEventListener("keydown", function (e) {
    if (e.ctrlKey || e.altKey || e.metaKey || e.shiftKey || !Object.hasOwn(keys, e.key)) return;
    e.preventDefault();
    go(keys[e.key]);
  });
  bar.addEventListener("click", function (e) {
    const b = e.target.closest("button");
    if (b) go(b.dataset.go);
  });
  document.addEventListener("click", function (e) {
    const link = e.target.closest('a[href^="#"]');
    const column = e.target.closest("[data-step]");
    if (column) {
      show(run, Number(column.dataset.step));
    } else if (link && link.classList.contains("skip")) {
      e.preventDefault();
      articles[run].querySelector(".steps .body").focus();
    } else if (link) {
      e.preventDefault();
      show.apply(null, place(link.getAttribute("href")));
    } else if (e.target.closest("tr.step") && String(window.getSelection()) === "") {
      const rows = Array.from(articles[run].querySelectorAll("tr.step"));
      show(run, rows.indexOf(e.target.closest("tr.step")));
    }
  });
  window.addEventListener("hashchange", function () { show.apply(null, place(location.hash)); });
  window.addEventListener("resize", function () {
    if (step < 0) return;
    chart(runs[run].steps[step], true);
    table();
    lines(runs[run].steps[step]);
  });
  const at = place(location.hash);
  show(at[0], at[1], true);
}());
