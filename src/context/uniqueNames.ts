import { ConfigError } from '../base/errors.ts'
import { missingIn } from '../base/ids.ts'
import { kindOf } from '../base/kindOf.ts'

interface UniqueNames {
  /**
   * @returns how errors name the call
   * @throws ConfigError when the name is invalid or already used
   */
  check(name: unknown): string
  begin(name: string): { undo(): void }
}

/** Characters. Names are stored in the item of the claim, whose size determines what the refused write of each duplicate costs. */
const LONGEST = 255

/** Each effect needs its own name, because a second effect under the same name would count as done. */
export function uniqueNames(method: 'once' | 'applyOnce' | 'sql'): UniqueNames {
  const begun = new Set<string>()
  return {
    check(name) {
      if (
        typeof name !== 'string' ||
        name === '' ||
        name.length > LONGEST ||
        !name.isWellFormed()
      ) {
        throw new ConfigError(
          `ctx.${method}: name: expected a text of 1 to ${LONGEST} whole characters, the same in every attempt; got ` +
            `${typeof name === 'string' && name !== '' ? `a text of ${name.length}` : kindOf(name)}. Nothing was done.`,
        )
      }
      const call = `ctx.${method}('${name}')`
      const missing = missingIn(name)
      if (missing !== undefined) {
        throw new ConfigError(
          `${call}: the name has '${missing}' in it: a value is missing, and all effects without it would be one. Nothing was done.`,
        )
      }
      if (!begun.has(name)) return call
      throw new ConfigError(
        `${call}: expected a name that no other ${method} of this handler has; the second would be taken for the first ` +
          'and not happen. Nothing was done.',
      )
    },
    begin(name) {
      begun.add(name)
      return { undo: () => begun.delete(name) }
    },
  }
}
