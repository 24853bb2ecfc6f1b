// Drawings: what browsers would tell after a while, the tip tells at once. Arrow keys go from mark to mark.
class Plot {
  constructor(drawing) {
    this.marks = [...drawing.querySelectorAll(".mark-point")].map((mark) => {
      const title = mark.querySelector("title");
      const said = title.textContent;
      title.remove();
      return { mark, said, x: mark.getBoundingClientRect().left };
    });
    if (this.marks.length === 0) return;
    this.at = new Map(this.marks.map((each, place) => [each.mark, place]));
    this.ordered = [...this.marks.keys()].sort((a, b) => this.marks[a].x - this.marks[b].x || a - b);
    this.now = -1;
    const title = drawing.querySelector(":scope > title");
    drawing.setAttribute("aria-label", `${title.textContent} Arrow keys go from mark to mark.`);
    drawing.setAttribute("role", "application");
    title.remove();
    drawing.tabIndex = 0;
    this.status = make("p", { role: "status", class: "unseen" });
    drawing.after(this.status);
    drawing.addEventListener("pointerover", (event) => this.show(this.at.get(event.target)));
    // A finger that is lifted leaves the drawing: what it pointed at is still to be read.
    drawing.addEventListener("pointerleave", (event) => {
      if (event.pointerType !== "touch") this.show(undefined);
    });
    document.addEventListener("pointerdown", (event) => {
      if (!drawing.contains(event.target)) this.show(undefined);
    });
    drawing.addEventListener("blur", () => this.show(undefined));
    drawing.addEventListener("keydown", (event) => this.key(event));
  }

  show(place) {
    for (const each of document.querySelectorAll(".mark-point.pointed")) each.classList.remove("pointed");
    if (place === undefined) {
      hideTip();
      return;
    }
    const { mark, said } = this.marks[place];
    mark.classList.add("pointed");
    showTip(said, mark.getBoundingClientRect());
  }

  key(event) {
    const to = stepOf(event.key, this.now, this.ordered.length - 1);
    if (to !== undefined) {
      event.preventDefault();
      this.now = to;
      this.show(this.ordered[to]);
      this.status.textContent = this.marks[this.ordered[to]].said;
    } else if (event.key === "Escape") {
      this.show(undefined);
    }
  }
}

// A table of many rows, as it stands.
const plainRows = {
  keeps: () => true,
  searchable: ({ data }, k) => data.columns.map((column, i) => (column.kind === "text" ? data.cells[i][k] : "")).join("\n"),
  bodies: ({ data }, rows) => [
    make(
      "tbody",
      {},
      ...rows.map((k) => make("tr", {}, ...data.columns.map((column, i) => make("td", { class: column.kind, "data-label": column.title }, data.cells[i][k])))),
    ),
  ],
};

for (const drawing of document.querySelectorAll("svg.plot")) new Plot(drawing);
for (const root of document.querySelectorAll(".explorer.rows")) new Explorer(root).start(plainRows, (k) => k);
