// Words beside what is pointed at.
const tip = make("div", { class: "tip", role: "tooltip", hidden: true });
document.body.append(tip);

function showTip(text, box) {
  tip.textContent = text;
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const room = document.documentElement.clientWidth - width - 8;
  tip.style.left = `${Math.max(8, Math.min(box.left + box.width / 2 - width / 2, room))}px`;
  tip.style.top = `${box.top - height - 8 < 8 ? box.bottom + 8 : box.top - height - 8}px`;
}

function hideTip() {
  tip.hidden = true;
}

window.addEventListener("scroll", hideTip, { passive: true });

// Where a key leads from place `now` among places 0 to `last`; undefined for other keys.
function stepOf(key, now, last) {
  const next = Math.min(now + 1, last);
  const before = Math.max(now - 1, 0);
  return { ArrowRight: next, ArrowUp: next, ArrowLeft: before, ArrowDown: before, Home: 0, End: last }[key];
}
