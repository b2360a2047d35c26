export { type FolderServer, type ServedRequest, type ServeOptions, serveFolder } from "./folder-server.ts";
export { type FollowerServer, type FollowerServerOptions, serveFollower } from "./follower-server.ts";
export { type MetricsServerOptions, serveMetrics } from "./metrics-server.ts";
export { formatNginxMap } from "./nginx-map.ts";
export { serveVolunteers, type VolunteerServer, type VolunteerServerOptions } from "./volunteer-server.ts";
