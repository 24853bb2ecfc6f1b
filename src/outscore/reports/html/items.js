// Which words of two texts differ: what is left over by a longest common subsequence of words.
const WORD = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|[\p{L}\p{N}\p{M}_]+|[^\s]/gu;
const MOST_CELLS = 4_000_000;

function wordsOf(text) {
  return [...text.matchAll(WORD)].map((found) => ({ text: found[0], start: found.index, stop: found.index + found[0].length }));
}

function differing(one, other) {
  let [a, b] = [wordsOf(one), wordsOf(other)];
  let head = 0;
  while (head < a.length && head < b.length && a[head].text === b[head].text) head += 1;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - head && a[a.length - 1 - tail].text === b[b.length - 1 - tail].text) tail += 1;
  a = a.slice(head, a.length - tail);
  b = b.slice(head, b.length - tail);
  if (a.length * b.length > MOST_CELLS) return [[], []];
  const width = b.length + 1;
  const longest = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i * width + j] =
        a[i].text === b[j].text
          ? longest[(i + 1) * width + j + 1] + 1
          : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
    }
  }
  const left = [];
  const right = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (a[i].text === b[j].text) {
      i += 1;
      j += 1;
    } else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1]) {
      left.push(a[i]);
      i += 1;
    } else {
      right.push(b[j]);
      j += 1;
    }
  }
  left.push(...a.slice(i));
  right.push(...b.slice(j));
  // Texts that share no word differ as a whole: then marks would say nothing.
  return a.length - left.length + head + tail === 0 ? [[], []] : [left, right];
}

// A text with some of its words marked; marks of neighbouring words are joined.
function marked(text, words, className) {
  const contents = [];
  let done = 0;
  for (let k = 0; k < words.length; k += 1) {
    const { start } = words[k];
    while (k + 1 < words.length && text.slice(words[k].stop, words[k + 1].start).trim() === "") k += 1;
    contents.push(text.slice(done, start), make("mark", { class: className }, text.slice(start, words[k].stop)));
    done = words[k].stop;
  }
  return [...contents, text.slice(done)];
}

class Items {
  constructor(texts) {
    this.texts = texts;
    this.withTexts = true;
  }

  attach(explorer) {
    const { root, data } = explorer;
    this.difference = data.columns.findIndex((column) => column.title === "difference");
    this.select = root.querySelector("select");
    this.select.addEventListener("change", () => this.sort(explorer));
    for (const radio of root.querySelectorAll("fieldset input")) {
      radio.addEventListener("change", () => explorer.refresh());
    }
    const checkbox = root.querySelector("input[type=checkbox]");
    if (checkbox !== null) {
      checkbox.addEventListener("change", () => {
        this.withTexts = checkbox.checked;
        explorer.show();
      });
    }
    explorer.start(this, (i) => i);
    this.sort(explorer);
  }

  sort(explorer) {
    const value = (i) => explorer.number(this.difference, i);
    const chosen = this.select.value;
    if (chosen === "change") explorer.sortBy((i) => (value(i) === null ? null : Math.abs(value(i))), -1, -1);
    else if (chosen === "wins") explorer.sortBy(value, -1, this.difference);
    else if (chosen === "losses") explorer.sortBy(value, 1, this.difference);
    else explorer.sortBy((i) => explorer.data.places[i], 1, -1);
  }

  sorted() {
    this.select.selectedIndex = -1;
  }

  keeps(explorer, i) {
    const chosen = explorer.root.querySelector("fieldset input:checked");
    if (chosen === null || chosen.value === "all") return true;
    const sign = Math.sign(explorer.number(this.difference, i) || 0);
    return sign === { wins: 1, losses: -1, ties: 0 }[chosen.value];
  }

  searchable(explorer, i) {
    const { data } = explorer;
    const said = data.parts.flatMap((part) => part.texts[i].map((number) => this.texts[number]));
    return [data.cells[0][i], ...said].join("\n");
  }

  bodies(explorer, rows) {
    return rows.map((i) => {
      const { data } = explorer;
      const change = Math.sign(explorer.number(this.difference, i) || 0);
      const cells = data.columns.map((column, k) => {
        const text = data.cells[k][i];
        if (k === 0) return make("th", { scope: "row" }, text);
        const sign = k === this.difference ? ["loss", "tie", "win"][change + 1] : "";
        return make("td", { class: `${column.kind} ${sign}`.trim() }, text);
      });
      const body = make("tbody", {}, make("tr", {}, ...cells));
      if (this.withTexts && data.parts.length > 0) {
        body.append(make("tr", { class: "texts" }, make("td", { colspan: data.columns.length }, this.textsOf(data, i))));
      }
      return body;
    });
  }

  textsOf(data, i) {
    const held = new Map(data.parts.map((part) => [part.kind, part.texts[i].map((number) => this.texts[number])]));
    const both = held.has("baseline") && held.has("candidate");
    const [left, right] = both ? differing(held.get("baseline")[0], held.get("candidate")[0]) : [[], []];
    const blocks = data.parts.map((part) => {
      const words = { baseline: left, candidate: right }[part.kind] || [];
      const texts = held.get(part.kind).map((text) => make("p", { lang: "", dir: "auto" }, ...marked(text, words, part.kind)));
      return make("div", { class: part.kind }, make("h5", {}, part.heading), ...texts);
    });
    return make("div", { class: "side-by-side" }, ...blocks);
  }
}

const pageTexts = dataOf("texts") || [];
for (const root of document.querySelectorAll(".explorer")) {
  if (!root.classList.contains("pairs")) {
    const items = new Items(pageTexts);
    items.attach(new Explorer(root));
  }
}
