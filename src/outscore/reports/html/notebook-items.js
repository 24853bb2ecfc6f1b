(() => {
  "use strict";
  const SIZE = 10;
  const number = (text) => Number(text.replace(/,/g, "").replace("−", "-"));
  function start(box) {
    const table = box.querySelector("table");
    const more = box.querySelector("details.more");
    if (more !== null) {
      table.append(...more.querySelectorAll("tbody"));
      more.remove();
    }
    const bodies = [...table.tBodies];
    const heads = [...table.tHead.rows[0].cells];
    const make = (name, className, text) => {
      const made = document.createElement(name);
      if (className) made.className = className;
      if (text) made.textContent = text;
      return made;
    };
    const [tools, pager, search] = [make("div", "tools"), make("div", "pager"), make("input")];
    search.type = "search";
    search.placeholder = "Search words or an id";
    search.setAttribute("aria-label", "Search");
    const known = bodies.some((body) => body.dataset.change);
    const buttons = (known ? ["all", "losses", "wins", "ties"] : []).map((name) => {
      const count = name === "all" ? bodies.length : bodies.filter((body) => body.dataset.change === name).length;
      const button = make("button", "", `${name} ${count}`);
      button.type = "button";
      button.dataset.keep = name;
      button.setAttribute("aria-pressed", String(name === "all"));
      return button;
    });
    tools.append(search, ...buttons);
    let order = bodies;
    let page = 0;
    let kind = "all";
    const turn = (text, step) => {
      const button = make("button", "", text);
      button.type = "button";
      button.addEventListener("click", () => {
        page += step;
        show();
      });
      return button;
    };
    const [before, where, after] = [turn("‹ Previous", -1), make("span"), turn("Next ›", 1)];
    where.setAttribute("role", "status");
    pager.append(before, where, after);
    function show() {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const kept = order.filter((body) => {
        const text = words.length > 0 ? body.textContent.toLowerCase() : "";
        return (kind === "all" || body.dataset.change === kind) && words.every((word) => text.includes(word));
      });
      const last = Math.max(0, Math.ceil(kept.length / SIZE) - 1);
      page = Math.min(Math.max(page, 0), last);
      for (const body of bodies) body.hidden = true;
      const inSight = kept.slice(page * SIZE, (page + 1) * SIZE);
      for (const body of inSight) body.hidden = false;
      table.append(...inSight);
      where.textContent =
        kept.length === 0
          ? "No item."
          : `${page * SIZE + 1} to ${page * SIZE + inSight.length} of ${kept.length} items`;
      before.disabled = page === 0;
      after.disabled = page === last;
    }
    const again = () => {
      page = 0;
      show();
    };
    search.addEventListener("input", again);
    for (const button of buttons) {
      button.addEventListener("click", () => {
        kind = button.dataset.keep;
        for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
        again();
      });
    }
    heads.forEach((head, column) => {
      const numbers = head.classList.contains("number");
      const now = () => head.getAttribute("aria-sort");
      head.setAttribute("aria-sort", "none");
      head.tabIndex = 0;
      const sort = () => {
        const sign = now() === "ascending" ? -1 : 1;
        for (const other of heads) other.setAttribute("aria-sort", "none");
        head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
        const text = (body) => body.rows[0].cells[column].textContent;
        const compare = (a, b) => {
          if (!numbers) return text(a).localeCompare(text(b), undefined, { numeric: true });
          const [x, y] = [number(text(a)), number(text(b))];
          return Number.isNaN(x) || Number.isNaN(y) ? Number.isNaN(x) - Number.isNaN(y) : x - y;
        };
        order = [...bodies].sort((a, b) => sign * compare(a, b));
        again();
      };
      head.addEventListener("click", sort);
      head.addEventListener("keydown", (event) => {
        if (event.key === "Enter") sort();
      });
    });
    const scroll = table.closest(".scroll");
    scroll.before(tools);
    scroll.after(pager);
    show();
  }
  for (const root of document.querySelectorAll('[data-items="NAME"]:not([data-started])')) {
    root.dataset.started = "";
    for (const box of root.querySelectorAll(".comparison")) start(box);
  }
})();
