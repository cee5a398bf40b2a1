import { stepNameIn } from '../../../claim/awaiting/awaiting.ts'
import { liveRunOf, type LoadedStep } from './loadedStep.ts'

/**
 * Effects, outside calls and stored results of the step's handler, by name. Not shown: effects in SQL, and calls whose result was
 * never stored.
 * @param sortKeys of the items beside the step
 */
export function effectsOf(step: LoadedStep, sortKeys: readonly string[]): readonly string[] {
  const { awaiting, deadRun } = step
  const stage = stepNameIn(awaiting.key)
  const marks = [...((liveRunOf(step) ?? deadRun)?.marks ?? [])]
  const results = `answer#${awaiting.uniqueRequestId}#${stage}:`
  const named = [
    ...marks.flatMap((mark) => nameOf(mark, stage, marks)),
    ...sortKeys.flatMap((sk) => (sk.startsWith(results) ? [sk.slice(results.length)] : [])),
  ]
  return [...new Set(named)].toSorted()
}

/** `stage:effect`, or `stage?1:call`; a call with `stage!1:call` was not made. */
function nameOf(mark: string, stage: string, all: readonly string[]): readonly string[] {
  if (mark.startsWith(`${stage}:`)) return [mark.slice(stage.length + 1)]
  if (!mark.startsWith(`${stage}?`)) return []
  const rest = mark.slice(stage.length + 1)
  return all.includes(`${stage}!${rest}`) ? [] : [rest.slice(rest.indexOf(':') + 1)]
}
