// A table of many rows, of which one page at a time is in the document.
class Explorer {
  constructor(root) {
    this.root = root;
    this.view = null;
    this.data = dataOf(root.dataset.source);
    this.size = Number(root.dataset.size);
    this.count = this.data.cells[0].length;
    this.table = root.querySelector("table");
    this.heads = [...this.table.tHead.rows[0].cells];
    this.words = [];
    this.page = 0;
    this.texts = null;
    root.hidden = false;
    this.heads.forEach((head, column) => {
      head.querySelector("button").addEventListener("click", () => this.sortByColumn(column));
    });
    const search = root.querySelector("input[type=search]");
    let waiting = null;
    search.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        this.words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
        this.refresh();
      }, 80);
    });
    this.buildPager();
  }

  // Show the rows as `view` makes them, in the order of `key`.
  start(view, key) {
    this.view = view;
    this.sortBy(key, 1, -1);
  }

  number(column, row) {
    const values = this.data.values[column];
    return values === null ? null : values[row];
  }

  searchable(row) {
    if (this.texts === null) {
      this.texts = Array.from({ length: this.count }, (_, i) => this.view.searchable(this, i).toLowerCase());
    }
    return this.texts[row];
  }

  // A comparison that keeps what has no number last, and equal rows in their order.
  sortBy(key, sign, column) {
    this.compare = (a, b) => {
      const x = key(a);
      const y = key(b);
      if (x === y) return a - b;
      if (x === null) return 1;
      if (y === null) return -1;
      return sign * (typeof x === "number" ? x - y : compareText(x, y)) || a - b;
    };
    this.heads.forEach((head, i) => {
      head.setAttribute("aria-sort", i === column ? (sign > 0 ? "ascending" : "descending") : "none");
    });
    this.refresh();
  }

  sortByColumn(column) {
    const values = this.data.values[column];
    const first = values === null || this.data.columns[column].low ? 1 : -1;
    const now = this.heads[column].getAttribute("aria-sort");
    const sign = now === "none" ? first : now === "ascending" ? -1 : 1;
    this.sortBy(values === null ? (i) => this.data.cells[column][i] : (i) => values[i], sign, column);
    if (this.view.sorted) this.view.sorted(this);
  }

  refresh() {
    const kept = [];
    for (let i = 0; i < this.count; i += 1) {
      if (this.view.keeps(this, i) && this.words.every((word) => this.searchable(i).includes(word))) kept.push(i);
    }
    this.rows = kept.sort(this.compare);
    this.page = 0;
    this.show();
  }

  show() {
    const start = this.page * this.size;
    const rows = this.rows.slice(start, start + this.size);
    for (const body of [...this.table.tBodies]) body.remove();
    this.table.append(...this.view.bodies(this, rows));
    const total = this.rows.length;
    const range = `${counted(start + 1)} to ${counted(start + rows.length)} of ${counted(total)}`;
    const all = total < this.count ? ` (${counted(this.count)} in all)` : "";
    this.root.querySelector(".count").textContent = total === 0 ? `None of ${counted(this.count)}.` : range + all;
    const last = Math.max(0, Math.ceil(total / this.size) - 1);
    this.pager.hidden = last === 0;
    this.first.disabled = this.before.disabled = this.page === 0;
    this.after.disabled = this.last.disabled = this.page === last;
    this.where.textContent = `Page ${counted(this.page + 1)} of ${counted(last + 1)}`;
  }

  buildPager() {
    this.pager = this.root.querySelector(".pager");
    const button = (text, said, move) => {
      const made = make("button", { type: "button", "aria-label": said }, text);
      made.addEventListener("click", () => {
        this.page = move(Math.max(0, Math.ceil(this.rows.length / this.size) - 1));
        this.show();
        this.root.querySelector(".tools").scrollIntoView({ block: "nearest" });
      });
      return made;
    };
    this.first = button("«", "First page", () => 0);
    this.before = button("‹ Previous", "Previous page", () => this.page - 1);
    this.where = make("span", {});
    this.after = button("Next ›", "Next page", () => this.page + 1);
    this.last = button("»", "Last page", (last) => last);
    this.pager.append(this.first, this.before, this.where, this.after, this.last);
  }
}
