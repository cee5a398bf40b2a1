import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import promises from 'node:timers/promises'
import { randomOfCrypto, randomOfWebCrypto } from './cryptoRandom.ts'

/**
 * Replaces what a handler imports from Node's modules: random numbers and the promise timers. Done once for a whole
 * exploration, since `syncBuiltinESMExports` takes as long as a schedule. @returns undoes it
 */
export function replaceBuiltins(): () => void {
  const sleep = promises.setTimeout
  const { randomUUID, randomBytes, randomInt, randomFillSync } = crypto
  Object.assign(crypto, randomOfCrypto())
  Object.assign(promises, { setTimeout: sleepByTimers })
  syncBuiltinESMExports()
  const web = randomOfWebCrypto()
  for (const [name, value] of Object.entries(web))
    Object.defineProperty(globalThis.crypto, name, { value, configurable: true })
  return () => {
    Object.assign(crypto, { randomUUID, randomBytes, randomInt, randomFillSync })
    Object.assign(promises, { setTimeout: sleep })
    syncBuiltinESMExports()
    // Uncovers the methods of the prototype.
    for (const name of Object.keys(web)) Reflect.deleteProperty(globalThis.crypto, name)
  }
}

/** Uses the global timers, which a schedule controls. */
function sleepByTimers<T>(
  milliseconds?: number,
  value?: T,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer)
      reject(
        Object.assign(new Error('The operation was aborted'), {
          name: 'AbortError',
          code: 'ABORT_ERR',
        }),
      )
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve(value)
    }, milliseconds)
    if (signal?.aborted === true) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}
