/** A text as a part of an address; `�` is where it is cut inside of a character, which `encodeURIComponent` refuses. */
export const inAddress = (text: string): string => encodeURIComponent(text.toWellFormed());
