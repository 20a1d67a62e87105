// The text that a check of types prints (zod, ajv, the packages of vendors): it means nothing to a reader, and no
// message and no event contains it.

const VALIDATOR_TEXT =
  /"code": ?"|\binvalid_(union|type|value)\b|ZodError|Type validation failed|JSON parsing failed|AI_\w+Error/;

export function isValidatorText(text: string): boolean {
  return VALIDATOR_TEXT.test(text);
}
