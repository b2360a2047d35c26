/**
 * The script of a follower's page. It takes over what the server sends, element by element, so that the focus stays where
 * it is and rows are recognised by their site; and it sends controls without another load of the page.
 */
export const followerPageScript: string = `"use strict";
const link = document.getElementById("link");
const answer = document.getElementById("answer");
const keyOf = (node) => (node.nodeType === 1 ? node.getAttribute("data-key") : null);

function isSame(one, other) {
  return one.nodeName === other.nodeName && keyOf(one) === keyOf(other);
}

function takeOver(held, wanted) {
  if (held.nodeType === 3) {
    if (held.data !== wanted.data) held.data = wanted.data;
    return;
  }
  for (const { name, value } of wanted.attributes)
    if (held.getAttribute(name) !== value) held.setAttribute(name, value);
  const keyed = new Map();
  for (const child of held.childNodes) if (keyOf(child) !== null) keyed.set(keyOf(child), child);
  let at = held.firstChild;
  for (const child of [...wanted.childNodes]) {
    const known = keyOf(child) === null ? at : keyed.get(keyOf(child));
    if (known && isSame(known, child)) {
      // What is moved loses the focus: what stands before it goes instead, as far as it is not wanted any more.
      while (at !== known && at && !(keyOf(at) !== null && wanted.querySelector('[data-key="' + CSS.escape(keyOf(at)) + '"]'))) {
        const gone = at;
        at = at.nextSibling;
        gone.remove();
      }
      if (at === known) at = at.nextSibling;
      else held.insertBefore(known, at);
      takeOver(known, child);
    } else held.insertBefore(child, at);
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
}

function show(parts) {
  const focused = document.activeElement;
  const form = focused && focused.form;
  const site = form && form.elements.site && form.elements.site.type === "hidden" ? form.elements.site.value : null;
  const section = focused && focused.closest("section");
  for (const [id, html] of Object.entries(parts)) {
    const held = document.getElementById(id);
    if (!held) continue;
    const wanted = held.cloneNode(false);
    wanted.innerHTML = html;
    takeOver(held, wanted);
  }
  if (site === null || document.activeElement === focused) return;
  // The row went to another list, or its button is another one now.
  const rows = [...document.querySelectorAll("li[data-key]")].filter((row) => row.dataset.key === site);
  const next = rows.length > 0 ? rows[0].querySelector("button") : section && section.querySelector("button");
  if (next) next.focus({ preventScroll: true });
}

function say(text, isFailed) {
  answer.textContent = text;
  answer.classList.toggle("failed", isFailed);
}

const events = new EventSource(document.body.dataset.events);
events.onopen = () => {
  link.textContent = "Kept up to date";
  link.className = "live";
};
events.onmessage = ({ data }) => show(JSON.parse(data));
events.onerror = () => {
  link.className = "";
  link.textContent = events.readyState === EventSource.CLOSED ? "Not kept up to date: " : "The crawler does not answer. ";
  const again = document.createElement("a");
  again.href = "";
  again.textContent = "Load it again";
  link.append(again);
};

document.addEventListener("submit", async (event) => {
  const { target: form, submitter } = event;
  if (!submitter || submitter.name !== "action") return;
  event.preventDefault();
  if (submitter.getAttribute("aria-disabled") === "true") return;
  const body = new URLSearchParams(new FormData(form));
  body.set("action", submitter.value);
  const what = submitter.textContent + " " + body.get("site");
  submitter.setAttribute("aria-disabled", "true");
  say(what + " …", false);
  try {
    // The buttons are called action, too.
    const reply = await fetch(form.getAttribute("action"), { method: "POST", body, redirect: "manual" });
    if (reply.type === "opaqueredirect" || reply.ok) say(what + ": done.", false);
    else say(what + ": " + (await reply.text()), true);
  } catch {
    say(what + ": the crawler does not answer.", true);
  }
  submitter.removeAttribute("aria-disabled");
});
`;
