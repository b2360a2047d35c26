import { grow } from "../../../core/index.ts";

/** A heap without nodes. */
export const emptyHeap = -1;

/** Bytes of a node: its key and three links side by side, so that a look at a node is one at memory; the last four are free. */
const nodeBytes = 24;
const keyStep = nodeBytes / 8;
const linkStep = nodeBytes / 4;
const childAt = 2;
const nextAt = 3;
const previousAt = 4;

/**
 * Many heaps over nodes that are numbered from 0, each node in one heap at most: 24 bytes a node, nothing to collect. A heap is
 * known by its root. The least key is first, of equal keys the lower number.
 *
 * Pairing heaps: O(1) to insert and to lower a key, O(log n) amortised to remove.
 *
 * @see M. Fredman, R. Sedgewick, D. Sleator, R. Tarjan, The Pairing Heap: A New Form of Self-Adjusting Heap, Algorithmica 1,
 *   1986
 */
export class HeapForest {
  #keys = new Float64Array(0);
  /** Of each node: its first child, its next sibling, the sibling before it or, of a first child, the parent. */
  #links = new Int32Array(0);

  /** Makes room for nodes below a number. */
  #reserve(nodes: number): void {
    if (nodes * keyStep <= this.#keys.length) return;
    this.#keys = grow(this.#keys, nodes * keyStep);
    const { buffer, length } = this.#keys;
    const whole = length - (length % keyStep);
    this.#keys = new Float64Array(buffer, 0, whole);
    this.#links = new Int32Array(buffer, 0, whole * 2);
  }

  /** The key of a node that is in a heap. */
  keyOf(node: number): number {
    return this.#keys[node * keyStep] as number;
  }

  /** Puts in a node that is in no heap. @returns the new root */
  insert(root: number, node: number, key: number): number {
    this.#reserve(node + 1);
    this.#keys[node * keyStep] = key;
    const at = node * linkStep;
    this.#links[at + childAt] = emptyHeap;
    this.#links[at + nextAt] = emptyHeap;
    this.#links[at + previousAt] = emptyHeap;
    return root === emptyHeap ? node : this.#link(root, node);
  }

  /** Takes out the root. @returns the new root */
  pop(root: number): number {
    return this.#pair(this.#child(root));
  }

  /** Takes out any node of a heap. @returns the new root */
  remove(root: number, node: number): number {
    if (node === root) return this.pop(root);
    this.#cut(node);
    const rest = this.#pair(this.#child(node));
    return rest === emptyHeap ? root : this.#link(root, rest);
  }

  /** Gives a node of a heap another key. @returns the new root */
  rekey(root: number, node: number, key: number): number {
    const old = this.keyOf(node);
    if (key > old) return this.insert(this.remove(root, node), node, key);
    this.#keys[node * keyStep] = key;
    if (node === root || key === old) return root;
    this.#cut(node);
    return this.#link(root, node);
  }

  #child(node: number): number {
    return this.#links[node * linkStep + childAt] as number;
  }

  #next(node: number): number {
    return this.#links[node * linkStep + nextAt] as number;
  }

  #isBefore(a: number, b: number): boolean {
    const keyA = this.#keys[a * keyStep] as number;
    const keyB = this.#keys[b * keyStep] as number;
    return keyA < keyB || (keyA === keyB && a < b);
  }

  /** Makes one root the first child of the other. */
  #link(a: number, b: number): number {
    const isA = this.#isBefore(a, b);
    const top = isA ? a : b;
    const below = isA ? b : a;
    const links = this.#links;
    const first = links[top * linkStep + childAt] as number;
    links[below * linkStep + nextAt] = first;
    links[below * linkStep + previousAt] = top;
    if (first !== emptyHeap) links[first * linkStep + previousAt] = below;
    links[top * linkStep + childAt] = below;
    links[top * linkStep + nextAt] = emptyHeap;
    links[top * linkStep + previousAt] = emptyHeap;
    return top;
  }

  /** Parts a node that is no root, with all below it, from its heap. */
  #cut(node: number): void {
    const links = this.#links;
    const at = node * linkStep;
    const previous = links[at + previousAt] as number;
    const next = links[at + nextAt] as number;
    if (links[previous * linkStep + childAt] === node) links[previous * linkStep + childAt] = next;
    else links[previous * linkStep + nextAt] = next;
    if (next !== emptyHeap) links[next * linkStep + previousAt] = previous;
    links[at + nextAt] = emptyHeap;
    links[at + previousAt] = emptyHeap;
  }

  /** Makes siblings one heap: by twos from the first to the last, then one by one from the last to the first. */
  #pair(first: number): number {
    const links = this.#links;
    let pairs = emptyHeap;
    for (let a = first; a !== emptyHeap; ) {
      const b = this.#next(a);
      const rest = b === emptyHeap ? emptyHeap : this.#next(b);
      const pair = b === emptyHeap ? a : this.#link(a, b);
      links[pair * linkStep + nextAt] = pairs;
      pairs = pair;
      a = rest;
    }
    let root = emptyHeap;
    for (let pair = pairs; pair !== emptyHeap; ) {
      const rest = this.#next(pair);
      root = root === emptyHeap ? pair : this.#link(root, pair);
      pair = rest;
    }
    if (root !== emptyHeap) {
      links[root * linkStep + nextAt] = emptyHeap;
      links[root * linkStep + previousAt] = emptyHeap;
    }
    return root;
  }
}
