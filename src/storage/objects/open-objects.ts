import { TidemarkError } from "../../core/index.ts";
import { FolderObjects } from "./folder-objects.ts";
import type { ObjectStore } from "./object-store.ts";
import { parseS3Address } from "./s3-address.ts";

/**
 * Opens a store of objects by its address. Nothing is asked of it yet.
 *
 * @param address - a folder, made if it is not there; or `s3://bucket/prefix`, see {@link parseS3Address}
 * @throws TidemarkError `bad-option`
 */
export async function openObjects(address: string): Promise<ObjectStore> {
  if (address.startsWith("s3://")) {
    const parsed = parseS3Address(address);
    // The client of AWS is large.
    const { S3Objects } = await import("./s3-objects.ts");
    return await S3Objects.open(parsed);
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(address))
    throw new TidemarkError("bad-option", `There is no store of objects at ${address}.`, {
      hint: "Name a folder, or s3://BUCKET/PREFIX.",
    });
  return new FolderObjects(address);
}
