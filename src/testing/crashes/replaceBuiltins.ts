import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import promises from 'node:timers/promises'
import { randomOfCrypto, randomOfWebCrypto } from './cryptoRandom.ts'

/**
 * What a handler imports from Node instead of taking it from the process: chance, and timers that are promises. Once for a
 * whole exploration, since to tell all importers takes as long as a schedule. @returns the way back
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
    // Those of the prototype stand again.
    for (const name of Object.keys(web)) Reflect.deleteProperty(globalThis.crypto, name)
  }
}

/** By the timers of the process, which a schedule has in its hands. */
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
