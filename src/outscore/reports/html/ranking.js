// The p-values of one ranking under the correction that its switch says, for all figures of pairs.
class Corrected {
  constructor(data, article) {
    this.data = data;
    this.figures = [];
    const captions = article.querySelectorAll("[data-correction]");
    const choose = (key) => {
      this.correction = data.corrections.find((each) => each.key === key);
      for (const caption of captions) caption.textContent = this.correction.said;
      for (const figure of this.figures) figure.update();
    };
    for (const part of article.querySelectorAll(".scripted")) part.hidden = false;
    for (const radio of article.querySelectorAll(".corrections input")) {
      // Browsers keep what was chosen when a page is loaded again: it starts as it is written.
      radio.checked = radio.defaultChecked;
      if (radio.checked) choose(radio.value);
      radio.addEventListener("change", () => choose(radio.value));
    }
  }

  show(figure) {
    this.figures.push(figure);
    figure.update();
  }

  text(k) {
    return this.data.cells[this.correction.column][k];
  }

  value(k) {
    return this.data.values[this.correction.column][k];
  }

  level(k) {
    return this.data.bounds.filter((bound) => this.value(k) <= bound).length;
  }

  said(k) {
    const { cells } = this.data;
    const p = this.text(k);
    const equals = /^[<>≤]/.test(p) ? "" : "= ";
    const name = this.correction.key === "none" ? "p" : `p (${this.correction.name})`;
    return `${cells[0][k]} over ${cells[1][k]}: gain ${cells[2][k]}, ${name} ${equals}${p}`;
  }
}

class PairDialog {
  constructor(data, name) {
    this.data = data;
    this.name = name;
    const { ends } = data;
    const finite = ends.flat().filter((end) => end !== null);
    this.low = Math.min(0, ...finite);
    this.high = Math.max(0, ...finite);
    this.body = make("div", {});
    const close = make("button", { type: "button", class: "close", "aria-label": "Close" }, "✕");
    close.addEventListener("click", () => this.element.close());
    this.element = make("dialog", { class: "pair", "aria-labelledby": `${name}-title` }, close, this.body);
    // A click beside the dialog closes it.
    this.element.addEventListener("click", (event) => {
      if (event.target === this.element) this.element.close();
    });
    document.body.append(this.element);
  }

  open(k) {
    const { data } = this;
    const [better, worse] = [data.cells[0][k], data.cells[1][k]];
    const title = make("h2", { id: `${this.name}-title` }, `${better} over ${worse}`);
    const rows = data.columns.flatMap((column, i) => {
      if (i < 2) return [];
      const value = data.cells[i][k];
      return value === "" ? [] : [make("tr", {}, make("th", { scope: "row" }, column.title), make("td", { class: "number" }, value))];
    });
    const bracket = data.brackets[k] === "" ? "" : `; error bound: ${data.brackets[k]}`;
    hideTip();
    this.body.replaceChildren(
      title,
      make("p", {}, data.sentences[k]),
      this.interval(k),
      make("table", {}, make("tbody", {}, ...rows)),
      make("p", { class: "note" }, `p ${data.how[k]}${bracket}.`),
    );
    this.element.showModal();
    this.element.scrollTop = 0;
  }

  // The gain and its interval on the scale of all pairs.
  interval(k) {
    const [low, gain, high] = this.data.ends[k];
    if (low === null || gain === null || high === null || this.low === this.high) return null;
    const at = (value) => 10 + (480 * (value - this.low)) / (this.high - this.low);
    const rule = (x1, y1, x2, y2, name) => drawn("line", { x1, y1, x2, y2, class: name });
    const caption = drawn("text", { x: at(0), y: 56, class: "tick", "text-anchor": "middle" }, "0");
    return drawn(
      "svg",
      { viewBox: "0 0 500 62", class: "drawing fitted", role: "img", "aria-label": `gain ${this.data.cells[2][k]}, interval ${this.data.cells[3][k]}` },
      rule(10, 42, 490, 42, "axis"),
      rule(at(0), 6, at(0), 42, "mark zero"),
      caption,
      rule(at(low), 22, at(high), 22, "interval"),
      rule(at(low), 16, at(low), 28, "interval"),
      rule(at(high), 16, at(high), 28, "interval"),
      drawn("circle", { cx: at(gain), cy: 22, r: 6, class: "point" }),
    );
  }
}

