export const VERSION = 0
