export { type AnswerFields, readAnswerFields } from "./answer-fields.ts";
export { decodeBody, unpackArchive } from "./content-coding.ts";
export { contentId, createDigest, type DigestBuilder, digestOf } from "./content-hash.ts";
export { createFetcher, type Fetcher, type FetcherOptions } from "./fetcher.ts";
export { judgeAnswer, type OutcomeFacts } from "./outcome.ts";
export { type PostOptions, postJson } from "./post-json.ts";
