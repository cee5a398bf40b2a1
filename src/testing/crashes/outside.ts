import { callThrowing } from './answers.ts'
import type { CrashCloud } from './cloud.ts'
import type { Lab } from './scheduleContext.ts'
import type { Actor, CallFault } from './simulation.ts'

const FAULTS: readonly CallFault[] = [
  'request lost',
  'answer lost',
  'killed before',
  'killed on the wire',
  'killed each time',
]

/** A recording double of every system outside. */
export function outsideOf(lab: Lab, actor: Actor): CrashCloud['outside'] {
  return (name, key, request) =>
    callThrowing(lab, actor, {
      what: `calls '${name}'${key === undefined ? ' without a key' : ''}`,
      apply: () => {
        take(lab, name, key?.idempotencyKey, JSON.stringify(request) ?? '')
        return `answer of ${name}`
      },
      id: `${name} ${key?.idempotencyKey}`,
      faults: FAULTS,
    })
}

function take(lab: Lab, name: string, key: string | undefined, request: string): void {
  const { calls, clashes, terms } = lab
  const known = calls.find((each) => each.name === name && each.key === key)
  if (key === undefined || known === undefined || terms.keys === 'ignored') {
    calls.push({ name, key: key ?? `call ${calls.length + 1}`, request })
    return
  }
  if (known.request === request) return
  clashes.push(`call '${name}': the key of ${known.request} stands for ${request} too`)
}
