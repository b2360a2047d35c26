import { TidemarkError } from "../../core/index.ts";
import { FolderObjects } from "./folder-objects.ts";
import type { ObjectStore } from "./object-store.ts";

/**
 * Opens a store of objects by its address. Nothing is asked of it yet.
 *
 * @param address - a folder, made if it is not there
 * @throws TidemarkError `bad-option`
 */
export async function openObjects(address: string): Promise<ObjectStore> {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(address)?.[1];
  if (scheme !== undefined)
    throw new TidemarkError("bad-option", `There is no store of objects at ${address}.`, {
      hint: "Name a folder.",
    });
  return new FolderObjects(address);
}
