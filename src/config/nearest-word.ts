/** The word that was probably meant: at most a third of its letters have to be typed otherwise. */
export function nearestWord(typed: string, words: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const word of words) {
    const most = Math.ceil(word.length / 3);
    // A text as long as a file may be is compared with nothing.
    if (Math.abs(typed.length - word.length) > most) continue;
    const distance = editDistance(typed, word);
    if (distance < least && distance <= most) [nearest, least] = [word, distance];
  }
  return nearest ?? words.find((word) => typed.length > 1 && word.startsWith(typed));
}

function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