// The heat map: one stop for the keyboard, arrow keys within.
class HeatMap {
  constructor(shown, table, dialog) {
    this.table = table;
    this.dialog = dialog;
    this.shown = shown;
    this.rows = [...table.tBodies[0].rows].map((row) => [...row.cells].filter((cell) => cell.dataset.pair !== undefined));
    this.columns = [...table.tHead.rows[0].cells].slice(2);
    this.plain = table.classList.contains("plain-p");
    table.setAttribute("role", "grid");
    this.at = [0, 0];
    shown.show(this);
    this.rows.flat().forEach((cell) => {
      cell.tabIndex = -1;
    });
    this.rows[0][0].tabIndex = 0;
    table.addEventListener("click", (event) => {
      const place = this.placeOf(event.target);
      if (place !== null) {
        this.move(place, false);
        dialog.open(this.pair(place));
      }
    });
    table.addEventListener("keydown", (event) => this.key(event));
    table.addEventListener("pointerover", (event) => this.point(this.placeOf(event.target)));
    table.addEventListener("pointerleave", () => this.point(null));
    table.addEventListener("focusin", (event) => this.point(this.placeOf(event.target)));
    table.addEventListener("focusout", () => this.point(null));
  }

  placeOf(target) {
    const cell = target.closest("td[data-pair]");
    if (cell === null) return null;
    const i = cell.parentElement.sectionRowIndex;
    return [i, this.rows[i].indexOf(cell)];
  }

  pair([i, j]) {
    return Number(this.rows[i][j].dataset.pair);
  }

  update() {
    const { shown } = this;
    for (const cell of this.rows.flat()) {
      const k = Number(cell.dataset.pair);
      const level = shown.level(k);
      cell.className = `l${level}`;
      cell.textContent = this.plain ? shown.text(k) : shown.data.marks[level];
      cell.setAttribute("aria-label", shown.said(k));
    }
  }

  point(place) {
    for (const each of this.table.querySelectorAll(".pointed")) each.classList.remove("pointed");
    if (place === null) {
      hideTip();
      return;
    }
    const [i, j] = place;
    const cell = this.rows[i][j];
    for (const name of [...cell.parentElement.cells].slice(0, 2)) name.classList.add("pointed");
    this.columns[i + j].classList.add("pointed");
    showTip(this.shown.said(this.pair(place)), cell.getBoundingClientRect());
  }

  move([i, j], focus = true) {
    this.rows[this.at[0]][this.at[1]].tabIndex = -1;
    this.at = [i, j];
    const cell = this.rows[i][j];
    cell.tabIndex = 0;
    if (focus) cell.focus();
  }

  // Rows begin after the diagonal: column j of row i is system i + 1 + j.
  key(event) {
    const [i, j] = this.at;
    const column = i + j;
    const to = {
      ArrowRight: [i, j + 1],
      ArrowLeft: [i, j - 1],
      ArrowDown: [i + 1, column - i - 1],
      ArrowUp: [i - 1, column - i + 1],
      Home: [i, 0],
      End: [i, this.rows[i].length - 1],
    }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      const [row, place] = to;
      if (row >= 0 && row < this.rows.length && place >= 0 && place < this.rows[row].length) this.move(to);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.dialog.open(this.pair(this.at));
    } else if (event.key === "Escape") {
      hideTip();
    }
  }
}

