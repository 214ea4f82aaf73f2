// Puts what was drawn anew in place of what it showed: focus, scrolling and opened parts stay.
const FOCUSABLE = "a,button,input,select,summary,[tabindex]";

// What an element with the focus is, so that the one that stands for it can have it afterwards.
const nameOf = (one) => `${one.tagName} ${one.id} ${one.getAttribute("aria-label") ?? one.textContent}`;

export function swap(before, made) {
  const focused = document.activeElement;
  const [at, name] = before.contains(focused) ? [[...before.querySelectorAll(FOCUSABLE)].indexOf(focused), nameOf(focused)] : [-1, ""];
  const scroll = [scrollX, scrollY];
  const opened = new Set([...before.querySelectorAll("details[open] > summary")].map(nameOf));
  before.replaceWith(made);
  for (const one of made.querySelectorAll("details > summary")) if (opened.has(nameOf(one))) one.parentNode.open = true;
  const all = [...made.querySelectorAll(FOCUSABLE)];
  if (at >= 0) (all.find((one) => nameOf(one) === name) ?? all[at])?.focus({ preventScroll: true });
  scrollTo(...scroll);
}
