import type { KillNext } from '../../dev/index.ts'

/** The same call of another invocation: by its effect, which is surer than the kind of the call. */
export function aimAt(
  call: { readonly action: string; readonly effect?: string | undefined } | undefined,
): KillNext {
  if (call === undefined) return {}
  return { action: call.action, ...(call.effect !== undefined && { effect: call.effect }) }
}

/** @example 'after its call UpdateItem of effect reserve' */
export function aimWords({ action, effect, request, when = 'after' }: KillNext): string {
  return [
    `${when} its next call`,
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
