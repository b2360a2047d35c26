export { type FollowerPageOptions, renderFollowerPage, renderFollowerParts } from "./follower-page.ts";
export { followerPageScript } from "./follower-page-script.ts";
export { followerPageStyle } from "./follower-page-style.ts";
