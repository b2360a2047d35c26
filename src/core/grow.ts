/** The array, or a longer one that begins with it. */
export function grow<A extends Float64Array | Int32Array | Uint32Array | Uint8Array>(array: A, length: number): A {
  if (length <= array.length) return array;
  const Kind = array.constructor as new (length: number) => A;
  const longer = new Kind(Math.max(length, Math.ceil(array.length * 1.5), 64));
  longer.set(array);
  return longer;
}
