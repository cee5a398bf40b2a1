import { ConfigError } from '../../base/errors.ts'
import { kindOf } from '../../base/kindOf.ts'
import type { EffectScope } from './effectScope.ts'

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
export function uniqueNames(method: 'call' | 'write' | 'sql'): UniqueNames {
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
      // @protects a second effect of one name is refused
      // @without true
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

/** The scope of an attempt that may follow another one, and what differs between the names of their effects. */
interface WatchedNames {
  readonly scope: EffectScope
  /** Returned once. undefined: no name differs so far in this attempt. */
  warning(): string | undefined
}

/**
 * Notes which effects the attempt asks for. One with a random part or a time in its name is another one in each attempt, and
 * happens in each.
 * @returns undefined when no earlier attempt has noted an effect
 */
export function watchNames(scope: EffectScope): WatchedNames | undefined {
  const { hold } = scope
  const before = new Set(hold.names())
  if (before.size === 0) return undefined
  const open = new Set(before)
  const { effects, calls } = hold
  const watched: EffectScope['hold'] = {
    ...hold,
    effects: {
      ...effects,
      mark: (name) => {
        open.delete(name)
        return effects.mark(name)
      },
    },
    calls: {
      ...calls,
      stored: (name) => {
        open.delete(name)
        return calls.stored(name)
      },
    },
  }
  let isTold = false
  return {
    scope: { ...scope, hold: watched },
    warning: () => {
      if (isTold) return undefined
      isTold = true
      const added = hold.names().filter((name) => !before.has(name))
      return (
        // @protects names that differ between attempts are reported
        // @without open.size >= 0
        open.size === 0 || added.length === 0 ? undefined : textOf([...open], added)
      )
    },
  }
}

function textOf(open: readonly string[], added: readonly string[]): string {
  return (
    `an earlier attempt has made ${listOf(open)}, which this attempt did not ask for, and this attempt has made ${listOf(added)}. ` +
    'An effect is known by its name: if these are the same effects, they have happened twice. Give an effect the same name in ' +
    'every attempt, without random parts and times'
  )
}

const SHOWN = 5

function listOf(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN).map((name) => `'${name.slice(0, 80)}'`)
  const more = names.length - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}
