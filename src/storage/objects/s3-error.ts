import { type ErrorCode, TidemarkError } from "../../core/index.ts";

interface S3Failure {
  readonly name?: string;
  readonly code?: string;
  readonly message?: string;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly clockSkewCorrected?: boolean };
}

/** Whether there is no such object. That there is no bucket is another matter. */
export function isMissing(error: unknown): boolean {
  const { name } = error as S3Failure;
  return name === "NoSuchKey" || name === "NotFound";
}

/** Whether the server, or one in front of it, takes no request of that size. */
export function isTooLarge(error: unknown): boolean {
  return statusOf(error) === 413 || (error as S3Failure).name === "EntityTooLarge";
}

/** The status of an answer, or of the one that an error is about. */
export function statusOf(of: unknown): number | undefined {
  return (of as S3Failure).$metadata?.httpStatusCode;
}

const transientNames: ReadonlySet<string | undefined> = new Set([
  ...["TimeoutError", "AbortError", "RequestTimeout", "SlowDown", "ConditionalRequestConflict", "OperationAborted"],
]);
const transientCodes: ReadonlySet<string | undefined> = new Set([
  ...["ECONNRESET", "ECONNREFUSED", "ECONNABORTED", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "EAI_AGAIN"],
]);
const fullNames: ReadonlySet<string | undefined> = new Set([
  ...["QuotaExceeded", "XMinioStorageFull", "InsufficientStorage", "XMinioAdminBucketQuotaExceeded"],
]);
const unknownNames: ReadonlySet<string | undefined> = new Set([
  ...["InvalidAccessKeyId", "SignatureDoesNotMatch", "XAdminUserNotFound"],
]);

const isFull = (error: S3Failure): boolean => fullNames.has(error.name) || statusOf(error) === 507;

/** Whether the same request may succeed a little later. */
export function isTransient(error: unknown): boolean {
  if (error instanceof TidemarkError) return false;
  const failure = error as S3Failure;
  if (isFull(failure)) return false;
  const status = statusOf(error) ?? 0;
  if (status === 408 || status === 429 || (status >= 500 && status !== 501)) return true;
  // The client sets its clock by the answer.
  if (failure.$metadata?.clockSkewCorrected === true) return true;
  return transientNames.has(failure.name) || transientCodes.has(failure.code);
}

function judge(error: S3Failure, address: string): readonly [ErrorCode, string, string] {
  const { name = "", message = "" } = error;
  if (name === "NoSuchBucket")
    return ["not-found", `There is no bucket for ${address}.`, "Make it first, or name another one."];
  if (name === "CredentialsProviderError")
    return [
      "no-permission",
      `There are no credentials for ${address}.`,
      "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE with a profile of ~/.aws.",
    ];
  if (unknownNames.has(name))
    return [
      "no-permission",
      `The server does not know the credentials for ${address}.`,
      "Look at AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_PROFILE.",
    ];
  if (name === "RequestTimeTooSkewed")
    return ["io", `The clock of this machine is not that of the server of ${address}.`, "Set the clock."];
  if (isFull(error))
    return [
      "disk-full",
      `There is no room at ${address}: ${message}`,
      "Free some space, and run the same command again.",
    ];
  if (statusOf(error) === 403 || statusOf(error) === 401)
    return ["no-permission", `${address} may not be used so: ${name}.`, "Look at the rights of the credentials."];
  if (
    statusOf(error) === 301 ||
    name === "AuthorizationHeaderMalformed" ||
    name === "IllegalLocationConstraintException"
  )
    return ["bad-option", `${address} is in another region: ${message}`, "Set AWS_REGION, or add ?region=NAME to it."];
  return ["io", "", "Look at the server and the way to it, and run the same command again."];
}

/** Says what failed, with what helps. What is no failure of the store is given back as it is. */
export function describeS3Error(error: unknown, doing: string, address: string): Error {
  if (error instanceof TidemarkError) return error;
  const failure = error as S3Failure;
  const { name = "Error", code, message = "" } = failure;
  const [kind, told, hint] = judge(failure, address);
  // An error of a system call to several addresses has no message.
  const why = message === "" ? (code ?? name) : message;
  return new TidemarkError(kind, told === "" ? `Could not ${doing} at ${address}: ${name}: ${why}` : told, {
    hint,
    details: { objects: address, s3: name, ...(statusOf(error) === undefined ? {} : { status: statusOf(error) }) },
    cause: error,
  });
}
