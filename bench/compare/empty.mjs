export const open = undefined;
