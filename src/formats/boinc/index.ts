export { formatHexLines, formatPublicKey, keyBits } from "./hex-lines.ts";
export { formatAccount, formatAccountError, formatMasterPage, formatProjectConfig } from "./project-pages.ts";
export {
  type ApplicationFile,
  type ApplicationVersion,
  type DownloadedFile,
  formatSchedulerReply,
  type SchedulerReply,
  type Task,
} from "./scheduler-reply.ts";
export {
  type ClientAppVersion,
  maxSchedulerRequestBytes,
  parseSchedulerRequest,
  type ReportedResult,
  type SchedulerRequest,
} from "./scheduler-request.ts";
export {
  type FileUpload,
  findUploadData,
  formatUploadReply,
  maxUploadHeadBytes,
  parseUploadRequest,
  type UploadStatus,
} from "./upload.ts";
