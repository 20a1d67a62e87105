// Texts that would run, load or hide something where a page took them for more than text. Each that ran would call
// `__ran`, each that loaded would ask evil.example.
const CODES = [
  '<script>__ran(1)</script>',
  '<img src=x onerror=__ran(1)>',
  '<img src="https://evil.example/x.png">',
  '<svg/onload=__ran(1)>',
  '<svg><animate onbegin=__ran(1) attributeName=x dur=1s>',
  '<iframe srcdoc="<script>parent.__ran(1)</script>"></iframe>',
  '<iframe src="https://evil.example"></iframe>',
  '<object data="https://evil.example/x"></object>',
  '<embed src="javascript:__ran(1)">',
  '<base href="https://evil.example/">',
  '<link rel=stylesheet href="https://evil.example/x.css">',
  '<meta http-equiv=refresh content="0;url=https://evil.example">',
  '<style>@import "https://evil.example/x.css";*{display:none}</style>',
  '<form action="https://evil.example"><button autofocus onfocus=__ran(1)>',
  '<details open ontoggle=__ran(1)>',
  '<video autoplay onloadstart=__ran(1) src="https://evil.example/v">',
  '<a href="javascript:__ran(1)">x</a>',
  '[x](javascript:__ran(1))',
  '[x](JaVaScRiPt&colon;__ran(1))',
  '[x](data:text/html,<script>__ran(1)</script>)',
  '[x](vbscript:x) [y](file:///etc/passwd) [z](//evil.example/z)',
  '![x](https://evil.example/i.png)',
  '![x](data:image/svg+xml,<svg onload=__ran(1)>)',
  '<https://evil.example/auto>',
  'https://evil.example/bare',
  '"><script>__ran(1)</script>',
  "' onmouseover='__ran(1)",
  '`onclick=__ran(1)`',
  '{{constructor.constructor("__ran(1)")()}}',
  '$' + '{__ran(1)}',
] as const;

const WRAPPED: readonly ((code: string) => string)[] = [
  (code) => code,
  (code) => `\n\n${code}\n\n`,
  (code) => `# ${code}`,
  (code) => `- [ ] ${code}\n- **${code}**`,
  (code) => `| ${code} | b |\n|---|---|\n| ${code} | ${code} |`,
  (code) => `\`\`\`html\n${code}\n\`\`\``,
  (code) => `\`\`\`"><b onclick=__ran(1)>\n${code}`,
  (code) => `> ${code}\n\n[ref]: javascript:__ran(1)\n[ref]`,
  (code) => `\u202e${code}\u2066 \u001b]8;;https://evil.example\u0007${code}`,
  (code) => `${code}${'a'.repeat(300)}\u0000\uffff\ud83d`,
];

/** 300 of them. */
export const HOSTILE: readonly string[] = WRAPPED.flatMap((wrap) => CODES.map((code) => wrap(code)));
