// Which words of two texts differ.

const WORD = /[\p{L}\p{N}\p{M}_]+|\s+|./gsu;
const MOST_PAIRS = 4_000_000;
const LEAST_ALIKE = 0.3;

/**
 * Return the parts of a text, each with whether the other text lacks it; null if the texts are too long to compare, or have
 * so little in common that it says nothing.
 */
export function differingParts(text, other) {
  const [words, others] = [text.match(WORD) ?? [], other.match(WORD) ?? []];
  let first = 0;
  while (first < words.length && words[first] === others[first]) first += 1;
  let last = 0;
  while (last < Math.min(words.length, others.length) - first && words.at(-1 - last) === others.at(-1 - last)) last += 1;
  const [middle, otherMiddle] = [words, others].map((each) => each.slice(first, each.length - last));
  if (middle.length * otherMiddle.length > MOST_PAIRS) return null;
  const isShared = sharedWords(middle, otherMiddle);
  const alike = first + last + isShared.filter(Boolean).length;
  if (alike < LEAST_ALIKE * Math.max(words.length, others.length)) return null;
  const parts = [];
  for (const [at, word] of words.entries()) {
    const differs = at >= first && at < words.length - last && !isShared[at - first];
    if (parts.at(-1)?.differs === differs) parts.at(-1).text += word;
    else parts.push({ text: word, differs });
  }
  return parts;
}

/** Return which words are in the longest common subsequence of both. */
function sharedWords(words, others) {
  const width = others.length + 1;
  const lengths = new Uint16Array((words.length + 1) * width); // of the rests from each pair of words on
  for (let at = words.length - 1; at >= 0; at -= 1) {
    for (let to = others.length - 1; to >= 0; to -= 1) {
      const here = at * width + to;
      lengths[here] = words[at] === others[to] ? lengths[here + width + 1] + 1 : Math.max(lengths[here + width], lengths[here + 1]);
    }
  }
  const isShared = words.map(() => false);
  for (let at = 0, to = 0; at < words.length && to < others.length;) {
    if (words[at] === others[to]) {
      isShared[at] = true;
      at += 1;
      to += 1;
    } else if (lengths[(at + 1) * width + to] >= lengths[at * width + to + 1]) at += 1;
    else to += 1;
  }
  return isShared;
}
