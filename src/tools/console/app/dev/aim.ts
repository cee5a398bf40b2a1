import type { KillNext } from '../../dev/index.ts'

interface Aimable {
  readonly action: string
  readonly effect?: string | undefined
}

/**
 * The same call of another invocation: by its effect, which is surer than the kind of the call, and by its place among those of
 * the same effect and kind.
 * @param all the calls of its invocation, in their order
 */
export function aimAt<Call extends Aimable>(
  call: Call | undefined,
  all: readonly Call[] = [],
): KillNext {
  if (call === undefined) return {}
  const { action, effect } = call
  const alike = all.filter((each) => each.action === action && each.effect === effect)
  const nth = alike.indexOf(call) + 1
  return { action, ...(effect !== undefined && { effect }), ...(nth > 1 && { nth }) }
}

/** @example 'after its next call UpdateItem of effect reserve' */
export function aimWords({ action, effect, request, nth = 1, when = 'after' }: KillNext): string {
  return [
    nth === 1 ? `${when} its next call` : `${when} call number ${nth} that is`,
    ...(action === undefined ? [] : [action]),
    ...(effect === undefined ? [] : [`of ${effect}`]),
    ...(request === undefined ? [] : [`for ${request}`]),
  ].join(' ')
}

/**
 * The calls are those of the last invocation, which may have made fewer.
 * @param picked number of a call, from 1, as a text; '': any
 */
export function stillThere(calls: readonly unknown[], picked: string): string {
  return calls[Number(picked) - 1] === undefined ? '' : picked
}
