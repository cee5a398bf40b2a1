import type { LocalCloud } from 'lineclear/local'

/** Called by an example when all is done and its cloud is still up. The cloud ends when it resolves. */
export type Keep = (cloud: LocalCloud) => Promise<void>

export const stopAtEnd: Keep = async () => {}
