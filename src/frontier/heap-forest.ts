/** A heap without nodes. */
export const emptyHeap = -1;

/** The array, or a longer one that begins with it. */
export function grow<A extends Float64Array | Int32Array | Uint8Array>(array: A, length: number): A {
  if (length <= array.length) return array;
  const Kind = array.constructor as new (length: number) => A;
  const longer = new Kind(Math.max(length, Math.ceil(array.length * 1.5), 64));
  longer.set(array);
  return longer;
}

/**
 * Many heaps over nodes that are numbered from 0, each node in one heap at most: 20 bytes a node, nothing to collect. A heap is
 * known by its root. The least key is first, of equal keys the lower number.
 *
 * Pairing heaps: O(1) to insert and to lower a key, O(log n) amortised to remove.
 *
 * @see M. Fredman, R. Sedgewick, D. Sleator, R. Tarjan, The Pairing Heap: A New Form of Self-Adjusting Heap, Algorithmica 1,
 *   1986
 */
export class HeapForest {
  #keys = new Float64Array(0);
  /** First child of a node. */
  #child = new Int32Array(0);
  /** Next sibling of a node. */
  #next = new Int32Array(0);
  /** The sibling before a node, or the parent of a first child. */
  #previous = new Int32Array(0);

  /** Makes room for nodes below a number at once. */
  reserve(nodes: number): void {
    if (nodes <= this.#keys.length) return;
    this.#keys = grow(this.#keys, nodes);
    this.#child = grow(this.#child, nodes);
    this.#next = grow(this.#next, nodes);
    this.#previous = grow(this.#previous, nodes);
  }

  /** The key of a node that is in a heap. */
  keyOf(node: number): number {
    return this.#keys[node] as number;
  }

  /** Puts in a node that is in no heap. @returns the new root */
  insert(root: number, node: number, key: number): number {
    this.reserve(node + 1);
    this.#keys[node] = key;
    this.#child[node] = emptyHeap;
    this.#next[node] = emptyHeap;
    this.#previous[node] = emptyHeap;
    return root === emptyHeap ? node : this.#link(root, node);
  }

  /** Takes out the root. @returns the new root */
  pop(root: number): number {
    return this.#pair(this.#child[root] as number);
  }

  /** Takes out any node of a heap. @returns the new root */
  remove(root: number, node: number): number {
    if (node === root) return this.pop(root);
    this.#cut(node);
    const rest = this.#pair(this.#child[node] as number);
    return rest === emptyHeap ? root : this.#link(root, rest);
  }

  /** Gives a node of a heap another key. @returns the new root */
  rekey(root: number, node: number, key: number): number {
    const old = this.#keys[node] as number;
    if (key > old) return this.insert(this.remove(root, node), node, key);
    this.#keys[node] = key;
    if (node === root || key === old) return root;
    this.#cut(node);
    return this.#link(root, node);
  }

  #isBefore(a: number, b: number): boolean {
    const keyA = this.#keys[a] as number;
    const keyB = this.#keys[b] as number;
    return keyA < keyB || (keyA === keyB && a < b);
  }

  /** Makes one root the first child of the other. */
  #link(a: number, b: number): number {
    const [top, below] = this.#isBefore(a, b) ? [a, b] : [b, a];
    const first = this.#child[top] as number;
    this.#next[below] = first;
    this.#previous[below] = top;
    if (first !== emptyHeap) this.#previous[first] = below;
    this.#child[top] = below;
    this.#next[top] = emptyHeap;
    this.#previous[top] = emptyHeap;
    return top;
  }

  /** Parts a node that is no root, with all below it, from its heap. */
  #cut(node: number): void {
    const previous = this.#previous[node] as number;
    const next = this.#next[node] as number;
    if (this.#child[previous] === node) this.#child[previous] = next;
    else this.#next[previous] = next;
    if (next !== emptyHeap) this.#previous[next] = previous;
    this.#next[node] = emptyHeap;
    this.#previous[node] = emptyHeap;
  }

  /** Makes siblings one heap: by twos from the first to the last, then one by one from the last to the first. */
  #pair(first: number): number {
    let pairs = emptyHeap;
    for (let a = first; a !== emptyHeap; ) {
      const b = this.#next[a] as number;
      const rest = b === emptyHeap ? emptyHeap : (this.#next[b] as number);
      const pair = b === emptyHeap ? a : this.#link(a, b);
      this.#next[pair] = pairs;
      pairs = pair;
      a = rest;
    }
    let root = emptyHeap;
    for (let pair = pairs; pair !== emptyHeap; ) {
      const rest = this.#next[pair] as number;
      root = root === emptyHeap ? pair : this.#link(root, pair);
      pair = rest;
    }
    if (root !== emptyHeap) {
      this.#next[root] = emptyHeap;
      this.#previous[root] = emptyHeap;
    }
    return root;
  }
}
