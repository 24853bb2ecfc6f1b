/* The search of the site. It ranks pages by titles, headings and synonyms first and by their text last, and shows an
   excerpt of each. docs/conf.py writes PAGES into search.html: a page opened from disk cannot read the others. */
"use strict";
{
  const STEMMER = new Stemmer();
  const STEMS = new Map();
  /* What a word adds in a title or heading, a title that equals or contains the query, and a name of the reference. */
  const WEIGHT = { title: 10, heading: 6, same: 40, part: 10, name: 1000, object: 15 };

  const stem = (word) => {
    if (!STEMS.has(word)) STEMS.set(word, STEMMER.stemWord(word));
    return STEMS.get(word);
  };
  const stems = (text) => splitQuery(text.toLowerCase()).map(stem);
  const padded = (words) => ` ${words.join(" ")} `;

  /* A title or synonym scores most if it equals the query, and less if one contains the other. */
  const phrase = (text) => ({ words: stems(text), text: padded(stems(text)) });
  const bonus = (phrases, query) =>
    Math.max(
      0,
      ...phrases.map(({ text }) =>
        text === query ? WEIGHT.same : text.includes(query) || query.includes(text) ? WEIGHT.part : 0,
      ),
    );

  /* A page with the number of times that each word occurs, and the words of each heading with its synonyms. */
  const prepare = (page) => {
    const counts = new Map();
    for (const { heading, texts, code, synonyms } of page.sections)
      for (const word of stems([heading, ...texts, code, ...synonyms].join(" ")))
        counts.set(word, (counts.get(word) || 0) + 1);
    const headings = page.sections.map(({ heading, synonyms }) => [heading, ...synonyms].map(phrase));
    const words = headings.map((phrases) => new Set(phrases.flatMap((each) => each.words)));
    return { ...page, counts, headings, words };
  };
  const pages = PAGES.map(prepare);

  /* The words of the query without stop words, each as a list: a word on no page becomes those that begin with it. */
  const wordsOf = (query) => {
    const all = splitQuery(query.toLowerCase());
    const telling = all.filter((word) => !stopwords.has(word));
    const known = new Set(pages.flatMap((page) => [...page.counts.keys()]));
    return (telling.length ? telling : all).map((word) => {
      if (known.has(stem(word)) || word.length < 3) return [stem(word)];
      return [stem(word), ...[...known].filter((each) => each.startsWith(word))];
    });
  };

  /* Every page that has a word of the query, by its best heading. The first heading is the title. */
  const rank = (query) => {
    const words = wordsOf(query);
    const asked = padded(stems(query));
    const count = (page, word) => word.reduce((sum, each) => sum + (page.counts.get(each) || 0), 0);
    const rarity = words.map((word) => {
      const having = pages.filter((page) => count(page, word)).length;
      return Math.log(1 + pages.length / (1 + having));
    });
    const results = [];
    for (const page of pages) {
      const found = words.filter((word) => count(page, word)).length / words.length;
      if (!found) continue;
      const scores = page.sections.map((_, at) => {
        const has = (section, word) => word.some((each) => page.words[section].has(each));
        const place = (word) => (has(0, word) ? WEIGHT.title : has(at, word) ? WEIGHT.heading : 0);
        const sum = words.reduce(
          (sum, word, n) => sum + rarity[n] * (place(word) + Math.log2(1 + count(page, word)) / 2),
          0,
        );
        const extra = bonus(page.headings[at], asked);
        const weight = at === 0 && extra === WEIGHT.same ? 1 : page.weight; // its title was typed
        return (sum + extra) * found ** 2 * weight;
      });
      const score = Math.max(...scores);
      const at = scores.indexOf(score);
      const { anchor, heading } = page.sections[at];
      const title = page.sections[0].heading;
      const own = page.sections[at].texts.length && at ? [page.sections[at]] : page.sections.slice(at);
      const text = excerpt(own, words);
      results.push({ link: page.name + ".html" + anchor, title: at ? `${title} > ${heading}` : title, text, score });
    }
    return [...results, ...named(query)].sort((a, b) => b.score - a.score).slice(0, 30);
  };

  /* Options and names of Python: first if the query can be nothing else, and only whole names if it can. */
  const named = (query) => {
    const isName = /^-|[._]\w/.test(query);
    const term = query.toLowerCase();
    return Search.performObjectSearch(term, new Set([term]))
      .filter(([, name]) => isName || name.toLowerCase().split(".").pop() === term)
      .map(([page, name, anchor, about]) => {
        const isWhole = name.toLowerCase().split(".").pop() === term;
        const [program, option] = name.split(".-");
        return {
          link: page + ".html" + anchor,
          title: option ? `${program.replaceAll("-", " ")} -${option}` : name,
          text: about,
          score: !isName ? WEIGHT.object : WEIGHT.name - (isWhole ? 0 : name.length),
        };
      });
  };

  /* The first paragraph with all the words, from shortly before them, or the beginning, as for a heading that has all
     of them: it says what is below. Table cells are too short. */
  const excerpt = (sections, words) => {
    const all = sections.flatMap(({ texts }) => texts);
    const long = all.filter((text) => text.length >= 60);
    const texts = long.length ? long : all;
    const hasAll = (text) => words.every((word) => stems(text).some((each) => word.includes(each)));
    const text = hasAll(sections[0].heading) ? undefined : texts.find(hasAll);
    if (text === undefined) return shortened(texts[0] || "", 0);
    const parts = text.split(/(?<=\s)/);
    const first = parts.findIndex((part) => stems(part).some((each) => words.flat().includes(each)));
    const before = parts.slice(0, Math.max(0, first)).join("").length;
    return shortened(text, before < 120 ? 0 : text.indexOf(" ", before - 60) + 1);
  };
  const shortened = (text, start) => {
    const end = start + 220 < text.length ? text.lastIndexOf(" ", start + 220) : text.length;
    return (start ? "… " : "") + text.slice(start, end) + (end < text.length ? " …" : "");
  };

  const show = ({ link, title, text }, words) => {
    const item = document.createElement("li");
    const anchor = item.appendChild(document.createElement("a"));
    anchor.href = link;
    anchor.textContent = title;
    const shown = item.appendChild(document.createElement("p"));
    shown.className = "context";
    for (const part of text.split(/([\p{L}\p{N}_]+)/u)) {
      const isFound = words.includes(stem(part.toLowerCase()));
      shown.appendChild(document.createElement(isFound ? "mark" : "span")).textContent = part;
    }
    Search.output.appendChild(item);
  };

  Search.query = (query) => {
    const results = rank(query.trim());
    const words = wordsOf(query).flat();
    results.forEach((result) => show(result, words));
    _finishSearch(results.length);
  };
}
