/** As they are when this file is loaded, before a test installs others. */
const real: Pick<typeof globalThis, 'setImmediate' | 'setTimeout' | 'clearTimeout'> = {
  setImmediate,
  setTimeout,
  clearTimeout,
}

/**
 * The timers that collect calls into batches. Fake timers of a test runner stand still, and every invocation would wait for them
 * without a word; so only those of the crash explorer, which marks them, take the place of Node's.
 */
export function eventLoop(): typeof real {
  return 'isSimulated' in globalThis.setImmediate ? globalThis : real
}
