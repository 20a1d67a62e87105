// The style of a part, which is loaded with its code. The build makes a call of this from each `import './part.css'`.

/** Adds the rules to the document, after those that are there. */
export function adopt(css: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets.push(sheet);
}
