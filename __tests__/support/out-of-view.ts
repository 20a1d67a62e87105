// Controls that a reader of the page cannot see or reach: the box of each is measured against every ancestor that
// clips, up to the window. A document that clips has no overflow to measure.
import type { Page } from 'playwright-core';

const CONTROLS = 'a[href], button, input:not([type=file]), select, textarea, summary, [role=option], [role=menuitem]';

/** In the browser: the name of each control that is cut off, and the class of what cuts it. */
const MEASURE = `(controls, mayScroll) => {
  const SLACK = 1;
  const faults = [];
  const isSeen = (element) =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !element.closest('.said-only, .skip, .spacer');
  /** What a box is placed in: one that is absolute is cut off by positioned ancestors only. */
  const parentOf = (element) => {
    const { position } = getComputedStyle(element);
    if (position === 'fixed' || element.matches('dialog:modal')) return null;
    let parent = element.parentElement;
    if (position === 'absolute') while (parent && getComputedStyle(parent).position === 'static') parent = parent.parentElement;
    return parent;
  };
  for (const control of document.querySelectorAll(controls)) {
    if (!isSeen(control)) continue;
    let { left, right, top, bottom } = control.getBoundingClientRect();
    if (right - left === 0 || bottom - top === 0) continue;
    const name = (control.ariaLabel || control.textContent || control.id || control.tagName).trim().slice(0, 60);
    const cutBy = (box, label) => {
      const isIn = left >= box.left - SLACK && right <= box.right + SLACK && top >= box.top - SLACK && bottom <= box.bottom + SLACK;
      if (!isIn) faults.push(name + ' ' + [left, top, right, bottom].map(Math.round) + ' is cut off by ' + label + ' ' + [box.left, box.top, box.right, box.bottom].map(Math.round));
      return !isIn;
    };
    let isCut = false;
    for (let box = parentOf(control); box && box !== document.documentElement; box = parentOf(box)) {
      const { overflowX, overflowY, textOverflow } = getComputedStyle(box);
      if (overflowX === 'visible' && overflowY === 'visible') continue;
      const edges = box.getBoundingClientRect();
      // A control inside of a scrolling box can be scrolled into that box. A line that ends in dots is as long as its
      // box.
      if (textOverflow === 'ellipsis') right = Math.min(right, edges.right);
      const scrolls = (overflow) => mayScroll && ['auto', 'scroll'].includes(overflow);
      if (scrolls(overflowX) && box.scrollWidth > box.clientWidth) [left, right] = [edges.left, edges.right];
      if (scrolls(overflowY) && box.scrollHeight > box.clientHeight) [top, bottom] = [edges.top, edges.bottom];
      if ((isCut = cutBy(edges, '.' + (box.className || box.tagName)))) break;
    }
    isCut ||= cutBy({ left: 0, top: 0, right: innerWidth, bottom: innerHeight }, 'the window');
    if (isCut || mayScroll) continue;
    const shown = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    if (!control.contains(shown)) faults.push(name + ' is covered by .' + (shown?.className || shown?.tagName));
  }
  return faults;
}`;

/** Controls that cannot be reached, even by scrolling. */
export function outOfReach(page: Page): Promise<readonly string[]> {
  return page.evaluate(`(${MEASURE})(${JSON.stringify(CONTROLS)}, true)`) as Promise<string[]>;
}

/** Elements that are not wholly in view as the page is now. */
export function outOfView(page: Page, selector: string): Promise<readonly string[]> {
  return page.evaluate(`(${MEASURE})(${JSON.stringify(selector)}, false)`) as Promise<string[]>;
}
