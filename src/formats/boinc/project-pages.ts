import { escapeXml } from "../sitemap/index.ts";

/** Writes `get_project_config.php`: what a client reads before it is attached. Accounts are made by invitation only. */
export function formatProjectConfig(projectName: string, masterUrl: string, platforms: readonly string[]): string {
  return [
    "<project_config>",
    `<name>${escapeXml(projectName)}</name>`,
    `<master_url>${escapeXml(masterUrl)}</master_url>`,
    `<web_rpc_url_base>${escapeXml(masterUrl)}</web_rpc_url_base>`,
    "<account_manager>0</account_manager>",
    "<client_account_creation_disabled/>",
    "<min_passwd_length>32</min_passwd_length>",
    "<platforms>",
    ...platforms.flatMap((name) => ["<platform>", `<platform_name>${escapeXml(name)}</platform_name>`, "</platform>"]),
    "</platforms>",
    "</project_config>",
    "",
  ].join("\n");
}

/**
 * Writes the page at the project's URL, where clients find the scheduler. They read it through a buffer of 256 bytes and
 * want the element on a line of its own.
 */
export function formatMasterPage(projectName: string, schedulerUrl: string): string {
  const name = escapeXml(projectName);
  return [
    "<!doctype html>",
    '<html lang="en">',
    `<head><meta charset="utf-8"><title>${name}</title></head>`,
    "<body>",
    `<h1>${name}</h1>`,
    "<p>A BOINC project: volunteers crawl the Web. Attach with the account key that you were given.</p>",
    "<!--",
    `<scheduler>${escapeXml(schedulerUrl)}</scheduler>`,
    "-->",
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

/** Writes the answer to `lookup_account.php` that has the account key. */
export function formatAccount(accountKey: string): string {
  return `<account_out>\n<authenticator>${accountKey}</authenticator>\n</account_out>\n`;
}

/** Why no account is given: the client's numbers, lib/error_numbers.h. */
const accountErrors = { "not-found": -136, disabled: -208 } as const;

/** Writes the answer of the account pages that has no account key. */
export function formatAccountError(reason: keyof typeof accountErrors): string {
  const text = reason === "disabled" ? "Accounts are made by invitation" : "No such account";
  return `<error>\n<error_num>${accountErrors[reason]}</error_num>\n<error_msg>${text}</error_msg>\n</error>\n`;
}
