import type { EffectScope } from './effectScope.ts'

/** The scope of an attempt that may follow another one, and what differs between the names of their effects. */
interface WatchedNames {
  readonly scope: EffectScope
  /** Once. undefined: nothing differs, as far as this attempt has come. */
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
      return open.size === 0 || added.length === 0 ? undefined : textOf([...open], added)
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
