import { parseUrl, TidemarkError } from "../../core/index.ts";
import { isObjectName } from "./object-store.ts";

/** Where objects are in S3. */
export interface S3Address {
  readonly bucket: string;
  /** Empty, or ends with `/`. */
  readonly prefix: string;
  /** URL of the server. Default: as the tools of AWS find it. */
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
  /** The address without its parameters. */
  readonly shown: string;
}

const form = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const maxPrefixCharacters = 200;

/**
 * Reads an address, such as `s3://bucket/prefix?endpoint=http://127.0.0.1:7070&region=eu-central-1`.
 *
 * @throws TidemarkError `bad-option`
 */
export function parseS3Address(address: string): S3Address {
  const [, bucket = "", path = "", query = ""] = form.exec(address) ?? [];
  const prefix = path.replace(/\/$/, "");
  const parameters = new URLSearchParams(query);
  const { endpoint, region, ...others } = Object.fromEntries(parameters) as Record<string, string | undefined>;
  const isPrefix = prefix === "" || (isObjectName(prefix) && prefix.length <= maxPrefixCharacters);
  const isEndpoint = endpoint === undefined || (/^https?:\/\//.test(endpoint) && parseUrl(endpoint) !== undefined);
  const isRegion = region === undefined || /^[a-z0-9-]{1,40}$/.test(region);
  if (bucket === "" || !isPrefix || !isEndpoint || !isRegion || Object.keys(others).length > 0)
    throw new TidemarkError("bad-option", `${address} is no address of objects.`, {
      hint: "Write s3://BUCKET/PREFIX, in lower case, and behind it ?endpoint=URL or ?region=NAME if the environment does not say them.",
    });
  const folder = prefix === "" ? "" : `${prefix}/`;
  return { bucket, prefix: folder, endpoint, region, shown: `s3://${bucket}${prefix === "" ? "" : `/${prefix}`}` };
}
