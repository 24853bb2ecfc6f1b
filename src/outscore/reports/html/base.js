"use strict";

// Everything that comes from data is set as text: no markup is ever parsed here.
function make(name, attributes, ...contents) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...contents.filter((content) => content !== null && content !== undefined));
  return made;
}

function drawn(name, attributes, ...contents) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...contents);
  return made;
}

function dataOf(identifier) {
  const block = document.getElementById(identifier);
  return block === null ? null : JSON.parse(block.textContent);
}

// A name that is broken only where its pieces end; a hyphen does not part what is short.
function named(name) {
  const pieces = [""];
  for (const part of name.match(/[^-_/@ ]*[-_/@ ]*/g).filter(Boolean)) {
    const last = pieces[pieces.length - 1];
    if (last === "" || (last.endsWith("-") && last.length < 10)) pieces[pieces.length - 1] += part;
    else pieces.push(part);
  }
  if (pieces.length === 1) return [name];
  return pieces.flatMap((piece, i) => [i === 0 ? null : make("wbr", {}), make("span", { class: "piece" }, piece)]);
}

function counted(number) {
  return number.toLocaleString("en-US");
}

const compareText = new Intl.Collator(undefined, { numeric: true }).compare;

// Themes: what the system says, until somebody chooses.
function setTheme(theme) {
  const button = document.getElementById("theme");
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  button.textContent = `Theme: ${theme}`;
  button.dataset.now = theme;
}

function startThemes() {
  const themes = ["auto", "light", "dark"];
  const button = document.getElementById("theme");
  let kept = null;
  try {
    kept = localStorage.getItem("outscore-theme");
  } catch {
    // Some browsers keep nothing for files: then the choice holds until the page is closed.
  }
  setTheme(themes.includes(kept) ? kept : "auto");
  button.hidden = false;
  button.addEventListener("click", () => {
    const next = themes[(themes.indexOf(button.dataset.now) + 1) % themes.length];
    setTheme(next);
    try {
      localStorage.setItem("outscore-theme", next);
    } catch {
      // As above.
    }
  });
}

// On paper nothing can be unfolded.
function startPrinting() {
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details.printed:not([open])")];
    for (const each of opened) each.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const each of opened) each.open = false;
  });
}

// A box that does not overflow is no stop for the keyboard.
function startBoxes() {
  const watch = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth + 1) target.tabIndex = 0;
      else target.removeAttribute("tabindex");
    }
  });
  for (const box of document.querySelectorAll(".scroll")) watch.observe(box);
}

// Tables that stand in the page as a whole: their headings become buttons.
function startSortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  const original = [...body.rows];
  heads.forEach((head, column) => {
    const button = make("button", { type: "button" }, head.textContent);
    head.replaceChildren(button);
    head.setAttribute("aria-sort", head.dataset.sorted || "none");
    button.addEventListener("click", () => {
      const numbers = head.classList.contains("number");
      const now = head.getAttribute("aria-sort");
      const best = head.dataset.first || (numbers ? "descending" : "ascending");
      const other = best === "ascending" ? "descending" : "ascending";
      const next = now === best ? other : best;
      for (const each of heads) each.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", next);
      const sign = next === "ascending" ? 1 : -1;
      const key = (row) => {
        const cell = row.cells[column];
        if (cell.textContent === "") return null;
        return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
      };
      // Blanks come last, whichever way the table is sorted.
      const order = (x, y) => {
        if (x === null || y === null) return (x === null) - (y === null);
        return sign * (typeof x === "number" && typeof y === "number" ? x - y : compareText(String(x), String(y)));
      };
      const keyed = original.map((row, place) => ({ row, place, key: key(row) }));
      keyed.sort((a, b) => order(a.key, b.key) || a.place - b.place);
      body.append(...keyed.map((each) => each.row));
    });
  });
}

// A field above a long table: only rows whose names hold all words are shown.
function startFilter(table) {
  const field = make("input", { type: "search", placeholder: "part of a name" });
  const count = make("span", { role: "status", class: "count" });
  table.closest(".scroll").before(make("div", { class: "tools" }, make("label", {}, "Filter rows ", field), count));
  const rows = [...table.tBodies[0].rows];
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const name = [...row.cells].filter((cell) => !cell.classList.contains("number")).map((cell) => cell.textContent);
      row.hidden = !words.every((word) => name.join(" ").toLowerCase().includes(word));
    }
    const shown = rows.filter((row) => !row.hidden).length;
    count.textContent = words.length === 0 ? "" : `${counted(shown)} of ${counted(rows.length)}`;
  });
}

startThemes();
startPrinting();
startBoxes();
for (const table of document.querySelectorAll("table.filterable")) startFilter(table);
for (const contents of document.querySelectorAll("details.contents")) {
  contents.addEventListener("click", (event) => {
    if (event.target.closest("a") !== null) contents.open = false;
  });
}
for (const table of document.querySelectorAll("table.sortable")) startSortable(table);
