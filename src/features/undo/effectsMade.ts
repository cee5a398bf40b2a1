/** `begun`: an outside call, whose result is stored or not. `not made`: the call certainly did not happen. */
export type EffectState = 'made' | 'begun' | 'not made'

/** The effects of a stage by name, from the marks of its run: `stage:name`, `stage?nth:name` and `stage!nth:name`. */
export function effectsOf(
  marks: ReadonlySet<string>,
  stage: string,
): ReadonlyMap<string, EffectState> {
  const effects = new Map<string, EffectState>()
  for (const mark of marks) {
    if (mark.startsWith(`${stage}:`)) effects.set(mark.slice(stage.length + 1), 'made')
  }
  for (const mark of marks) {
    const { nth = '', name = '' } = beganBy(mark, stage) ?? {}
    if (nth === '') continue
    const isLast = !marks.has(`${stage}?${Number(nth) + 1}:${name}`)
    if (isLast) effects.set(name, marks.has(`${stage}!${nth}:${name}`) ? 'not made' : 'begun')
  }
  return effects
}

function beganBy(
  mark: string,
  stage: string,
): { readonly nth: string; readonly name: string } | undefined {
  if (!mark.startsWith(`${stage}?`)) return undefined
  const rest = mark.slice(stage.length + 1)
  const colon = rest.indexOf(':')
  return { nth: rest.slice(0, colon), name: rest.slice(colon + 1) }
}
