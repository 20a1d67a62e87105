// The look of an exported page: readable in light and dark, on paper and on a phone. No font, image or script.

export const STYLE = `
:root { color-scheme: light dark; --ground: #fdfdfc; --text: #1d1f21; --soft: #62676d; --line: #dcdfe3; --panel: #f3f4f5; --accent: #1f5fa8; --warning: #96510a; --came: #e2f3e4; --went: #fbe5e3; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #16181b; --text: #e4e5e7; --soft: #9aa1a9; --line: #33383e; --panel: #1f2327; --accent: #7db4f0; --warning: #e3a35a; --came: #16331d; --went: #3c1d1b; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 52rem; padding: 2rem 1.25rem 4rem; background: var(--ground); color: var(--text); font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.1rem; margin: 3rem 0 1rem; padding-top: .75rem; border-top: 1px solid var(--line); color: var(--soft); }
h3 { font-size: .95rem; margin: 0; display: inline; }
h4, h5, h6 { margin: 1.2rem 0 .4rem; font-size: 1rem; }
a { color: var(--accent); }
table { border-collapse: collapse; margin: .75rem 0; }
th, td { border: 1px solid var(--line); padding: .25rem .6rem; text-align: left; vertical-align: top; }
.center { text-align: center; } .right { text-align: right; }
.head th { font-weight: 600; color: var(--soft); }
.head th, .head td { border: 0; padding: .1rem 1rem .1rem 0; }
article { margin: 1.25rem 0; }
article > header { margin-bottom: .35rem; }
time, .where { color: var(--soft); font-size: .82rem; margin-left: .6rem; }
.user { background: var(--panel); border-radius: .6rem; padding: .8rem 1rem; }
.undone { opacity: .6; }
.mark { color: var(--warning); font-size: .85rem; }
.note { color: var(--soft); font-size: .9rem; border-left: 3px solid var(--line); padding-left: .8rem; margin: 1rem 0; }
.warning { color: var(--warning); border-color: var(--warning); }
details { border: 1px solid var(--line); border-radius: .5rem; padding: .4rem .8rem; margin: .75rem 0; }
summary { cursor: pointer; font-size: .9rem; }
summary .failed { color: var(--warning); }
.todos { list-style: none; padding: 0; margin: .6rem 0; }
pre ins, pre del { display: inline-block; min-width: 100%; text-decoration: none; }
pre ins { background: var(--came); } pre del { background: var(--went); }
pre { background: var(--panel); border-radius: .5rem; padding: .75rem 1rem; overflow-x: auto; line-height: 1.45; white-space: pre-wrap; }
code { font: .9em ui-monospace, Menlo, Consolas, monospace; }
blockquote { margin: .75rem 0; padding-left: 1rem; border-left: 3px solid var(--line); }
p { margin: .6rem 0; }
@media print {
  body { max-width: none; padding: 0; font-size: 10.5pt; background: none; }
  details, pre, article > header { break-inside: avoid; }
  h2, h3, summary { break-after: avoid; }
  .user, pre { border: 1px solid var(--line); }
}
`;