// Gain against confidence: points are walked through in the order of their gains.
class Gains {
  constructor(shown, drawing, dialog) {
    const { data } = shown;
    this.dialog = dialog;
    this.shown = shown;
    this.layer = drawing;
    this.points = [...drawing.querySelectorAll("[data-pair]")];
    this.top = Number(drawing.dataset.top);
    this.bottom = Number(drawing.dataset.bottom);
    // Before and after the height, which is all that changes: small marks are scaled, too.
    this.around = new Map(this.points.map((point) => [point, point.getAttribute("transform").match(/(.*? )[-\d.]+(\).*)/)]));
    this.ordered = [...this.points].sort((a, b) => data.ends[a.dataset.pair][1] - data.ends[b.dataset.pair][1]);
    this.now = -1;
    shown.show(this);
    drawing.querySelector("title").remove();
    drawing.tabIndex = 0;
    drawing.setAttribute("role", "application");
    drawing.setAttribute("aria-label", "Gain against confidence of all pairs: arrow keys go from pair to pair, Enter opens one");
    this.status = make("p", { role: "status", class: "unseen" });
    drawing.after(this.status);
    this.layer.addEventListener("pointerover", (event) => {
      if (event.target.dataset.pair !== undefined) this.mark(event.target);
    });
    this.layer.addEventListener("pointerout", () => this.mark(null));
    this.layer.addEventListener("click", (event) => {
      if (event.target.dataset.pair !== undefined) dialog.open(Number(event.target.dataset.pair));
    });
    drawing.addEventListener("blur", () => this.mark(null));
    drawing.addEventListener("keydown", (event) => this.key(event));
  }

  update() {
    for (const point of this.points) {
      const p = this.shown.value(Number(point.dataset.pair));
      const y = this.bottom - (1 - p) * (this.bottom - this.top);
      const [, before, after] = this.around.get(point);
      point.setAttribute("transform", `${before}${y.toFixed(1)}${after}`);
    }
  }

  mark(point) {
    for (const each of this.layer.querySelectorAll(".pointed")) each.classList.remove("pointed");
    if (point === null) {
      hideTip();
      return;
    }
    point.classList.add("pointed");
    showTip(this.shown.said(Number(point.dataset.pair)), point.getBoundingClientRect());
  }

  key(event) {
    const to = stepOf(event.key, this.now, this.ordered.length - 1);
    if (to !== undefined) {
      event.preventDefault();
      this.now = to;
      this.mark(this.ordered[to]);
      this.status.textContent = this.shown.said(Number(this.ordered[to].dataset.pair));
    } else if ((event.key === "Enter" || event.key === " ") && this.now >= 0) {
      event.preventDefault();
      this.dialog.open(Number(this.ordered[this.now].dataset.pair));
    } else if (event.key === "Escape") {
      this.mark(null);
    }
  }
}

// All pairs as a table; a row opens its pair.
class Pairs {
  constructor(dialog) {
    this.dialog = dialog;
  }

  keeps() {
    return true;
  }

  searchable(explorer, k) {
    return explorer.data.columns.map((column, i) => (column.kind === "text" ? explorer.data.cells[i][k] : "")).join("\n");
  }

  bodies(explorer, rows) {
    const { columns, cells } = explorer.data;
    const made = rows.map((k) => {
      const open = make("button", { type: "button", class: "link" }, ...named(cells[0][k]));
      const row = make("tr", { "data-pair": k }, make("th", { scope: "row" }, open));
      for (let i = 1; i < columns.length; i += 1) row.append(make("td", { class: columns[i].kind, "data-label": columns[i].title }, ...(columns[i].kind === "text" ? named(cells[i][k]) : [cells[i][k]])));
      row.addEventListener("click", () => this.dialog.open(k));
      return row;
    });
    return [make("tbody", {}, ...made)];
  }
}

for (const root of document.querySelectorAll(".explorer.pairs")) {
  const explorer = new Explorer(root);
  const { data } = explorer;
  const prefix = root.dataset.source.replace(/-data$/, "");
  const dialog = new PairDialog(data, `${prefix}-pair`);
  explorer.start(new Pairs(dialog), (k) => k);
  const shown = new Corrected(data, document.getElementById(prefix));
  const figure = (name) => document.getElementById(`${prefix}-${name}`);
  new HeatMap(shown, figure("heat"), dialog);
  if (figure("points") !== null) new Gains(shown, figure("points"), dialog);
}
