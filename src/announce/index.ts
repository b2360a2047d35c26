export { checkKey, chooseKey, keyPath, placeKeyFile, readKeyPaths, readKeys } from "./site-key.ts";
export { type ChangeReading, type ChangeSource, submitChanges } from "./submission.ts";
