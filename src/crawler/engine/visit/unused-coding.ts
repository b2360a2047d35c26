/** Whether a body is not gzip though its Content-Encoding says so: some servers name a coding that they do not apply. */
export function isCodingUnused(body: Uint8Array, contentEncoding: string): boolean {
  return /^(?:x-)?gzip$/.test(contentEncoding) && !(body[0] === 0x1f && body[1] === 0x8b);
}
