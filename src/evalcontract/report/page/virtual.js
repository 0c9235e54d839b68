// A long list of which only what can be seen is in the document. Heights are estimated, then measured:
// what was measured of one item is the estimate for all others of its shape.

const BEYOND = 600;

/**
 * Show items in a container that scrolls with the page.
 * `estimate(item)` returns a height in pixels, `render(item, index)` an element, and `shape(item)` a
 * text: items with the same one are about as high. `paper(item, index)` is what is printed of it.
 */
export function virtualList(container, { estimate, render, shape, paper = render }) {
  let items = [];
  let shapes = [];
  let isMeasured = new Uint8Array(0);
  const learned = new Map();
  let heights = new Float64Array(0);
  let tops = new Float64Array(1);
  const shown = new Map();
  let frame = 0;
  let kept = -1;
  let width = 0;
  let isSpread = false;

  function sum() {
    tops = new Float64Array(items.length + 1);
    for (let at = 0; at < items.length; at += 1) tops[at + 1] = tops[at] + heights[at];
    container.style.height = `${tops[items.length]}px`;
  }

  function at(offset) {
    let low = 0;
    let high = items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tops[middle + 1] <= offset) low = middle + 1;
      else high = middle;
    }
    return Math.min(low, Math.max(items.length - 1, 0));
  }

  function place(index, node) {
    node.style.transform = `translateY(${tops[index]}px)`;
  }

  function show(index) {
    if (shown.has(index)) return false;
    const node = render(items[index], index);
    node.classList.add("virtual");
    place(index, node);
    shown.set(index, node);
    let after = null;
    for (const other of shown.keys()) if (other > index && (after === null || other < after)) after = other;
    container.insertBefore(node, after === null ? null : shown.get(after));
    return true;
  }

  function measure(fresh) {
    let isChanged = false;
    const isNew = new Set();
    for (const index of fresh) {
      const height = shown.get(index).offsetHeight; // only the first of them makes the browser lay out
      if (!height) continue;
      isMeasured[index] = 1;
      if (!learned.has(shapes[index])) {
        learned.set(shapes[index], height);
        isNew.add(shapes[index]);
      }
      if (Math.abs(height - heights[index]) > 0.5) {
        heights[index] = height;
        isChanged = true;
      }
    }
    for (let index = 0; isNew.size && index < items.length; index += 1) {
      if (isMeasured[index] || !isNew.has(shapes[index])) continue;
      heights[index] = learned.get(shapes[index]);
      isChanged = true;
    }
    return isChanged;
  }

  function draw() {
    frame = 0;
    if (isSpread || !items.length || !container.offsetParent) return;
    for (let round = 0; round < 4; round += 1) {
      const top = -container.getBoundingClientRect().top;
      const first = at(Math.max(top - BEYOND, 0));
      const last = at(Math.max(top + innerHeight + BEYOND, 0));
      for (const [index, node] of shown) {
        if ((index < first || index > last) && index !== kept) {
          node.remove();
          shown.delete(index);
        }
      }
      const fresh = [];
      for (let index = first; index <= last; index += 1) if (show(index)) fresh.push(index);
      const anchor = at(Math.max(top, 0));
      const before = tops[anchor];
      if (!measure(fresh)) return;
      sum();
      for (const [index, node] of shown) place(index, node);
      // What is measured above the window must not move what is in it.
      if (top > 0 && tops[anchor] !== before) scrollBy(0, tops[anchor] - before);
    }
  }

  function later() {
    frame ||= requestAnimationFrame(draw);
  }

  function clear() {
    for (const node of shown.values()) node.remove();
    shown.clear();
    kept = -1;
  }

  addEventListener("scroll", later, { passive: true });
  addEventListener("resize", later);
  new ResizeObserver(() => {
    if (isSpread || [0, width].includes(container.clientWidth)) return; // 0 while it is hidden
    width = container.clientWidth;
    learned.clear();
    isMeasured.fill(0);
    clear();
    later();
  }).observe(container);
  container.addEventListener("focusin", (event) => {
    const found = [...shown].find(([, node]) => node.contains(event.target));
    kept = found ? found[0] : -1;
  });

  return {
    /** Show other items. */
    set(wanted) {
      clear();
      items = wanted;
      container.hidden = !items.length; // a feed without articles is none
      shapes = items.map(shape);
      isMeasured = new Uint8Array(items.length);
      heights = Float64Array.from(items, (item, index) => learned.get(shapes[index]) ?? estimate(item));
      sum();
      draw();
    },
    /** Move the focus by a number of items. */
    step(by) {
      if (!items.length) return;
      const top = -container.getBoundingClientRect().top;
      const from = kept >= 0 ? kept + by : at(Math.max(top, 0));
      this.focus(Math.max(0, Math.min(from, items.length - 1)));
    },
    /** Move the focus to an item. */
    focus(index) {
      kept = index;
      this.reveal(index);
      shown.get(index)?.focus({ preventScroll: true });
    },
    /** Scroll to an item. */
    reveal(index) {
      for (let round = 0; round < 2; round += 1) {
        const top = container.getBoundingClientRect().top + scrollY + tops[index];
        scrollTo(0, Math.max(top - innerHeight / 6, 0));
        draw();
      }
    },
    /** Return the element of an item, if it is in the document. */
    node: (index) => shown.get(index),
    /** Put the first items into the document, for paper; return how many are left out. */
    spread(most) {
      clear();
      isSpread = true;
      container.append(...items.slice(0, most).map((item, index) => {
        const node = paper(item, index);
        node.classList.add("virtual");
        shown.set(index, node);
        return node;
      }));
      return Math.max(items.length - most, 0);
    },
    /** Undo `spread`. */
    gather() {
      isSpread = false;
      clear();
      draw();
    },
    draw,
  };
}
