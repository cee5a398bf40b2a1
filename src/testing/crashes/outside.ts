import { callThrowing } from './answers.ts'
import type { CrashCloud } from './cloud.ts'
import type { Lab } from './lab.ts'
import type { Actor } from './world.ts'

/** A recording double of every system outside. */
export function outsideOf(lab: Lab, actor: Actor): CrashCloud['outside'] {
  const { calls } = lab
  return (name, key) =>
    callThrowing(lab, actor, {
      what: `calls '${name}'${key === undefined ? ' without a key' : ''}`,
      apply: () => {
        const effect = key?.idempotencyKey ?? `call ${calls.length + 1}`
        const isKnown = calls.some((each) => each.name === name && each.key === effect)
        if (!isKnown) calls.push({ name, key: effect })
        return `answer of ${name}`
      },
      faults: ['request lost', 'answer lost', 'killed before', 'killed on the wire'],
    })
}
