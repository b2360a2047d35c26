import {
  digestBytes,
  type EpochSeconds,
  excerpt,
  isDigest,
  maxEpochSeconds,
  ok,
  type Problem,
  problem,
  type Result,
} from "../../core/index.ts";
import { parseW3cDate } from "../../formats/time/index.ts";

const epoch = /^\d{1,12}(?:\.\d{1,9})?$/;
const wholeNumber = /^\d{1,15}$/;
const sha256Hex = /^(?:sha-?256:)?([0-9a-f]{64})$/i;
const mediaTypeForm = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/;

/**
 * Reads a time of a list: seconds since 1970, maybe with a fraction, or a date of ISO 8601 as W3C writes it. Without
 * a zone it is UTC. A year of four digits is a year, not 2026 seconds after 1970.
 */
export function parseListedTime(text: string): Result<EpochSeconds, Problem> {
  const seconds = epoch.test(text) && text.length !== 4 ? Math.floor(Number(text)) : parseW3cDate(text);
  if (seconds === undefined || seconds < 0 || seconds > maxEpochSeconds)
    return problem("bad-time", `neither seconds since 1970 nor a date of ISO 8601: ${excerpt(text)}`);
  return ok(seconds);
}

/** Reads a size in bytes. */
export function parseListedSize(text: string): Result<number, Problem> {
  return wholeNumber.test(text) ? ok(Number(text)) : problem("bad-size", `not a size in bytes: ${excerpt(text)}`);
}

/** Reads a digest: ours of 11 characters, or a whole SHA-256 in hexadecimal, which is cut down to it. */
export function parseListedDigest(text: string): Result<string, Problem> {
  if (isDigest(text)) return ok(text);
  const hex = sha256Hex.exec(text)?.[1];
  if (hex === undefined) return problem("bad-digest", `not a SHA-256: ${excerpt(text)}`);
  return ok(Buffer.from(hex.slice(0, 2 * digestBytes), "hex").toString("base64url"));
}

/** Reads a media type; parameters are dropped. */
export function parseListedType(text: string): Result<string, Problem> {
  const essence = (text.split(";", 1)[0] ?? "").trim().toLowerCase();
  if (essence.length > 255 || !mediaTypeForm.test(essence))
    return problem("bad-type", `not a media type: ${excerpt(text)}`);
  return ok(essence);
}
