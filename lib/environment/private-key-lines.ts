// Finds private keys in text that comes one line at a time. A redactor needs BEGIN and END in one text; a log never has
// them in one text, so the lines of a key are dropped before they get there.

const BEGIN = /-----BEGIN [^\r\n]{0,40}PRIVATE KEY/;
const END = /-----END /;
/** A line of a key's body, also after a time that a logger wrote before it. */
const BODY = /[A-Za-z0-9+/=]{40}/;
/**
 * Headers, an empty line and a short last line may follow each other. A longer run without a body line is not part of a
 * key.
 */
const MAX_LINES_WITHOUT_BODY = 8;

interface PrivateKeyLines {
  /** Whether this line is part of a private key. Lines must come in their order, each one once. */
  takes(line: string): boolean;
}

/**
 * @example
 * const keys = createPrivateKeyLines();
 * for (const line of lines) if (!keys.takes(line)) log(line);
 */
export function createPrivateKeyLines(): PrivateKeyLines {
  let isInside = false;
  let withoutBody = 0;
  return {
    takes(line) {
      const begin = line.search(BEGIN);
      if (begin >= 0) {
        isInside = !END.test(line.slice(begin));
        withoutBody = 0;
        return true;
      }
      if (!isInside) return false;
      withoutBody = BODY.test(line) ? 0 : withoutBody + 1;
      isInside = !END.test(line) && withoutBody <= MAX_LINES_WITHOUT_BODY;
      return isInside || END.test(line);
    },
  };
}
