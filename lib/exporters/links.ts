// Which addresses an export may link to: the web and mail, nothing that runs or opens files.

const ALLOWED = /^(?:https?:\/\/|mailto:)[^\u0000-\u0020\u007f]+$/i;

export function isSafeLink(address: string): boolean {
  return ALLOWED.test(address);
}
